/** Why: what keeps one object alive. */
#ifndef LEAKGRAPH_PY_WHY_H
#define LEAKGRAPH_PY_WHY_H

#include "binding/objects/binding_objects.h"
#include <leakgraph/why.h>

extern PyType_Spec lg__why_spec;

PyObject *lg__core_why(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_why_doc[];

/** Why an object is alive: the answer, and its attributes. */
typedef struct lg__why_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    lg__node_object *node; /* of several nodes, the biggest */
    lg_nodes nodes;        /* all of them */
    lg_why why;            /* the answer: computed once, for the node */
    PyObject *note;        /* str, maybe empty: where it was allocated */
    PyObject *merged;      /* MergedPaths to all nodes: made on first use */
    PyObject *text;
    PyObject *drawing; /* made on first use */
    PyObject *made;    /* a dict of the attributes, if no snapshot is kept */
} lg__why_object;

/** Makes all attributes, because the snapshot goes with the call. False with an
 *  exception. */
bool lg__why_keep(lg__why_object *self);

/** Completes the note, which is None if nobody has asked tracemalloc. False
 * with an exception. */
bool lg__why_find_allocation(lg__why_object *self, const lg_graph *graph);

/** Looks first among the attributes that are made. */
PyObject *lg__why_getattro(lg__why_object *self, PyObject *name);

/** The attributes about what to cut. */
PyObject *lg__why_frees(lg__why_object *self, void *closure);
PyObject *lg__why_cuts(lg__why_object *self, void *closure);
PyObject *lg__why_cut_count(lg__why_object *self, void *closure);
PyObject *lg__why_kept(lg__why_object *self, void *closure);
PyObject *lg__why_paths(lg__why_object *self, void *closure);

/** The forms of a Why, for the type's slots and methods. */
PyObject *lg__why_drawing(lg__why_object *self, void *closure);
PyObject *lg__why_repr(lg__why_object *self);
PyObject *lg__why_str(lg__why_object *self);
PyObject *lg__why_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames);
PyObject *lg__why_repr_svg(PyObject *self, PyObject *unused);
PyObject *lg__why_repr_html(PyObject *self, PyObject *unused);
PyObject *lg__why_iter(PyObject *self);

#endif

/** Why: what keeps one object alive. */
#ifndef LEAKGRAPH_PY_WHY_H
#define LEAKGRAPH_PY_WHY_H

#include "binding/objects/handle.h"
#include <leakgraph/why.h>

extern PyType_Spec why_spec;

PyObject *core_why(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames);

extern const char core_why_doc[];

/** Why an object is alive: the answer, and its attributes. */
typedef struct why_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    node_object *node; /* of several nodes, the biggest */
    lg_nodes nodes;    /* all of them */
    lg_why why;        /* the answer: computed once, for the node */
    PyObject *note;    /* str, maybe empty: where it was allocated */
    PyObject *text;
    PyObject *drawing; /* made on first use */
    PyObject *made;    /* a dict of the attributes, if no snapshot is kept */
} why_object;

/** Makes all attributes, because the snapshot goes with the call. False with an
 *  exception. */
bool why_keep(why_object *self);

/** Looks first among the attributes that are made. */
PyObject *why_getattro(why_object *self, PyObject *name);

/** The attributes about what to cut. */
PyObject *why_frees(why_object *self, void *closure);
PyObject *why_cuts(why_object *self, void *closure);
PyObject *why_cut_count(why_object *self, void *closure);
PyObject *why_kept(why_object *self, void *closure);
PyObject *why_paths(why_object *self, void *closure);

/** The forms of a Why, for the type's slots and methods. */
PyObject *why_drawing(why_object *self, void *closure);
PyObject *why_repr(why_object *self);
PyObject *why_str(why_object *self);
PyObject *why_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames);
PyObject *why_repr_svg(PyObject *self, PyObject *unused);
PyObject *why_repr_html(PyObject *self, PyObject *unused);
PyObject *why_to_dicts(PyObject *self, PyObject *unused);
PyObject *why_to_pandas(PyObject *self, PyObject *unused);

#endif

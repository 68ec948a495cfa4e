/**
 * Snapshot: owns one lg_graph. Nodes, edges and sequences hold the Snapshot;
 * whoever works on the graph without the GIL counts as a user, so that close()
 * in another thread frees it only after the last one is done.
 */
#ifndef LEAKGRAPH_SNAPSHOT_H
#define LEAKGRAPH_SNAPSHOT_H

#include "state.h"
#include <leakgraph/leakgraph.h>

typedef struct snapshot_object {
    PyObject_HEAD
    lg_graph *graph;
    Py_ssize_t uses;    /* calls at work on the graph, maybe without the GIL */
    Py_ssize_t exports; /* buffers handed out by columns */
    bool closed;
    uint8_t *root_bits; /* one per node, made when first asked for */
    PyObject *weakrefs;
} snapshot_object;

extern PyType_Spec snapshot_spec;

/** A Snapshot that owns `graph` from now on; frees it on failure. */
PyObject *snapshot_new(core_state *state, lg_graph *graph);

/** The graph, for work under the GIL; ClosedError and NULL if it is closed. */
lg_graph *snapshot_graph(snapshot_object *self);

/** The graph, for work without the GIL; each success needs one
 *  snapshot_release. */
lg_graph *snapshot_acquire(snapshot_object *self);
void snapshot_release(snapshot_object *self);

/** Whether a root stands at the node: 1, 0, or -1 with an exception. */
int snapshot_is_root(snapshot_object *self, uint32_t node);

/** Methods that live in files of their own. */
PyObject *snapshot_save(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames);
PyObject *snapshot_show_refs(PyObject *self, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_show_backrefs(PyObject *self, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_show_path(PyObject *self, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_types(PyObject *self, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_info(PyObject *self, PyObject *unused);
PyObject *snapshot_threads(PyObject *self, PyObject *unused);
PyObject *snapshot_column(PyObject *self, PyObject *name);
PyObject *snapshot_repr_html(PyObject *self, PyObject *unused);

extern const char snapshot_save_doc[];
extern const char snapshot_show_refs_doc[];
extern const char snapshot_show_backrefs_doc[];
extern const char snapshot_show_path_doc[];

#endif

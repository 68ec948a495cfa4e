/**
 * Snapshot: owns one lg_graph. Nodes, edges and sequences hold the Snapshot.
 * Whoever works on the graph without the GIL counts as a user, so that close()
 * in another thread frees the graph only after the last user is done. A
 * free-threaded build cannot tell which user is the last, so it frees the graph
 * with the Snapshot.
 */
#ifndef LEAKGRAPH_PY_SNAPSHOT_H
#define LEAKGRAPH_PY_SNAPSHOT_H

#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"
#include <leakgraph/graph.h>
#include <leakgraph/internal/lock.h>

/** Which file it is, whatever its path: all zero without one. */
typedef struct lg__file_mark {
    uint64_t device;
    uint64_t inode;
    int64_t changed; /* nanoseconds */
} lg__file_mark;

typedef struct lg__snapshot_object {
    PyObject_HEAD
    lg_graph *graph;
    Py_ssize_t uses;    /* calls that use the graph, maybe without the GIL */
    Py_ssize_t exports; /* buffers handed out by columns */
    bool closed;
    uint8_t *root_bits;    /* one per node, made when first asked for */
    lg_analysis *analysis; /* made once, under the lock; or NULL */
    lg_lock at_work;       /* held by the thread that makes the analysis */
    unsigned long analyst; /* that thread */
    PyObject *devices;     /* names of devices: a tuple, 'host' first */
    PyObject *path;        /* of its file: str, or NULL */
    lg__file_mark file;    /* that file, as it was then */
    bool notes_shown; /* taken for one question, whose answer is being made */
    lg_nodes shown;   /* nodes that the answer shows, some twice */
    size_t shown_room;
    PyObject *kept; /* what remains of them without the graph: a dict of
                       marshalled records (kept.c); or NULL */
    PyObject *weakrefs;
} lg__snapshot_object;

extern PyType_Spec lg__snapshot_spec;

/** Makes a Snapshot that takes over `graph`; frees it on failure. */
PyObject *lg__snapshot_new(lg__core_state *state, lg_graph *graph);

/** The graph, for work under the GIL; ClosedError and NULL if it is closed. */
lg_graph *lg__snapshot_graph(lg__snapshot_object *self);

/** The graph, for work without the GIL; each success needs one
 *  lg__snapshot_release. */
lg_graph *lg__snapshot_acquire(lg__snapshot_object *self);
void lg__snapshot_release(lg__snapshot_object *self);

/** Closes the snapshot: frees its graph now, or after the last release. */
void lg__snapshot_give_up(lg__snapshot_object *self);

/** Closes a snapshot that no thread uses, and frees its graph now: `kept`
 *  stands for the graph. */
void lg__snapshot_forget(lg__snapshot_object *self);

/** Makes a closed Snapshot that knows only the names of its devices. Takes over
 *  the tuple; if that is NULL, fails with the current exception. */
PyObject *lg__snapshot_gone(lg__core_state *state, PyObject *devices);

/** Frees all that it owns. Only for its deallocation. */
void lg__snapshot_dispose(lg__snapshot_object *self);

/** Whether the node is a root: 1, 0, or -1 with an exception. */
int lg__snapshot_is_root(lg__snapshot_object *self, uint32_t node);

/** Methods that live in files of their own. */
PyObject *lg__snapshot_save(PyObject *self, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_show_refs(PyObject *self, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_show_backrefs(PyObject *self, PyObject *const *args,
                                     Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_show_path(PyObject *self, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_show_dominators(PyObject *self, PyObject *const *args,
                                       Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_analyze(PyObject *self, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_retained(PyObject *self, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_why(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_diff(PyObject *self, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_report(PyObject *self, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_summary(PyObject *self, PyObject *const *args,
                               Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_export(PyObject *self, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_to_networkx(PyObject *self, PyObject *const *args,
                                   Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_to_parquet(PyObject *self, PyObject *const *args,
                                  Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_sql(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *lg__snapshot_to_igraph(PyObject *self, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__snapshot_info(PyObject *self, PyObject *unused);
PyObject *lg__snapshot_column(PyObject *self, PyObject *name);
PyObject *lg__snapshot_repr_html(PyObject *self, PyObject *unused);

extern const char lg__snapshot_save_doc[];
extern const char lg__snapshot_show_refs_doc[];
extern const char lg__snapshot_show_backrefs_doc[];
extern const char lg__snapshot_show_path_doc[];
extern const char lg__snapshot_analyze_doc[];
extern const char lg__snapshot_retained_doc[];
extern const char lg__snapshot_show_dominators_doc[];
extern const char lg__snapshot_why_doc[];
extern const char lg__snapshot_export_doc[];
extern const char lg__snapshot_diff_doc[];
extern const char lg__snapshot_report_doc[];
extern const char lg__snapshot_summary_doc[];

#endif

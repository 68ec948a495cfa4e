/**
 * Snapshot: owns one lg_graph. Nodes, edges and sequences hold the Snapshot.
 * Whoever works on the graph without the GIL counts as a user, so that close()
 * in another thread frees the graph only after the last user is done. A
 * free-threaded build cannot tell which user is the last, so it frees the graph
 * with the Snapshot.
 */
#ifndef LEAKGRAPH_PY_SNAPSHOT_H
#define LEAKGRAPH_PY_SNAPSHOT_H

#include "binding/support/state.h"
#include "capture/memory/own.h"
#include <leakgraph/graph.h>
#include <leakgraph/lock.h>

typedef struct snapshot_object {
    PyObject_HEAD
    lg_graph *graph;
    Py_ssize_t uses;    /* calls that use the graph, maybe without the GIL */
    Py_ssize_t exports; /* buffers handed out by columns */
    bool closed;
    uint8_t *root_bits;    /* one per node, made when first asked for */
    lg_analysis *analysis; /* made once, under the lock; or NULL */
    lg_lock at_work;       /* held by the thread that makes the analysis */
    unsigned long analyst; /* that thread */
    bool loaded;           /* malloc has the graph, not the capture's arena */
    lg_own_share own;      /* bytes from malloc of it and of the analysis */
    PyObject *devices;     /* names of devices: a tuple, 'host' first */
    PyObject *path;        /* of its file: str, or NULL */
    bool notes_shown; /* taken for one question, whose answer is being made */
    lg_nodes shown;   /* nodes that the answer shows, some twice */
    size_t shown_room;
    PyObject *kept; /* what remains of them without the graph: a dict of
                       marshalled records (kept.c); or NULL */
    PyObject *weakrefs;
} snapshot_object;

extern PyType_Spec snapshot_spec;

/** Makes a Snapshot that takes over `graph`; frees it on failure. */
PyObject *snapshot_new(core_state *state, lg_graph *graph);

/** The graph, for work under the GIL; ClosedError and NULL if it is closed. */
lg_graph *snapshot_graph(snapshot_object *self);

/** The graph, for work without the GIL; each success needs one
 *  snapshot_release. */
lg_graph *snapshot_acquire(snapshot_object *self);
void snapshot_release(snapshot_object *self);

/** Updates how many bytes from malloc count as leakgraph's own. Call this when
 *  they have changed. */
void snapshot_count(snapshot_object *self);

/** Closes the snapshot: frees its graph now, or after the last release. */
void snapshot_give_up(snapshot_object *self);

/** Closes a snapshot that no thread uses, and frees its graph now: `kept`
 *  stands for the graph. */
void snapshot_forget(snapshot_object *self);

/** Makes a closed Snapshot that knows what `kept` says. */
PyObject *snapshot_recalled(core_state *state, PyObject *kept);

/** Makes a closed Snapshot that knows only the names of its devices. Takes over
 *  the tuple; if that is NULL, fails with the current exception. */
PyObject *snapshot_gone(core_state *state, PyObject *devices);

/** Frees all that it owns. Only for its deallocation. */
void snapshot_dispose(snapshot_object *self);

/** Whether the node is a root: 1, 0, or -1 with an exception. */
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
PyObject *snapshot_show_dominators(PyObject *self, PyObject *const *args,
                                   Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_analyze(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_dominators(snapshot_object *self, void *closure);
PyObject *snapshot_retained(PyObject *self, PyObject *target);
PyObject *snapshot_cycles(PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_top(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames);
PyObject *snapshot_tensors(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_figures(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_why(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames);
PyObject *snapshot_waste(PyObject *self, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_what_if(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_diff(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames);
PyObject *snapshot_report(PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_summary(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_memory(PyObject *self, PyObject *unused);
PyObject *snapshot_findings(PyObject *self, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_merged_paths(PyObject *self, PyObject *const *args,
                                Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_export(PyObject *self, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_to_networkx(PyObject *self, PyObject *unused);
PyObject *snapshot_to_parquet(PyObject *self, PyObject *folder);
PyObject *snapshot_sql(PyObject *self, PyObject *args, PyObject *kwargs);
PyObject *snapshot_to_igraph(PyObject *self, PyObject *unused);
PyObject *snapshot_collectable(PyObject *self, PyObject *unused);
PyObject *snapshot_uncollected(PyObject *self, PyObject *unused);
PyObject *snapshot_types(PyObject *self, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_info(PyObject *self, PyObject *unused);
PyObject *snapshot_threads(PyObject *self, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);
PyObject *snapshot_column(PyObject *self, PyObject *name);
PyObject *snapshot_repr_html(PyObject *self, PyObject *unused);

extern const char snapshot_save_doc[];
extern const char snapshot_show_refs_doc[];
extern const char snapshot_show_backrefs_doc[];
extern const char snapshot_show_path_doc[];
extern const char snapshot_show_dominators_doc[];
extern const char snapshot_cycles_doc[];
extern const char snapshot_top_doc[];
extern const char snapshot_tensors_doc[];
extern const char snapshot_figures_doc[];
extern const char snapshot_why_doc[];
extern const char snapshot_export_doc[];
extern const char snapshot_waste_doc[];
extern const char snapshot_what_if_doc[];
extern const char snapshot_diff_doc[];
extern const char snapshot_report_doc[];
extern const char snapshot_summary_doc[];
extern const char snapshot_threads_doc[];
extern const char snapshot_findings_doc[];
extern const char snapshot_merged_paths_doc[];

#endif

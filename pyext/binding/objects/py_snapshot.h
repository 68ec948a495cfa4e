/**
 * Snapshot: owns one lg_graph. Nodes, edges and sequences hold the Snapshot;
 * whoever works on the graph without the GIL counts as a user, so that close()
 * in another thread frees it only after the last one is done. In a
 * free-threaded build nobody can tell who is the last, so it is freed with the
 * Snapshot.
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
    Py_ssize_t uses;    /* calls at work on the graph, maybe without the GIL */
    Py_ssize_t exports; /* buffers handed out by columns */
    bool closed;
    uint8_t *root_bits;    /* one per node, made when first asked for */
    lg_analysis *analysis; /* made once, under the lock; or NULL */
    lg_lock at_work;       /* held by the thread that makes it */
    unsigned long analyst; /* that thread */
    bool loaded;           /* malloc has the graph, not the capture's arena */
    lg_own_share own;      /* what malloc has of it and of the analysis */
    PyObject *devices;     /* tuple of their names, 'host' first */
    PyObject *path;        /* of its file: str, or NULL */
    bool notes_shown;      /* taken for one question, whose answer is made */
    lg_nodes shown;        /* nodes that the answer shows, some twice */
    size_t shown_room;
    PyObject *kept; /* what is known of them once the graph is gone: a dict of
                       marshalled records (kept.c); or NULL */
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

/** Counts what malloc has of it as leakgraph's own; for when that has changed.
 */
void snapshot_count(snapshot_object *self);

/** Closes it: the graph is freed now, or after the last release. */
void snapshot_give_up(snapshot_object *self);

/** Closes one that `kept` stands for from now on and that no thread is at work
 *  on: the graph is freed now. */
void snapshot_forget(snapshot_object *self);

/** A closed Snapshot that knows what `kept` says. */
PyObject *snapshot_recalled(core_state *state, PyObject *kept);

/** A closed Snapshot that knows the names of its devices only, a tuple that is
 *  its from now on; NULL: fails with the exception there is. */
PyObject *snapshot_gone(core_state *state, PyObject *devices);

/** Frees all that it owns; for its deallocation alone. */
void snapshot_dispose(snapshot_object *self);

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

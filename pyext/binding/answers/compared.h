/** The snapshots that diff() compares, and their summaries. */
#ifndef LEAKGRAPH_COMPARED_H
#define LEAKGRAPH_COMPARED_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/growth.h>
#include <leakgraph/table.h>

typedef struct compared {
    PyObject **snapshots; /* owned; all NULL but the newest, which is NULL if it
                             is a summary */
    lg_summary **summaries;
    Py_ssize_t count;
} compared;

/** Makes room for that many; false with an exception. Call compared_end() in
 *  either case. */
bool compared_begin(compared *self, Py_ssize_t count);
void compared_end(compared *self);

/** Whether there are at least two; false with an exception, which names the
 *  function. */
bool compared_enough(const compared *self, core_state *state,
                     const char *function);

/** Opens and summarises what diff() was given. *newest is the analysis of the
 *  newest, which needs one snapshot_release, or NULL if the newest is a
 *  summary. False with an exception. */
bool compared_open(compared *self, core_state *state, PyObject *const *args,
                   const lg_monitor *monitor, const lg_analysis **newest);

/** Reads steps: as many numbers as there are snapshots, or None. Release *out
 *  with free(); NULL: there are none. */
bool compared_steps(const compared *self, core_state *state, PyObject *given,
                    double **out);

/** A Snapshot without a graph, with the devices of the table: for the nodes and
 *  sizes of an answer about summaries. A new reference, or NULL. */
PyObject *compared_gone(core_state *state, const lg_table *table);

#endif

/** The snapshots that diff() compares, and their summaries. */
#ifndef LEAKGRAPH_COMPARED_H
#define LEAKGRAPH_COMPARED_H

#include "binding/objects/binding_objects.h"
#include <leakgraph/internal/growth.h>
#include <leakgraph/table.h>

typedef struct lg__compared {
    PyObject **snapshots; /* owned; all NULL but the newest, which is NULL if it
                             is a summary */
    lg_summary **summaries;
    Py_ssize_t count;
    bool rows;  /* a page compares the rows of all answers */
    bool words; /* places have words in all summaries, not only in the
                   newest */
} lg__compared;

/** Makes room for that many; false with an exception. Call lg__compared_end()
 * in either case. */
bool lg__compared_begin(lg__compared *self, Py_ssize_t count);
void lg__compared_end(lg__compared *self);

/** Whether there are at least two; false with an exception, which names the
 *  function. */
bool lg__compared_enough(const lg__compared *self, lg__core_state *state,
                         const char *function);

/** Opens and summarises what diff() was given. *newest is the analysis of the
 *  newest, which needs one lg__snapshot_release, or NULL if the newest is a
 *  summary. False with an exception. */
bool lg__compared_open(lg__compared *self, lg__core_state *state,
                       PyObject *const *args, const lg_monitor *monitor,
                       const lg_analysis **newest);

/** Sorts what was opened, with its steps, which may be NULL, and leaves out
 * what cannot be compared with the others: order->count summaries remain. The
 * last snapshot is the newest, with its analysis. False with an exception, and
 *  nothing acquired if *newest is NULL. */
bool lg__compared_line_up(lg__compared *self, lg__core_state *state,
                          PyObject *const *args, const lg_monitor *monitor,
                          double *steps, bool other_programs,
                          const lg_analysis **newest, lg_growth_order *order);
/** Reads steps: as many numbers as there are snapshots, or None. Release *out
 *  with free(); NULL: there are none. */
bool lg__compared_steps(const lg__compared *self, lg__core_state *state,
                        PyObject *given, double **out);

/** A Snapshot without a graph, with the devices of the table: for the nodes and
 *  sizes of an answer about summaries. A new reference, or NULL. */
PyObject *lg__compared_gone(lg__core_state *state, const lg_table *table);

#endif

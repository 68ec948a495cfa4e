/**
 * Captures the heap of the running interpreter as an lg_graph.
 *
 * Call with the GIL held. The walk runs no Python code, allocates no Python
 * object, writes no reference count, and makes no __dict__ or frame object. Its
 * memory comes from anonymous mappings of its own. It starts no collection, and
 * nothing interrupts it. It releases the GIL to finish the graph.
 */
#ifndef LEAKGRAPH_CAPTURE_H
#define LEAKGRAPH_CAPTURE_H

#include "capture/common/capture_common.h"

/** Captures into *out. If the options have roots or a limit, the graph is
 *  partial. */
lg_status lg__capture(const lg__capture_options *options, lg_graph **out,
                      lg_error *err);

/** The same for the roots and what leads to the first of the objects that the
 *  call holds, if the collector's lists show it in a few steps. LG_ENOTFOUND,
 *  without a message, if they do not. The graph is partial. */
lg_status lg__capture_leading(const lg__capture_options *options,
                              lg_graph **out, lg_error *err);

/** Checks that the interpreter's internals are where this build expects them.
 *  Call once, when the module initialises. It cannot fail: a mismatch selects
 *  the public method, as LEAKGRAPH_CAPTURE=public in the environment does. */
void lg__capture_self_check(void);
/** Warns (RuntimeWarning) of a mismatch and of what snapshots then lack. Is
 *  silent if the environment has selected the public method. -1 if the warning
 *  is an error. */
int lg__capture_announce(void);

/** Returns whether the self-check allows the internal layouts. */
bool lg__capture_internal(void);

/** The method as text: "internal", or "public: reason". */
void lg__capture_describe(char *out, size_t size);

/** Whether the collector tracks at most that many objects. Counts no further,
 *  at about 10 ns for each. False if the self-check has failed. */
bool lg__capture_is_small(size_t limit);

/** Whether this build has no GIL: other threads run Python code at any time. */
bool lg__capture_is_free_threaded(void);

#endif

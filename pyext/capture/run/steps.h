/** The steps of a capture, for callers that fork between them. */
#ifndef LEAKGRAPH_STEPS_H
#define LEAKGRAPH_STEPS_H

#include "capture/walk/capture_walk.h"

/** Opens the walk and does everything that may run Python code before it. Call
 *  it with the GIL. On failure there is nothing to free. */
lg_status lg__capture_begin(lg__heap_walk *walk,
                            const lg__capture_options *options, lg_error *err);
/** Walks the heap. Runs no Python code, and changes nothing of Python's.
 *  Allocates from the walk's own memory only and takes no lock that another
 *  thread may hold in a forked child. */
lg_status lg__capture_walk(lg__heap_walk *walk, lg_error *err);
/** Makes the graph and takes over the builder, by the same rules, without the
 *  GIL. Free the walk first. */
lg_status lg__capture_end(lg__heap_walk *walk, lg_graph **out, lg_error *err);
/** Frees everything. Call it with the GIL. */
void lg__capture_abandon(lg__heap_walk *walk);

/** Does the whole walk while all other threads are stopped: see stopped.c. */
void lg__stopped_walk(lg__heap_walk *walk);

#endif

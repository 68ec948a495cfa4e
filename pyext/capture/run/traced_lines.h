/** The lines that allocated the objects of a capture, as tracemalloc knows
 * them. */
#ifndef LEAKGRAPH_TRACED_LINES_H
#define LEAKGRAPH_TRACED_LINES_H

#include "capture/walk/capture_walk.h"

/** Asks tracemalloc for the frames that allocated each object of the walk, and
 *  gives them to the nodes. Makes short-lived tuples and ints, so call it when
 *  nothing more is walked, with the GIL, and not in a forked child. */
void lg__allocations_find(lg__heap_walk *walk);

#endif

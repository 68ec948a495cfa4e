/** The walk itself, from its roots to its end. */
#ifndef LEAKGRAPH_DRIVER_H
#define LEAKGRAPH_DRIVER_H

#include "capture/walk/heap_walk.h"

/** Releases the memory of the walk, but not the builder. */
void lg__walk_free(lg__heap_walk *walk);
/** Walks every node that is neither done nor synthetic, and those that it
 *  meets. */
void lg__walk_run(lg__heap_walk *walk);
/** Numbers what a walk begins with, and appends the edges of the roots. */
void lg__walk_roots(lg__heap_walk *walk);

#endif

/** What other rooms of the capture may use of the walk. */
#ifndef LEAKGRAPH_CAPTURE_WALK_H
#define LEAKGRAPH_CAPTURE_WALK_H

#include "capture/walk/running.h"
#include "capture/walk/collector_lists.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/heap_walk.h"
#include "capture/walk/key.h"
#include "capture/walk/leading.h"
#include "capture/walk/names.h"
#include "capture/walk/object_size.h"
#include "capture/walk/roots.h"
#include "capture/walk/thread_locals.h"

/** Releases the memory of the walk, but not the builder. */
void lg__walk_free(lg__heap_walk *walk);
/** Walks every node that is neither done nor synthetic, and those that it
 *  meets. */
void lg__walk_run(lg__heap_walk *walk);
/** Numbers what a walk begins with, and appends the edges of the roots. */
void lg__walk_roots(lg__heap_walk *walk);

#endif

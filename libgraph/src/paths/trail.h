/**
 * Paths through the raw graph, read as hops.
 */
#ifndef LEAKGRAPH_TRAIL_H
#define LEAKGRAPH_TRAIL_H

#include "graph/graph_private.h"

/** Turns edges into hops. Each edge begins where the one before ends. A folded
 *  source shows as its owner; the last target must not be folded. O(edges). */
lg_status lg__trail_fold(const lg__walk *walk, const uint64_t *edges,
                         size_t count, lg_hops *out, lg_error *err);

#endif

/**
 * A way from one node to another along strong references.
 */
#ifndef LEAKGRAPH_WAY_H
#define LEAKGRAPH_WAY_H

#include "findings/context.h"

enum { LG__WAY_LONGEST = 8 };

typedef struct lg__way {
    uint64_t edges[LG__WAY_LONGEST];
    uint32_t length;
} lg__way;

/** Finds a shortest way of at most LG__WAY_LONGEST edges that enters neither
 *  classes nor modules. Looks at a few thousand nodes, and gives up after
 *  these. Returns false if there is none, or memory ran out. */
bool lg__way_find(const lg_graph *graph, uint32_t from, uint32_t to,
                  lg__way *out);

#endif

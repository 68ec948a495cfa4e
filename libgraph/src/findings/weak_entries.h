/**
 * What keeps the weak halves of entries, and ways between the halves.
 */
#ifndef LEAKGRAPH_WEAK_ENTRIES_H
#define LEAKGRAPH_WEAK_ENTRIES_H

#include "findings/context.h"

/** Returns the object that a finalizer waits for, if its function or arguments
 *  keep that; otherwise LG_NONE. */
uint32_t lg__kept_referent(const lg__detection *detection, uint32_t finalizer);

enum { LG__WAY_LONGEST = 8 };

/** A way from one node to another along strong references. */
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

/** What a hop of a cycle looks like, and why to cut it. */
#ifndef LEAKGRAPH_CUT_RULE_H
#define LEAKGRAPH_CUT_RULE_H

#include "graph/graph_private.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/hops.h>

/** The labels of a cycle's hops, in one text. */
typedef struct lg__labels {
    lg_text text;
    size_t *end; /**< [hop] where its label ends */
} lg__labels;

/** The verdict on a hop. */
typedef struct lg__verdict {
    size_t cut; /**< the hop to cut; for a callable, the one that stores it */
    int score;  /**< a higher score looks more like a back reference */
    lg_cut_reason reason;
    bool fixed; /**< nothing can be cut; the reason says why */
} lg__verdict;

/** Returns the hop before a hop of a cycle. */
static inline size_t
lg__hop_before(const lg_hops *round_trip, size_t hop)
{
    return (hop + round_trip->count - 1) % round_trip->count;
}

/** Returns what refers to the source of a hop, in the cycle. */
static inline uint32_t
lg__hop_holder(const lg_hops *round_trip, size_t hop)
{
    return round_trip->items[lg__hop_before(round_trip, hop)].source;
}

lg__verdict lg__rule_judge(const lg_graph *graph, const lg_hops *round_trip,
                           const lg__labels *all, size_t hop);

/** Returns why nothing can be cut among these nodes, if some belong to a
 *  library and none to the program; else LG_CUT_NONE. */
lg_cut_reason lg__rule_of_library(const lg_graph *graph,
                                  const uint32_t *members, uint32_t count);

#endif

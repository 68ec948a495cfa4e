/**
 * Walking the folded graph without collecting it. `folds` and `reverse` come
 * from the graph's indexes, asked for once by the walker.
 */
#ifndef LG_HOP_H
#define LG_HOP_H

#include "graph.h"

/** Called for each hop, which lives only during the call; false stops. */
typedef bool (*lg__hop_visit)(void *context, const lg_hop *hop);

typedef struct lg__walk {
    const lg_graph *graph;
    const lg__fold *fold;
    lg__reverse reverse; /**< needed for hops in only */
    lg__hop_visit visit;
    void *context;
    bool everything; /**< also what a folded namespace does not show: the strs
                          that its names are, its type */
} lg__walk;

/** False if the visitor stopped the walk. */
bool lg__hops_out_walk(const lg__walk *walk, uint32_t node);
bool lg__hops_in_walk(const lg__walk *walk, uint32_t node);

/** Whether the edge leads into a namespace or closure tuple that is folded into
 *  its source. */
bool lg__edge_opens(const lg__walk *walk, uint32_t source, uint64_t edge);

#endif

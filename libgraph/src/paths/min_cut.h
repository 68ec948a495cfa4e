/** A smallest cut between some nodes and a target. */
#ifndef LEAKGRAPH_MIN_CUT_H
#define LEAKGRAPH_MIN_CUT_H

#include "graph/graph_private.h"

/** The role of a node in the flow. */
enum {
    LG__FLOW_CLOSED = 0, /**< no path goes through it */
    LG__FLOW_INNER = 1,
    LG__FLOW_SOURCE = 2, /**< paths begin here, and none goes through it */
};

/** Returns whether a program can cut the edge. */
typedef bool (*lg__cut_rule)(const lg_graph *graph, uint64_t edge);

typedef struct lg__flow_network {
    const lg_graph *graph;
    lg__reverse reverse;
    const uint8_t *role; /**< [node] LG__FLOW_ */
    uint32_t target;     /**< must not be a source */
    lg__cut_rule can_cut;
    const lg_monitor *monitor;
    bool without_calls; /**< no path goes through what a running call holds */
} lg__flow_network;

/** The minimum cut that is nearest to the target. */
typedef struct lg__min_cut {
    uint64_t *edges; /**< [count] in the order of a search from the target */
    size_t count;
    uint8_t *below; /**< [node] 1 if it is on the target's side of the cut */
    uint64_t *kept; /**< [kept_count] a path from a source to the target
                         without an edge that can be cut; if there is one,
                         there is no cut */
    size_t kept_count;
} lg__min_cut;

/** Finds the cut. O(edges * sqrt(edges)) at worst; in practice a few passes
 * over what leads to the target. Takes 16 bytes per node and 4 per edge that
 * the search meets. Free with lg__min_cut_free, also on failure. */
lg_status lg__min_cut_find(const lg__flow_network *network, lg__min_cut *out,
                           lg_error *err);
void lg__min_cut_free(lg__min_cut *cut);

#endif

/** What the collector would free. */
#ifndef LEAKGRAPH_LIVENESS_H
#define LEAKGRAPH_LIVENESS_H

#include "answers/node_heap.h"
#include "cycles/cycles_private.h"
#include "graph/graph_private.h"

/** What the collector would free, and what a root holds, found out node by
 * node. What takes memory or time for the whole graph is made when a question
 * needs it. */
typedef struct lg__liveness {
    const lg_graph *graph;
    lg__reverse reverse;
    uint8_t *known;       /**< [node] what was found out, as bits */
    uint64_t left;        /**< how many references searches may still look at */
    uint8_t *collectable; /**< [node] of lg__graph_collectable, or NULL */
    lg__uncollectable uncollectable; /**< or zeros */
    bool complete;                   /**< the reasons of all nodes are known */
    // Of a search: the nodes that it met, the index of the node to which each
    // refers, and those to look at, with the lowest number on top.
    lg__gathered met, behind;
    lg__node_heap open;
    bool failed; /**< memory ran out: answers are wrong */
} lg__liveness;

/** Returns false when memory ran out. */
bool lg__liveness_new(const lg_graph *graph, lg__liveness *out);
/** Returns what lg__graph_collectable says of the node. */
bool lg__liveness_collectable(lg__liveness *liveness, uint32_t node);
/** Returns whether a non-native root reaches the node. */
bool lg__liveness_held(lg__liveness *liveness, uint32_t node);
/** Returns the reasons of nodes that no root holds: of this one, and of all
 *  that refer to it. NULL when memory ran out. */
const lg__uncollectable *lg__liveness_uncollectable(lg__liveness *liveness,
                                                    uint32_t node);
void lg__liveness_free(lg__liveness *liveness);

#endif

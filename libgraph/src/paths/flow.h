/**
 * A maximum set of ways to a node that share no inner node.
 */
#ifndef LG_FLOW_H
#define LG_FLOW_H

#include "graph/graph_private.h"

/** Where ways may begin. A source may begin many ways; an entry begins one by
 *  itself, being an inner node of all others. */
enum {
    LG__FLOW_CLOSED = 0, /**< no way may go through it */
    LG__FLOW_INNER = 1,
    LG__FLOW_ENTRY = 2,
    LG__FLOW_SOURCE = 3,
};

typedef struct lg__flow {
    const lg_graph *graph;
    lg__reverse reverse;
    const uint8_t *role; /**< [node] LG__FLOW_ */
    uint32_t target;
    size_t limit; /**< ways that are wanted at most */
    const lg_monitor *monitor;
} lg__flow;

/** Ways as nodes, each from its source or entry to the target. */
typedef struct lg__ways {
    uint32_t *nodes;
    size_t *end; /**< [count] where in `nodes` each way ends */
    size_t count;
    bool more; /**< there is at least one more than the limit */
} lg__ways;

/** Ways without inner nodes are left out: they share nothing with others.
 *  O(limit * (nodes + edges)). */
lg_status lg__flow_run(const lg__flow *flow, lg__ways *out, lg_error *err);
void lg__ways_free(lg__ways *ways);

#endif

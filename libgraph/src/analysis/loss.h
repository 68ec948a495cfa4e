/**
 * Finds what changes when references go: which nodes die, and which may get
 * another immediate dominator.
 */
#ifndef LEAKGRAPH_LOSS_H
#define LEAKGRAPH_LOSS_H

#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>

/** States of a node, as bits. */
enum {
    LG__LOSS_SUSPECT = 1,  /**< it may die */
    LG__LOSS_SAVED = 2,    /**< a suspect that lives on */
    LG__LOSS_ASKED = 4,    /**< DIRECT is known */
    LG__LOSS_DIRECT = 8,   /**< its dominator refers to it */
    LG__LOSS_WEIGHED = 32, /**< STAYS is known */
    LG__LOSS_STAYS = 64,   /**< it keeps its dominator */
    LG__LOSS_MOVES = 16,   /**< it may get another dominator */
};

typedef struct lg__loss {
    const lg_analysis *before;
    lg_analysis *after;
    const lg_columns *columns; /**< the graph without the references */
    lg__reverse reverse;
    uint8_t *state;  /**< [node_count] */
    uint32_t *queue; /**< [node_count] */
    uint32_t queued;
    lg__gathered moved;
    uint64_t steps; /**< steps left before analysing everything is quicker */
    bool failed;    /**< memory ran out */
} lg__loss;

/** Returns whether a root refers to the node, whatever references go, or the
 *  node goes with its module. */
static inline bool
lg__loss_is_fixed(const lg__loss *of, uint32_t node)
{
    return (of->before->policy.mark[node] & LG__MARK_POLICY) != 0;
}

static inline bool
lg__loss_dies(const lg__loss *of, uint32_t node)
{
    return (of->state[node] & (LG__LOSS_SUSPECT | LG__LOSS_SAVED)) ==
           LG__LOSS_SUSPECT;
}

static inline bool
lg__loss_lives(const lg__loss *of, uint32_t node)
{
    return lg_node_is_reachable(of->before, node) && !lg__loss_dies(of, node);
}

static inline bool
lg__loss_is_strong(const lg__loss *of, uint64_t edge)
{
    return !(of->columns->edge_kind[edge] & LG_EDGE_WEAK);
}

/** Returns whether the edge into a node belongs to what is left of the policy
 *  graph. */
static inline bool
lg__loss_is_left(const lg__loss *of, const lg__in_edge *in)
{
    return lg__loss_is_strong(of,
                              of->columns->first_edge[in->source] + in->rank) &&
           lg__loss_lives(of, in->source);
}

/** Returns the module of a namespace, else the node: a module and its namespace
 *  count as one. */
static inline uint32_t
lg__loss_referrer(const lg__loss *of, uint32_t source)
{
    const lg__policy *policy = &of->before->policy;
    return policy->mark[source] & LG__MARK_NAMESPACE
               ? lg__policy_module(policy, source)
               : source;
}

/** Finds the new dominators of the nodes that may move. LG_EUNSUPPORTED without
 *  igraph, or if `before` is not the analysis of this graph. */
lg_status lg__loss_settle(lg__loss *of, const lg_monitor *monitor,
                          lg_error *err);

#endif

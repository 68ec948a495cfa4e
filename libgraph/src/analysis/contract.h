/**
 * Finds what components with several entries hold as a whole. It uses the
 * dominators of the policy graph with every such component contracted to one
 * node.
 *
 * In the contracted graph, a node's dominator differs from that of the policy
 * graph only if a component dominates the node *collectively*: every path to
 * the node goes through the component, but no member is on every path. Node and
 * component then have the same dominator in the policy graph. Each referrer of
 * the node is, or lies below, a node with that same dominator: a member of the
 * component, or another node that the component dominates collectively.
 */
#ifndef LEAKGRAPH_CONTRACT_H
#define LEAKGRAPH_CONTRACT_H

#include "analysis/analysis_private.h"

typedef struct lg__contraction {
    lg__dominator_builder *building;
    uint32_t count;        /**< number of components */
    lg__branch *component; /**< [count + 1] each below the one that dominates it
                              collectively; the last means none */
} lg__contraction;

/** Adds to the analysis what the components dominate collectively. Overwrites
 *  the places and some marks of the builder. O(edges log nodes) of what
 *  components with several entries hold. Free `state` also on failure. */
lg_status lg__contraction_new(lg_analysis *analysis,
                              lg__dominator_builder *building,
                              lg__contraction *out, lg_error *err);
/** Computes the bytes that each component of the builder retains on a device.
 *  The analysis must have its sums. */
void lg__contraction_weigh(const lg__contraction *state,
                           const lg_analysis *analysis, uint32_t device,
                           uint64_t *bytes);
void lg__contraction_free(lg__contraction *state);

#endif

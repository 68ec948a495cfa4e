/**
 * What components with several doors hold as a whole: the dominators of the
 * policy graph with every such component contracted to one node.
 *
 * There a node's dominator differs from that of the policy graph only if a
 * component *adopts* it: each way to it leads through the component, and none
 * of the members lies on every way. Node and component then have the same
 * dominator in the policy graph, and all that refers to the node is dominated
 * by nodes that have that dominator too: members of the component, or what it
 * adopts.
 */
#ifndef LG_CONTRACT_H
#define LG_CONTRACT_H

#include "analysis/analysis_private.h"

typedef struct lg__contraction {
    lg__dominator_builder *building;
    uint32_t count;        /**< of components */
    lg__branch *component; /**< [count + 1] each below the one that adopts it;
                           the last stands for none */
} lg__contraction;

/** Adds what the components adopt to the analysis. Uses the places of the lift
 * up and some of its marks. O(edges log nodes) of what components with several
 * doors hold. Free also on failure. */
lg_status lg__contraction_new(lg_analysis *analysis,
                              lg__dominator_builder *building,
                              lg__contraction *out, lg_error *err);
/** What each component of the lift retains on a device. The sums of the
 * analysis are known. */
void lg__contraction_weigh(const lg__contraction *state,
                           const lg_analysis *analysis, uint32_t device,
                           uint64_t *bytes);
void lg__contraction_free(lg__contraction *state);

#endif

/**
 * What the parts of a walk share that folds the dominator tree into places.
 */
#ifndef LG_PLACE_WALK_H
#define LG_PLACE_WALK_H

#include "growth/growth_private.h"

// Marks of a node beside the number of its place.

/** Another member dominates the node, or it is part of one. */
#define LG__PLACE_INNER (UINT32_C(1) << 31)
/** It is part of another node. */
#define LG__PLACE_PART (UINT32_C(1) << 30)
/** It is a code object. */
#define LG__PLACE_CODE (UINT32_C(1) << 29)
/** A namespace that goes into the place of its instance, but is no member. */
#define LG__PLACE_LOOSE (UINT32_C(1) << 28)
#define LG__PLACE_MARKS                                                        \
    (LG__PLACE_INNER | LG__PLACE_PART | LG__PLACE_CODE | LG__PLACE_LOOSE)

/** The last step to a node: strings of the table. */
typedef struct lg__node_step {
    uint32_t label;
    uint32_t type;
} lg__node_step;

typedef struct lg__place_walk {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_places *places;
    lg__labels labels;
    uint32_t *place;     /**< [node] at first marks and the kind of its step,
                              then marks and its place */
    lg__node_step *step; /**< [node] of what is no part by its own marks */
} lg__place_walk;

/** Makes `place` and `step` of every node. */
lg_status lg__place_steps(lg__place_walk *walk, lg_error *err);
/** Adds members, references and bytes up, once each node has its place. */
void lg__place_sums(lg__place_walk *walk);

#endif

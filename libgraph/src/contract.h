/**
 * What knots with several doors retain: the dominators of the policy graph with
 * every such knot contracted to one node.
 *
 * A knot with one door retains what its door does. Of other nodes the
 * dominators differ there only if all that refers to them is held by contracted
 * knots: these are *late*, the members of the knots among them.
 */
#ifndef LG_CONTRACT_H
#define LG_CONTRACT_H

#include "retained.h"

typedef struct lg__contraction {
    lg__lift *lift;
    uint32_t *late; /**< [count] the late nodes, as they stand in the order */
    uint32_t count;
    uint64_t *bytes; /**< [count] what each retains on one device */
} lg__contraction;

/** Adds what the knots adopt to the analysis, whose dominators are known. Uses
 *  the branches and places of the lift up. O(edges log nodes) of late nodes.
 *  Free also on failure. */
lg_status lg__contraction_new(lg_analysis *analysis, lg__lift *lift,
                              lg__contraction *out, lg_error *err);
/** Weighs everything on a device. */
void lg__contraction_weigh(lg__contraction *state, uint32_t device);
/** What a contracted knot retains on the device that was weighed last. */
uint64_t lg__contraction_bytes(const lg__contraction *state,
                               const lg__span *knot);
void lg__contraction_free(lg__contraction *state);

#endif

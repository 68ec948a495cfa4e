/**
 * The edges within knots, by places of members.
 */
#ifndef LG_INNER_H
#define LG_INNER_H

#include "lift.h"

typedef struct lg__inner {
    uint64_t *first;  /**< [member_count + 1] into target */
    uint32_t *target; /**< places */
    uint32_t *within; /**< [member_count] in-edges from the own knot */
    uint8_t *entry;   /**< [member_count] whether something outside refers to it
                       */
} lg__inner;

/** Solves knots that are reducible: those in which each loop has a head that
 *  dominates it, as in a tree whose children refer to their parents. */
typedef struct lg__reducer {
    const lg__inner *inner;
    lg__knots *knots;
    lg__branch *branch; /**< [member_count + 1] the last is what is outside */
    uint32_t *post;     /**< [member_count] number in postorder */
    uint32_t *order;    /**< [member_count] places in postorder */
} lg__reducer;

lg_status lg__reducer_new(lg__reducer *reducer, const lg__inner *inner,
                          lg__knots *knots, lg_error *err);
/** Sets knots->inner of one knot, if it is reducible. O(edges log nodes). */
bool lg__reducer_solve(lg__reducer *reducer, uint32_t knot);
void lg__reducer_free(lg__reducer *reducer);

#endif

/**
 * The dominator tree as people see it: what is folded away is seen through, and
 * one member stands for a cycle of garbage.
 */
#ifndef LG_GATHER_H
#define LG_GATHER_H

#include "hop.h"
#include "retained.h"

/** A growing list of nodes. */
typedef struct lg__gathered {
    uint32_t *items;
    size_t count;
    size_t capacity;
} lg__gathered;

/** Appends the nodes that `node` (LG_NONE: the super-root; the node count and
 *  one: garbage) immediately dominates, those of namespaces and cells folded
 *  into it included, themselves not; only what retains at least `least` bytes.
 *  Of a cycle of garbage, what all members dominate, and the cycle as a whole.
 *  In no order. False when memory ran out. */
bool lg__gather_dominated(const lg_analysis *analysis, const lg__fold *folds,
                          uint32_t node, uint64_t least, lg__gathered *out);
bool lg__gather_append(lg__gathered *to, uint32_t node);

#endif

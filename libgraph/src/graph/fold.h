/** The nodes that are folded into others, and into which. */
#ifndef LEAKGRAPH_FOLD_H
#define LEAKGRAPH_FOLD_H

#include <leakgraph/graph.h>

#include "base/base_private.h"
#include "graph/marked.h"

/** The owner that a node is folded into; LG_NONE for most nodes. For a
 *  namespace or a closure tuple, rank is that of the owner's only edge that
 *  opens it. For a cell, rank is that of the tuple's edge by which the search
 *  first met it. */
typedef struct lg__fold {
    uint32_t owner;
    uint32_t rank;
} lg__fold;

typedef struct lg__folds {
    lg__marked_block *marked; /**< nodes that are folded */
    lg__vector items;         /**< lg__fold of each of these */
} lg__folds;

/** Returns the fold of a node. */
static inline lg__fold
lg__fold_of(const lg__folds *folds, uint32_t node)
{
    const lg__fold *items = folds->items.data;
    return lg__is_marked(folds->marked, node)
               ? items[lg__marked_place(folds->marked, node)]
               : (lg__fold){LG_NONE, 0};
}

/** Returns the node that a node is folded into, or LG_NONE. */
static inline uint32_t
lg__fold_owner(const lg__folds *folds, uint32_t node)
{
    return lg__fold_of(folds, node).owner;
}

/** Returns the node that answers show for a node: the one it is folded into, or
 *  itself. LG_NONE for LG_NONE. */
static inline uint32_t
lg__seen_node(const lg__folds *folds, uint32_t node)
{
    const uint32_t owner =
        node == LG_NONE ? LG_NONE : lg__fold_owner(folds, node);
    return owner == LG_NONE ? node : owner;
}

#endif

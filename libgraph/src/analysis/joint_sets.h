/**
 * Sets that reach a common node form a cluster. Each node has a bit for each
 * set of its cluster that reaches it.
 */
#ifndef LEAKGRAPH_JOINT_SETS_H
#define LEAKGRAPH_JOINT_SETS_H

#include "analysis/analysis_private.h"

enum {
    LG__BITS = 64, /**< sets of a cluster that are told apart; the last bit
                      covers all the others */
};

typedef struct lg__joining {
    const lg_analysis *analysis;
    const lg__node_sets *sets;
    lg__joint_sets *out;
    const uint8_t
        *closed;       /**< [node] something other than the sets reaches it */
    uint32_t *met;     /**< [node] 1 + the set that reached it first */
    uint64_t *reached; /**< [node] bits of the sets that reach it */
    lg__gathered stack;
    uint32_t *cluster; /**< [set] its parent in a tree; later the first set of
      its cluster */
    uint32_t *size;    /**< [first set of a cluster] how many sets it has */
    uint32_t *member;  /**< [set] its index in its cluster */
    uint32_t *members; /**< sets, sorted by cluster */
    uint32_t *first;   /**< [first set of a cluster] where its members begin */
    uint64_t *rest;    /**< [set] bytes that others share with it */
    lg__vector shares;
    bool failed;
} lg__joining;

static inline unsigned
lg__joining_bit(uint32_t member)
{
    return member < LG__BITS - 1 ? member : LG__BITS - 1;
}

/** Returns the root of a set's tree. */
uint32_t lg__tree_find(uint32_t *parent, uint32_t set);
/** Joins two trees. The lowest set of a tree is its root, and represents it. */
void lg__tree_unite(uint32_t *parent, uint32_t a, uint32_t b);

/** Finds the clusters, and the first set that reaches each node. */
void lg__joining_cluster(lg__joining *to);
/** Finds all sets that reach each node. */
void lg__joining_reach(lg__joining *to);

#endif

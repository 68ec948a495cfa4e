/** The shortest paths of many targets, merged from the roots down, and which of
 *  them get a row. */
#ifndef LEAKGRAPH_MERGED_TREE_H
#define LEAKGRAPH_MERGED_TREE_H

#include "analysis/analysis_private.h"

#include <leakgraph/internal/why_facts.h>

/** Nodes of paths that agree in what leads to them and in their type. */
typedef struct lg__merged {
    uint32_t parent;  /**< its index in the tree; LG_NONE for a root */
    uint32_t root;    /**< its index among the graph's roots, or LG_NONE */
    uint32_t node;    /**< an example */
    lg_hop hop;       /**< from a node of the parent; edge_count is 0 for a
                           root */
    bool varied;      /**< the hops differ in index or key */
    uint32_t type;    /**< of the example; the types of the others have the
                           same name */
    uint32_t nodes;   /**< how many nodes are merged */
    uint64_t targets; /**< targets at or below them */
    uint64_t ends;    /**< targets among them */
    uint64_t total;   /**< bytes that those targets retain, none counted
                           twice */
    size_t bytes;     /**< index of the same bytes by device in the tree's
                           `bytes` */
} lg__merged;

typedef struct lg__merged_tree {
    lg__merged *items; /**< parents before children, biggest first */
    size_t count;
    uint64_t *bytes;      /**< [count * (device_count + 1)] */
    uint64_t targets;     /**< number of distinct targets */
    uint64_t unreachable; /**< number of targets that no root reaches */
} lg__merged_tree;

/** Merges nodes whose type names and labels agree; all indexes and keys count
 *  as one label. O(nodes + edges), plus O(items log items) to order them. */
lg_status lg__paths_merge(const lg_analysis *analysis, const uint32_t *targets,
                          size_t count, const lg_monitor *monitor,
                          lg__merged_tree *out, lg_error *err);
void lg__merged_tree_free(lg__merged_tree *tree);

// Which of the merged paths get a row.

enum {
    LG__PRUNE_FOLDED = 0, /**< counted in "12 more", with everything below it */
    LG__PRUNE_SHOWN,
    LG__PRUNE_PASSED, /**< in the middle of a long path without branches */
};

typedef struct lg__pruned {
    uint32_t *end;  /**< [count] the index after its last descendant */
    uint8_t *state; /**< [count] folded items come last among siblings */
} lg__pruned;

/** What to show: lg_merged_options, in bytes and targets instead of shares. */
typedef struct lg__pruning {
    size_t limit;
    size_t most;
    uint32_t head;
    uint32_t tail;
    uint64_t min_bytes; /**< an item with less than both limits is folded */
    uint64_t min_targets;
} lg__pruning;

/** Shows the `limit` biggest items (0: all) with everything above them, or as
 *  many fewer as fit into `most` rows (0: any number). O(count log count). Free
 *  with lg__pruned_free, also on failure. */
lg_status lg__paths_prune(const lg__merged_tree *tree,
                          const lg__pruning *options, lg__pruned *out,
                          lg_error *err);
void lg__pruned_free(lg__pruned *pruned);
/** Returns the state of an item's row. If only one item would be left out, it
 *  gets a row of its own instead. */
uint8_t lg__pruned_state(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);
/** Returns the item of the next row, after items passed in a row and after
 *  folded siblings. */
uint32_t lg__pruned_next(const lg__merged_tree *tree, const lg__pruned *pruned,
                         uint32_t item);

#endif

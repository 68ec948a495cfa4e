/** The shortest path from a root to every node, as lg_path_from_root measures
 *  paths. */
#ifndef LEAKGRAPH_ROOT_TREE_H
#define LEAKGRAPH_ROOT_TREE_H

#include "paths/measure.h"

/** Prepares a walk over all hops for a search for paths. Returns false when
 *  memory ran out. */
bool lg__paths_walk(const lg_graph *graph, lg__hop_walk *out);

typedef struct lg__roottree {
    lg__hop_walk walk;
    lg__compact before; /**< [node] the node before it; of others, itself */
    uint32_t *from;     /**< [node] of a tree with one path, instead: how far
                             that is, as the difference modulo 2^32 */
    uint32_t *root;     /**< [node] index of a root's best root, plus 1; 0 for
                             other nodes */
    bool kept;          /**< the arrays belong to the graph */
} lg__roottree;

/** Returns the node before another one on its path; of a root, itself. LG_NONE:
 *  no root reaches the node, or it is folded. */
static inline uint32_t
lg__roottree_before(const lg__roottree *tree, uint32_t node)
{
    const uint32_t before = tree->from != NULL
                                ? node + tree->from[node]
                                : lg__compact_at(&tree->before, node);
    return before != node || tree->root[node] != 0 ? before : LG_NONE;
}

/** Returns the index of the best root of a node that a path begins at. */
static inline uint32_t
lg__roottree_root(const lg__roottree *tree, uint32_t node)
{
    return tree->root[node] - 1;
}

/** Makes the tree of all paths. O(nodes + edges) the first time; then the graph
 *  keeps it. */
lg_status lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                           lg__roottree *out, lg_error *err);
/** Makes a tree whose paths lead over the frames of threads, and what wakes
 * tasks, only to what nothing else leads to. O(nodes + edges). */
lg_status lg__roottree_at_rest(const lg_graph *graph, const lg_monitor *monitor,
                               lg__roottree *out, lg_error *err);
/** Makes a tree with only this path; without any, if it is NULL. O(path). */
lg_status lg__roottree_of(const lg_graph *graph, const lg_path *path,
                          lg__roottree *out, lg_error *err);
/** Returns the entrance of a node that is not folded, if its path leads through
 *  one; else LG_NONE. */
uint32_t lg__roottree_entrance(const lg__roottree *tree, uint32_t node);
/** Finds the path to one node, the same as lg_path_from_root. LG_ENOTFOUND,
 *  without a message, if no root reaches the node. */
lg_status lg__roottree_path(const lg__roottree *tree, uint32_t node,
                            lg_path *out, lg_error *err);
void lg__roottree_free(lg__roottree *tree);

/** A search for the tree of all paths by a helper. */
typedef struct lg__tree_ahead lg__tree_ahead;

/** Starts the search if the graph is large and does not have the tree yet; else
 *  returns NULL, which the other functions take. The graph keeps the tree;
 *  without it, lg__roottree_new looks for it as ever. */
lg__tree_ahead *lg__tree_ahead_begin(const lg_graph *graph);
/** Waits until the search is over. The monitor is asked in the meantime; if it
 *  refuses, this returns LG_ECANCELLED. */
lg_status lg__tree_ahead_wait(lg__tree_ahead *ahead, const lg_monitor *monitor,
                              lg_error *err);
/** Gives up a search that is not over, and frees it. */
void lg__tree_ahead_end(lg__tree_ahead *ahead);

// Paths to any number of nodes. One search costs at most a walk over the whole
// graph. So does the tree of all paths, which pays off from a handful of nodes
// on. Once the graph has the tree, a path costs only its own length.

/** It begins as {.graph = graph}. */
typedef struct lg__finder {
    const lg_graph *graph;
    bool at_rest; /**< paths are those of lg__roottree_at_rest */
    lg__roottree tree;
    lg__roottree rest;
    uint32_t searches;
} lg__finder;

/** Finds the path that lg_path_from_root finds, or the one at rest. */
lg_status lg__finder_path(lg__finder *finder, uint32_t node,
                          const lg_monitor *monitor, lg_path *out,
                          lg_error *err);
void lg__finder_free(lg__finder *finder);

#endif

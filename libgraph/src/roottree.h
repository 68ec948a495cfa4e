/**
 * The shortest way from a root to every node at once, by the same measure as
 * lg_path_from_root.
 */
#ifndef LG_ROOTTREE_H
#define LG_ROOTTREE_H

#include "path.h"

typedef struct lg__roottree {
    lg__walk walk;
    uint32_t *before; /**< [node] the node before it; itself at a root; LG_NONE:
                           no root reaches it, or it is folded away */
    uint32_t *root;   /**< [node] of a root node: its best root's index */
} lg__roottree;

/** O(nodes + edges). */
lg_status lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                           lg__roottree *out, lg_error *err);
/** The way to one node. LG_ENOTFOUND, without a message, if no root reaches it.
 */
lg_status lg__roottree_path(const lg__roottree *tree, uint32_t node,
                            lg_path *out, lg_error *err);
void lg__roottree_free(lg__roottree *tree);

#endif

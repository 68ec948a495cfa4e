// Reads paths out of the tree of all paths.
#include "paths/paths_private.h"

#include <stdlib.h>

// Returns whether the path to an entrance may lead on to the target, as
// lg__path_enters does.
static bool
enters(const lg__roottree *tree, uint32_t entrance, uint32_t target)
{
    uint32_t at = entrance;
    if (tree->before[at] == LG_NONE)
        return false;
    for (; tree->before[at] != at && at != target; at = tree->before[at])
        ;
    return at != target &&
           lg__root_rank(tree->walk.graph, tree->root[at]) != LG__RANK_NATIVE;
}

uint32_t
lg__roottree_before(const lg__roottree *tree, uint32_t node)
{
    uint32_t entrance = lg__path_entrance(&tree->walk, node);
    return entrance != LG_NONE && enters(tree, entrance, node)
               ? entrance
               : tree->before[node];
}

lg_status
lg__roottree_path(const lg__roottree *tree, uint32_t node, lg_path *out,
                  lg_error *err)
{
    uint32_t end = lg__seen_node(tree->walk.fold, node);
    if (tree->before[end] == LG_NONE)
        return LG_ENOTFOUND;
    uint32_t last = lg__roottree_before(tree, end);
    uint32_t at = last;
    size_t count = last != end;
    for (; tree->before[at] != at; at = tree->before[at])
        count++;
    lg_hop *hops = lg__wide_alloc((count + 1) * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    lg_root root = lg_graph_root(tree->walk.graph, tree->root[at]);
    root.node = at;
    *out = (lg_path){LG_STARTS_AT_ROOT, root, hops, count};
    for (at = end; count > 0; at = last, last = tree->before[at])
        hops[--count] = lg__hop_between(&tree->walk, last, at);
    return LG_OK;
}

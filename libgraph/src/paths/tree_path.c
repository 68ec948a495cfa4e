// Reads paths out of the tree of all paths.
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/root_tree.h"

#include <stdlib.h>

static uint32_t step(const lg__roottree *tree, uint32_t at, bool *enters);

// Returns whether the path to an entrance may lead on to the target, as
// lg__path_enters does.
static bool
leads_on(const lg__roottree *tree, uint32_t entrance, uint32_t target)
{
    uint32_t at = entrance;
    bool enters = lg__entrance_has_one(tree->walk.graph, entrance);
    if (tree->before[at] == LG_NONE)
        return false;
    for (uint32_t before = step(tree, at, &enters);
         before != at && at != target; before = step(tree, at, &enters))
        at = before;
    return at != target &&
           lg__root_rank(tree->walk.graph, tree->root[at]) != LG__RANK_NATIVE;
}

uint32_t
lg__roottree_entrance(const lg__roottree *tree, uint32_t node)
{
    uint32_t entrance = lg__path_entrance(&tree->walk, node);
    return entrance != LG_NONE && leads_on(tree, entrance, node) ? entrance
                                                                 : LG_NONE;
}

// Returns the node before another one of a path. `*enters` is whether the path
// to that one may lead through its entrance, and then the same for the node
// before. A parameter has an entrance, and a dict none, so this ends.
static uint32_t
step(const lg__roottree *tree, uint32_t at, bool *enters)
{
    uint32_t entrance =
        *enters ? lg__roottree_entrance(tree, at) : (uint32_t)LG_NONE;
    *enters =
        entrance != LG_NONE && lg__entrance_has_one(tree->walk.graph, entrance);
    return entrance != LG_NONE ? entrance : tree->before[at];
}

lg_status
lg__roottree_path(const lg__roottree *tree, uint32_t node, lg_path *out,
                  lg_error *err)
{
    uint32_t end = lg__seen_node(tree->walk.fold, node);
    if (tree->before[end] == LG_NONE)
        return LG_ENOTFOUND;
    bool enters = true;
    size_t count = 0;
    uint32_t at = end;
    for (uint32_t before = step(tree, at, &enters); before != at;
         before = step(tree, at, &enters)) {
        at = before;
        count++;
    }
    lg_hop *hops = lg__alloc((count + 1) * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    lg_root root = lg_graph_root(tree->walk.graph, tree->root[at]);
    root.node = at;
    *out = (lg_path){LG_STARTS_AT_ROOT, root, hops, count};
    enters = true;
    for (at = end; count > 0;) {
        uint32_t before = step(tree, at, &enters);
        hops[--count] = lg__hop_between(&tree->walk, before, at);
        at = before;
    }
    return LG_OK;
}

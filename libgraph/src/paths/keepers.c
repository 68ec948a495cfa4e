// Finds which module keeps each node: by its names, or by the locals of its
// running functions.
//
// A path is followed only up to the first node whose keeper is known, and then
// all nodes on it have theirs. So all questions together cost O(nodes).
#include "paths/keepers.h"
#include "paths/root_tree.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
keeper_of_root(const lg__roottree *tree, uint32_t node)
{
    lg_root root =
        lg_graph_root(tree->walk.graph, lg__roottree_root(tree, node));
    switch (root.kind) {
    case LG_ROOT_MODULE:
        return node;
    case LG_ROOT_THREAD:
        return LG__KEPT_BY_PROGRAM;
    case LG_ROOT_INTERPRETER:
    case LG_ROOT_STATIC:
        return LG__KEPT_BY_INTERPRETER;
    default:
        return LG_NONE;
    }
}

// Returns the keeper of a node from that of its predecessor on the path,
// `before`.
static uint32_t
keeper_behind(const lg_graph *graph, uint32_t node, uint32_t before)
{
    return before == LG__KEPT_BY_PROGRAM &&
                   lg__node_category(graph, node) == LG_CATEGORY_FRAME
               ? lg__frame_module(graph, node)
               : before;
}

// The column has keepers plus this, so that 0 means that nobody has looked for
// one yet.
enum { SHIFT = 4 };

static void
set(lg__keepers *keepers, uint32_t node, uint32_t keeper)
{
    keepers->shifted[node] = keeper + SHIFT;
}

// Returns the keeper of a root, or of a node that no root reaches.
static uint32_t
keeper_of_end(const lg__roottree *tree, uint32_t node)
{
    return lg__roottree_before(tree, node) == node ? keeper_of_root(tree, node)
                                                   : LG_NONE;
}

// Finds the keepers of the node and of those on its path.
static void
follow(lg__keepers *keepers, uint32_t node)
{
    const lg__roottree *tree = &keepers->tree;
    lg__gathered *path = &keepers->path;
    uint32_t at = node;
    path->count = 0;
    uint32_t before = lg__roottree_before(tree, at);
    while (keepers->shifted[at] == 0 && before != LG_NONE && before != at) {
        if (!lg__gather_append(path, at)) {
            keepers->failed = true;
            return;
        }
        at = before;
        before = lg__roottree_before(tree, at);
    }
    if (keepers->shifted[at] == 0)
        set(keepers, at, keeper_of_end(tree, at));
    before = keepers->shifted[at] - SHIFT;
    while (path->count > 0) {
        at = path->items[--path->count];
        before = keeper_behind(tree->walk.graph, at, before);
        set(keepers, at, before);
    }
}

lg_status
lg__keepers_begin(const lg_graph *graph, const lg_monitor *monitor,
                  lg__keepers *out, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    lg__keepers made = {0};
    lg_status status = lg__roottree_new(graph, monitor, &made.tree, err);
    if (status != LG_OK)
        return status;
    made.shifted = lg__calloc(nodes, sizeof *made.shifted);
    if (made.shifted == NULL) {
        lg__keepers_end(&made);
        return lg__error_memory(err);
    }
    *out = made;
    return LG_OK;
}

uint32_t
lg__keepers_of(lg__keepers *keepers, uint32_t node)
{
    uint32_t seen = lg__seen_node(keepers->tree.walk.fold, node);
    if (keepers->shifted[seen] == 0)
        follow(keepers, seen);
    return keepers->failed ? LG_NONE : keepers->shifted[seen] - SHIFT;
}

void
lg__keepers_end(lg__keepers *keepers)
{
    lg__free(keepers->path.items);
    lg__free(keepers->shifted);
    lg__roottree_free(&keepers->tree);
    *keepers = (lg__keepers){0};
}

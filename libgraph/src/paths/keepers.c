// Finds which module keeps each node: by its names, or by the locals of its
// running functions.
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

// Returns whether the edge leads to the builtins, which every function and
// frame reads besides its module's names.
static bool
is_builtins(const lg_graph *graph, uint64_t edge)
{
    lg_string name = lg_graph_string(graph, graph->columns.edge_payload[edge]);
    return lg__string_is(name, "f_builtins") ||
           lg__string_is(name, "__builtins__");
}

// Returns the module whose names a function or a frame reads; LG_NONE if it has
// none.
static uint32_t
module_read_by(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_GLOBALS &&
            !is_builtins(graph, edge)) {
            uint32_t module =
                lg_node_folded_into(graph, columns->edge_target[edge]);
            if (module != LG_NONE)
                return module;
        }
    return LG_NONE;
}

// Returns whether the target tells which module's names a frame, generator or
// coroutine reads. Some Pythons know only a frame's function, others only a
// generator's frame.
static bool
tells_module(const lg_graph *graph, uint32_t frame, uint32_t target)
{
    return lg__node_role(graph, target) == LG__ROLE_FUNCTION ||
           (lg__node_role(graph, frame) == LG__ROLE_SUSPENDED &&
            lg__node_category(graph, target) == LG_CATEGORY_FRAME);
}

uint32_t
lg__frame_module(const lg_graph *graph, uint32_t frame)
{
    const lg_columns *columns = &graph->columns;
    uint32_t module = module_read_by(graph, frame);
    uint64_t end = columns->first_edge[frame + 1];
    for (uint64_t edge = columns->first_edge[frame];
         edge < end && module == LG_NONE; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
            tells_module(graph, frame, target))
            module = module_read_by(graph, target);
    }
    return module != LG_NONE ? module : LG__KEPT_BY_PROGRAM;
}

static uint32_t
keeper_of_root(const lg__roottree *tree, uint32_t node)
{
    lg_root root = lg_graph_root(tree->walk.graph, tree->root[node]);
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

// A keeper that nobody has looked for yet.
#define UNKNOWN (LG_NONE - 3)

static bool
follow(const lg__roottree *tree, uint32_t node, uint32_t *keeper,
       lg__gathered *path)
{
    uint32_t at = node;
    path->count = 0;
    while (keeper[at] == UNKNOWN && tree->before[at] != LG_NONE &&
           tree->before[at] != at) {
        if (!lg__gather_append(path, at))
            return false;
        at = tree->before[at];
    }
    if (keeper[at] == UNKNOWN)
        keeper[at] =
            tree->before[at] == at ? keeper_of_root(tree, at) : LG_NONE;
    uint32_t before = keeper[at];
    while (path->count > 0) {
        at = path->items[--path->count];
        before = keeper[at] = keeper_behind(tree->walk.graph, at, before);
    }
    return true;
}

lg_status
lg__keepers_find(const lg_graph *graph, const lg_monitor *monitor,
                 uint32_t **out, lg_error *err)
{
    uint32_t nodes = graph->columns.node_count;
    lg__roottree tree = {0};
    lg__gathered path = {0};
    uint32_t *keeper = NULL;
    lg_status status = lg__roottree_new(graph, monitor, &tree, err);
    if (status != LG_OK)
        return status;
    keeper = lg__wide_alloc(((size_t)nodes + 1) * sizeof *keeper);
    bool enough = keeper != NULL;
    for (uint32_t node = 0; node < nodes && enough; node++)
        keeper[node] = UNKNOWN;
    for (uint32_t node = 0; node < nodes && enough; node++)
        if (tree.walk.fold[node].owner == LG_NONE)
            enough = follow(&tree, node, keeper, &path);
    for (uint32_t node = 0; node < nodes && enough; node++)
        keeper[node] = keeper[lg__seen_node(tree.walk.fold, node)];
    lg__wide_free(path.items);
    lg__roottree_free(&tree);
    if (!enough) {
        lg__wide_free(keeper);
        return lg__error_memory(err);
    }
    *out = keeper;
    return LG_OK;
}

// Which module keeps each node: by its names, or by the locals of its functions
// that run. And whose tables those are that a library keeps for itself.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// The module whose names a function or a frame reads; LG_NONE: it has none.
static uint32_t
module_read_by(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_GLOBALS) {
            uint32_t module =
                lg_node_folded_into(graph, columns->edge_target[edge]);
            if (module != LG_NONE)
                return module;
        }
    return LG_NONE;
}

// The module whose function a frame runs. Some Pythons know the function alone.
static uint32_t
module_of_frame(const lg_graph *graph, uint32_t frame)
{
    const lg_columns *columns = &graph->columns;
    uint32_t module = module_read_by(graph, frame);
    uint64_t end = columns->first_edge[frame + 1];
    for (uint64_t edge = columns->first_edge[frame];
         edge < end && module == LG_NONE; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
            lg__node_role(graph, target) == LG__ROLE_FUNCTION)
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

// Of a node whose predecessor on its path is kept by `before`.
static uint32_t
keeper_behind(const lg_graph *graph, uint32_t node, uint32_t before)
{
    return before == LG__KEPT_BY_PROGRAM &&
                   lg__node_category(graph, node) == LG_CATEGORY_FRAME
               ? module_of_frame(graph, node)
               : before;
}

// A keeper that nobody has looked for yet.
#define UNKNOWN (LG_NONE - 3)

static bool
follow(const lg__roottree *tree, uint32_t node, uint32_t *keeper,
       lg__gathered *way)
{
    uint32_t at = node;
    way->count = 0;
    while (keeper[at] == UNKNOWN && tree->before[at] != LG_NONE &&
           tree->before[at] != at) {
        if (!lg__gather_append(way, at))
            return false;
        at = tree->before[at];
    }
    if (keeper[at] == UNKNOWN)
        keeper[at] =
            tree->before[at] == at ? keeper_of_root(tree, at) : LG_NONE;
    uint32_t before = keeper[at];
    while (way->count > 0) {
        at = way->items[--way->count];
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
    lg__gathered way = {0};
    uint32_t *keeper = NULL;
    lg_status status = lg__roottree_new(graph, monitor, &tree, err);
    if (status != LG_OK)
        return status;
    keeper = malloc(((size_t)nodes + 1) * sizeof *keeper);
    bool enough = keeper != NULL;
    for (uint32_t node = 0; node < nodes && enough; node++)
        keeper[node] = UNKNOWN;
    for (uint32_t node = 0; node < nodes && enough; node++)
        if (tree.walk.fold[node].owner == LG_NONE)
            enough = follow(&tree, node, keeper, &way);
    for (uint32_t node = 0; node < nodes && enough; node++)
        keeper[node] = keeper[lg__seen_node(tree.walk.fold, node)];
    free(way.items);
    lg__roottree_free(&tree);
    if (!enough) {
        free(keeper);
        return lg__error_memory(err);
    }
    *out = keeper;
    return LG_OK;
}

// Whether a program made it: an object of a class of its own, data that
// libraries compute with, a figure, what waits to run. Functions and classes do
// not count: a program hands them to libraries. Code has constants in bytes.
static bool
is_of_program(const lg_graph *graph, uint32_t node)
{
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_FIGURE:
        return true;
    case LG_CATEGORY_FRAME:
        return lg__node_role(graph, node) == LG__ROLE_SUSPENDED;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_TYPE:
        return false;
    case LG_CATEGORY_ARRAY: {
        lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
        return memchr(type.data, '.', type.length) != NULL;
    }
    default:
        return lg__node_origin(graph, node, NULL) == LG__ORIGIN_PROGRAM;
    }
}

bool
lg__furniture_begin(lg__furniture *furniture, const lg_analysis *analysis)
{
    const lg_graph *graph = analysis->graph;
    furniture->analysis = analysis;
    furniture->known = calloc((size_t)graph->columns.node_count + 1, 1);
    furniture->type = calloc((size_t)graph->type_count + 1, 1);
    return furniture->known != NULL && furniture->type != NULL;
}

void
lg__furniture_end(lg__furniture *furniture)
{
    free(furniture->known);
    free(furniture->type);
    free(furniture->stack.items);
    *furniture = (lg__furniture){0};
}

enum { NO = 1, YES = 2 };

static bool
holds_of_program(lg__furniture *furniture, uint32_t node)
{
    const lg_graph *graph = furniture->analysis->graph;
    lg_category category = lg__node_category(graph, node);
    // Of one type some wait to run, and others are on a stack.
    if (category == LG_CATEGORY_FRAME)
        return is_of_program(graph, node);
    uint8_t *known = &furniture->type[graph->columns.type[node]];
    if (*known == 0)
        *known = is_of_program(graph, node) ? YES : NO;
    return *known == YES;
}

// Each node is looked at once, if the nodes asked for retain nothing in common.
static bool
retains_of_program(lg__furniture *furniture, uint32_t node, bool *enough)
{
    const lg_analysis *analysis = furniture->analysis;
    lg__gathered *stack = &furniture->stack;
    stack->count = 0;
    *enough = lg__gather_append(stack, node);
    while (stack->count > 0 && *enough) {
        uint32_t at = stack->items[--stack->count];
        if (holds_of_program(furniture, at))
            return true;
        for (uint32_t i = analysis->first_child[at];
             i < analysis->first_child[at + 1] && *enough; i++)
            *enough = lg__gather_append(stack, analysis->child[i]);
    }
    return false;
}

static bool
is_library(lg__furniture *furniture, uint32_t module)
{
    uint8_t *known = &furniture->known[module];
    if (*known == 0)
        *known = lg__module_is_library(furniture->analysis->graph, module) ? YES
                                                                           : NO;
    return *known == YES;
}

// Whose the node is, if a library or the interpreter keeps it; empty: nobody's.
// Native code keeps what belongs to a library, too.
static lg_string
find_owner(lg__furniture *furniture, uint32_t node, uint32_t keeper)
{
    const lg_graph *graph = furniture->analysis->graph;
    lg_string owner = {"", 0};
    if (keeper == LG__KEPT_BY_INTERPRETER) {
        owner = (lg_string){"the interpreter", 15};
    } else if (keeper == LG_NONE) {
        if (lg_node_is_reachable(furniture->analysis, node) &&
            lg__node_origin(graph, node, &owner) != LG__ORIGIN_LIBRARY)
            owner.length = 0;
    } else if (keeper != LG__KEPT_BY_PROGRAM && is_library(furniture, keeper)) {
        lg_string name = lg_node_text(graph, keeper);
        owner = lg__package_of(name);
        owner = owner.length > 0 ? owner : name;
    }
    return owner;
}

bool
lg__furniture_owner(lg__furniture *furniture, uint32_t node, uint32_t keeper,
                    lg_string *out)
{
    bool enough = true;
    lg_string owner = find_owner(furniture, node, keeper);
    if (owner.length > 0 && retains_of_program(furniture, node, &enough))
        owner.length = 0;
    *out = owner;
    return enough;
}

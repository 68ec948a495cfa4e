// Names the suspended coroutines and generators that a path leads through, as
// it names running frames: by function, file and line.
//
// Of a task that asyncio keeps, the way to it tells no more than what the task
// waits for at the moment: a queue, a timer, another task. So the path begins
// at the task. What the program keeps itself, such as a list of tasks or of
// generators, stays in the path. A coroutine that awaits another one keeps
// nothing by that, so only the innermost of them is named.
#include "graph/graph_private.h"
#include "paths/keepers.h"
#include "paths/suspended.h"

#include <string.h>

// Returns whether the node is a coroutine or generator whose name is known.
static bool
is_named(const lg_graph *graph, uint32_t node)
{
    return lg__node_role(graph, node) == LG__ROLE_SUSPENDED &&
           !lg__node_is_task(graph, node) &&
           lg_node_text(graph, node).length > 0;
}

static unsigned
first_kind(const lg_graph *graph, const lg_hop *hop)
{
    return lg__edge_kind(graph, hop->edges[0]);
}

// Returns whether the hop leads from a task to its coroutine, or from a
// coroutine to the one that it awaits.
static bool
is_awaited(const lg_graph *graph, const lg_hop *hop)
{
    if (lg__node_role(graph, hop->source) != LG__ROLE_SUSPENDED ||
        !is_named(graph, hop->target))
        return false;
    return lg__node_is_task(graph, hop->source) ||
           first_kind(graph, hop) == LG_EDGE_STACK;
}

bool
lg__hop_is_of_suspended(const lg_graph *graph, const lg_hop *hop)
{
    unsigned kind = first_kind(graph, hop);
    return (kind == LG_EDGE_LOCAL || kind == LG_EDGE_STACK) &&
           is_named(graph, hop->source) && !is_awaited(graph, hop);
}

size_t
lg__path_awaits(const lg_graph *graph, const lg_path *path, size_t at)
{
    size_t end = at;
    while (end < path->count && is_awaited(graph, &path->hops[end]))
        end++;
    return end < path->count && lg__hop_is_of_suspended(graph, &path->hops[end])
               ? end - at
               : 0;
}

static bool
is_of_asyncio(lg_string name)
{
    return lg__string_begins(name, "asyncio.") ||
           lg__string_begins(name, "_asyncio.") ||
           lg__string_begins(name, "anyio.") ||
           lg__string_begins(name, "uvloop.");
}

// Returns whether the node is asyncio's: an object of one of its classes, or
// a frame of its functions.
static bool
is_inside(const lg_graph *graph, uint32_t node)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    if (lg__node_is_task(graph, node) ||
        lg__node_category(graph, node) != LG_CATEGORY_FRAME)
        return is_of_asyncio(type);
    uint32_t module = lg__frame_module(graph, node);
    return module < graph->columns.node_count &&
           is_of_asyncio(lg_node_text(graph, module));
}

size_t
lg__path_task(const lg_graph *graph, const lg_path *path)
{
    bool inside =
        path->start == LG_STARTS_AT_ROOT && path->root.kind == LG_ROOT_NATIVE;
    size_t found = path->count;
    for (size_t i = 0; i < path->count; i++) {
        uint32_t source = path->hops[i].source;
        if (inside && lg__node_is_task(graph, source) &&
            lg__path_awaits(graph, path, i) > 0)
            found = i;
        inside = inside || is_inside(graph, source);
    }
    return found;
}

// Returns the name of a task. Its text ends with that of its coroutine.
static lg_string
task_name(const lg_graph *graph, uint32_t task, uint32_t coroutine)
{
    lg_string text = lg_node_text(graph, task);
    lg_string rest = lg_node_text(graph, coroutine);
    if (text.length > rest.length &&
        memcmp(text.data + text.length - rest.length, rest.data, rest.length) ==
            0)
        text.length -= rest.length + 1;
    return text;
}

void
lg__format_task(const lg_graph *graph, uint32_t task, uint32_t coroutine,
                lg_text *out)
{
    lg_string name = task_name(graph, task, coroutine);
    lg_text_add(out, "task");
    if (name.length > 0)
        lg_text_add(out, " ");
    lg__text_add_string(out, name);
}

void
lg__format_suspended(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_text_add(out, " in ");
    lg_node_title(graph, node, false, out);
}

static bool
steps_inward(const lg_graph *graph, uint32_t node, uint64_t edge)
{
    const lg_hop hop = {.source = node,
                        .target = lg_columns_target(&graph->columns, edge),
                        .edges = {edge},
                        .edge_count = 1};
    return is_awaited(graph, &hop);
}

uint32_t
lg__node_awaits(const lg_graph *graph, uint32_t node)
{
    const lg_edge_range edges = lg_columns_edges(&graph->columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (steps_inward(graph, node, edge))
            return lg_columns_target(&graph->columns, edge);
    return LG_NONE;
}

// Sums over all that a node retains: what allocators spend beyond its bytes,
// and the native memory in it.
//
// What a node retains is a tree: each node in it is queued by the one node, or
// the one component of garbage, that dominates it. So none is added twice.
#include "analysis/analysis_private.h"
#include <leakgraph/internal/native.h>
#include <leakgraph/internal/retained.h>

#include <string.h>

// A node whose dominated nodes are still to be added.
typedef struct waiting {
    uint32_t node;
    bool whole; // for a component of garbage: add all that goes with it
} waiting;

typedef struct summing {
    const lg_analysis *analysis;
    lg_allocator allocator;
    lg__vector stack; // of waiting
    uint64_t (*part)(const lg_graph *graph, uint32_t node);
    uint64_t sum;
} summing;

static waiting *
add_room(summing *state, size_t count)
{
    return lg__vector_extend(&state->allocator, &state->stack, count);
}

// Adds a node, and queues what it dominates.
static bool
expand(summing *state, uint32_t node)
{
    const lg_analysis *analysis = state->analysis;
    const lg__children children = lg__children_of(analysis, node);
    const uint32_t count = children.end - children.begin;
    state->sum += state->part(analysis->graph, node);
    if (count == 0)
        return true;
    waiting *room = add_room(state, count);
    for (uint32_t i = 0; room != NULL && i < count; i++)
        room[i] = (waiting){lg__child_at(analysis, children.begin + i), false};
    return room != NULL;
}

// Queues the members of a component of garbage that nothing dominates, and what
// the component dominates as a whole.
static bool
expand_garbage(summing *state, uint32_t index)
{
    const lg_analysis *analysis = state->analysis;
    lg_component component = lg_analysis_component(analysis, index);
    size_t count;
    const lg__collective_of *collective =
        lg__collective_list(analysis, index, &count);
    waiting *room = add_room(state, component.count + count);
    if (room == NULL)
        return false;
    for (uint32_t i = 0; i < component.count; i++)
        if (lg__garbage_component_of(analysis, component.nodes[i]) != LG_NONE)
            *room++ = (waiting){component.nodes[i], false};
        else
            state->stack.count--;
    for (size_t i = 0; i < count; i++)
        *room++ = (waiting){collective[i].node, true};
    return true;
}

static lg_status
sum_retained(const lg_analysis *analysis, uint32_t node,
             uint64_t (*part)(const lg_graph *graph, uint32_t node),
             uint64_t *out, lg_error *err)
{
    summing state = {.analysis = analysis,
                     .part = part,
                     .allocator = lg_allocator_default(),
                     .stack = {.element = sizeof(waiting)}};
    waiting *room = add_room(&state, 1);
    bool enough = room != NULL;
    if (enough)
        *room = (waiting){node, true};
    while (enough && state.stack.count > 0) {
        waiting next = ((waiting *)state.stack.data)[--state.stack.count];
        uint32_t garbage = next.whole
                               ? lg__garbage_component_of(analysis, next.node)
                               : LG_NONE;
        enough = garbage == LG_NONE ? expand(&state, next.node)
                                    : expand_garbage(&state, garbage);
    }
    lg__vector_free(&state.allocator, &state.stack);
    if (!enough)
        return lg__error_memory(err);
    *out = state.sum;
    return LG_OK;
}

static uint64_t
rounding_of(const lg_graph *graph, uint32_t node)
{
    return lg_node_spent(graph, node) - lg_node_size(graph, node);
}

static uint64_t
native_of(const lg_graph *graph, uint32_t node)
{
    return lg__node_is_native(graph, node) ? lg_node_size(graph, node) : 0;
}

lg_status
lg_retained_rounding(const lg_analysis *analysis, lg_node node, uint64_t *out,
                     lg_error *err)
{
    return sum_retained(analysis, node, rounding_of, out, err);
}

lg_status
lg_node_native(const lg_analysis *analysis, lg_node node, uint64_t *out,
               lg_error *err)
{
    if (!lg__graph_has_native(analysis->graph)) {
        *out = 0;
        return LG_OK;
    }
    return sum_retained(analysis, node, native_of, out, err);
}

uint64_t
lg_analysis_rounding(const lg_analysis *analysis)
{
    return lg__graph_rounding(analysis->graph);
}

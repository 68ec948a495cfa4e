// Finds what CPython's collector would free, like deduce_unreachable() of
// Modules/gcmodule.c (3.9 to 3.12) and Python/gc.c (3.13), on the snapshot.
//
// The collector visits tracked objects that are not frozen. From each reference
// count it subtracts the references that tp_traverse reports from such objects.
// An object with a positive rest has other referrers, so it and everything that
// it leads to is alive. The others are garbage.
#include <leakgraph/cycles.h>

#include "graph/graph_private.h"

#include <stdlib.h>

typedef struct deduction {
    const lg_columns *columns;
    uint32_t *references; // gc_refs: what the collector cannot explain
    uint32_t *queue;
    uint8_t *flags;
} deduction;

static bool
is_looked_at(const lg_columns *columns, uint32_t node)
{
    const unsigned both = LG_NODE_TRACKED | LG_NODE_FROZEN;
    return (columns->node_flags[node] & both) == LG_NODE_TRACKED;
}

// A count that says nothing (immortal, or beyond the column) never falls to
// zero.
static bool
is_counted(const lg_columns *columns, uint32_t node)
{
    return !(columns->node_flags[node] & LG_NODE_IMMORTAL) &&
           columns->refcount[node] != UINT32_MAX;
}

enum { AHEAD = 16 }; // edges for whose targets to ask

static void
subtract_references(deduction *state)
{
    const lg_columns *columns = state->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        state->references[node] =
            is_counted(columns, node) ? columns->refcount[node] : UINT32_MAX;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (!is_looked_at(columns, node))
            continue;
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (edge + AHEAD < columns->edge_count)
                __builtin_prefetch(
                    &state->references[columns->edge_target[edge + AHEAD]]);
            if (!(columns->edge_kind[edge] & LG_EDGE_TRAVERSED))
                continue;
            uint32_t left = state->references[target];
            state->references[target] -= left > 0 && left < UINT32_MAX;
        }
    }
}

// Flags everything as garbage until proved reachable, and queues what is
// proved.
static uint32_t
split(deduction *state)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < state->columns->node_count; node++) {
        if (!is_looked_at(state->columns, node))
            continue;
        if (state->references[node] > 0)
            state->queue[count++] = node;
        else
            state->flags[node] = 1;
    }
    return count;
}

static void
move_reachable(deduction *state, uint32_t queued)
{
    const lg_columns *columns = state->columns;
    for (uint32_t at = 0; at < queued; at++) {
        uint32_t node = state->queue[at];
        lg__ask_ahead(columns, state->queue + at, queued - at);
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (!(columns->edge_kind[edge] & LG_EDGE_TRAVERSED) ||
                !state->flags[target])
                continue;
            state->flags[target] = 0;
            state->queue[queued++] = target;
        }
    }
}

lg_status
lg_graph_collectable(const lg_graph *graph, uint8_t **flags, lg_error *err)
{
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "what is collectable needs a whole snapshot, and "
                            "this one is partial");
    size_t nodes = (size_t)graph->columns.node_count + 1;
    deduction state = {
        .columns = &graph->columns,
        .references = malloc(nodes * sizeof(uint32_t)),
        .queue = malloc(nodes * sizeof(uint32_t)),
        .flags = calloc(nodes, 1),
    };
    lg_status status = LG_OK;
    if (state.references && state.queue && state.flags) {
        subtract_references(&state);
        move_reachable(&state, split(&state));
        *flags = state.flags;
        state.flags = NULL;
    } else {
        status = lg__error_memory(err);
    }
    free(state.references);
    free(state.queue);
    free(state.flags);
    return status;
}

// Finds what CPython's collector would free: runs deduce_unreachable() of
// Modules/gcmodule.c (3.9 to 3.12) and Python/gc.c (3.13) on the snapshot.
//
// The collector visits tracked objects that are not frozen. From each reference
// count it subtracts the references that tp_traverse reports from such objects.
// An object with a positive rest has other referrers, so it and everything that
// it leads to is alive. The others are garbage.
#include "cycles/cycles_private.h"

#include <stdlib.h>

enum {
    GARBAGE = 0, // until something proves it reachable
    REACHABLE = LG__REACHED,
    IGNORED = LG__BLOCKED,
};

typedef struct deduction {
    const lg_columns *columns;
    uint32_t *references; // gc_refs: what the collector cannot explain
    uint8_t *state;
} deduction;

enum { AHEAD = 16 }; // how many edges ahead to prefetch targets

static void
subtract_references(deduction *state)
{
    const lg_columns *columns = state->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        state->references[node] = lg__is_counted(columns, node)
                                      ? lg_columns_refcount(columns, node)
                                      : UINT32_MAX;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (!lg__is_visited(columns, node))
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
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

static void
split(deduction *state)
{
    for (uint32_t node = 0; node < state->columns->node_count; node++)
        state->state[node] = !lg__is_visited(state->columns, node) ? IGNORED
                             : state->references[node] > 0         ? REACHABLE
                                                                   : GARBAGE;
}

static lg_status
deduce(deduction *state, lg_error *err)
{
    if (state->references == NULL || state->state == NULL)
        return lg__error_memory(err);
    subtract_references(state);
    split(state);
    if (!lg__reach(state->columns, LG_EDGE_TRAVERSED, LG_EDGE_TRAVERSED,
                   state->state))
        return lg__error_memory(err);
    for (uint32_t node = 0; node < state->columns->node_count; node++)
        state->state[node] = state->state[node] == GARBAGE;
    return LG_OK;
}

lg_status
lg__graph_collectable(const lg_graph *graph, uint8_t **flags, lg_error *err)
{
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "what is collectable needs a whole snapshot, and "
                            "this one is partial");
    size_t nodes = (size_t)graph->columns.node_count + 1;
    deduction state = {
        .columns = &graph->columns,
        .references = lg__alloc(nodes * sizeof(uint32_t)),
        .state = lg__calloc(nodes, 1),
    };
    lg_status status = deduce(&state, err);
    lg__free(state.references);
    if (status == LG_OK)
        *flags = state.state;
    else
        lg__free(state.state);
    return status;
}

// Copies the flags, so that free() frees them.
lg_status
lg_graph_collectable(const lg_graph *graph, uint8_t **flags, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    uint8_t *found = NULL;
    lg_status status = lg__graph_collectable(graph, &found, err);
    if (status != LG_OK)
        return status;
    uint8_t *copy = malloc(nodes);
    if (copy != NULL)
        memcpy(copy, found, nodes);
    lg__free(found);
    if (copy == NULL)
        return lg__error_memory(err);
    *flags = copy;
    return LG_OK;
}

const char *
lg_cycle_kind_name(lg_cycle_kind kind)
{
    static const char *const names[] = {"collectable", "held", "uncollectable"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

// Finds what keeps the weak half of an entry, and how one half leads to the
// other.
#include "findings/weak_entries.h"

#include <stdlib.h>

uint32_t
lg__kept_referent(const lg__detection *detection, uint32_t finalizer)
{
    uint32_t reference =
        lg__detection_attribute(detection, finalizer, "weakref");
    uint32_t referent = reference == LG_NONE
                            ? LG_NONE
                            : lg__weak_referent(detection->graph, reference);
    return referent != LG_NONE &&
                   lg__detection_owns(detection, finalizer, referent)
               ? referent
               : LG_NONE;
}

// -------------------------------------------------------------------- ways ---

// A search goes breadth first. It meets few nodes, so those that were met are
// looked up in its queue.
enum { NODES_LOOKED_AT = 500, EDGES_LOOKED_AT = 5000 };

typedef struct step {
    uint32_t node;
    uint32_t before; // index of the step that led here
    uint64_t edge;
    uint32_t length;
} step;

typedef struct search {
    const lg_graph *graph;
    step *steps; // [NODES_LOOKED_AT]
    uint32_t count;
    uint32_t edges;
} search;

static bool
is_met(const search *state, uint32_t node)
{
    for (uint32_t i = 0; i < state->count; i++)
        if (state->steps[i].node == node)
            return true;
    return false;
}

static bool
is_entered(const search *state, uint64_t edge)
{
    const lg_columns *columns = &state->graph->columns;
    unsigned kind = lg__edge_kind(state->graph, edge);
    lg_category category =
        lg__node_category(state->graph, columns->edge_target[edge]);
    return !(columns->edge_kind[edge] & LG_EDGE_WEAK) && kind != LG_EDGE_TYPE &&
           kind != LG_EDGE_GLOBALS && category != LG_CATEGORY_TYPE &&
           category != LG_CATEGORY_MODULE && category != LG_CATEGORY_ATOM;
}

// Goes on from one step. Returns the index of the step that is at `to`, or the
// number of steps.
static uint32_t
go_on(search *state, uint32_t at, uint32_t to)
{
    const lg_columns *columns = &state->graph->columns;
    step from = state->steps[at];
    const lg_edge_range range = lg_columns_edges(columns, from.node);
    for (uint64_t edge = range.begin;
         edge < range.end && state->count < NODES_LOOKED_AT &&
         state->edges < EDGES_LOOKED_AT;
         edge++) {
        uint32_t target = columns->edge_target[edge];
        state->edges++;
        if (!is_entered(state, edge) || is_met(state, target))
            continue;
        state->steps[state->count++] =
            (step){target, at, edge, from.length + 1};
        if (target == to)
            return state->count - 1;
    }
    return state->count;
}

static void
take_edges(const search *state, uint32_t at, lg__way *out)
{
    out->length = state->steps[at].length;
    for (uint32_t i = out->length; i-- > 0; at = state->steps[at].before)
        out->edges[i] = state->steps[at].edge;
}

bool
lg__way_find(const lg_graph *graph, uint32_t from, uint32_t to, lg__way *out)
{
    search state = {.graph = graph,
                    .steps = lg__alloc(NODES_LOOKED_AT * sizeof(step))};
    bool found = false;
    *out = (lg__way){.length = 0};
    if (state.steps == NULL)
        return false;
    state.steps[state.count++] = (step){from, 0, 0, 0};
    for (uint32_t at = 0; at < state.count && !found; at++) {
        if (state.steps[at].length == LG__WAY_LONGEST)
            break;
        uint32_t end = go_on(&state, at, to);
        found = end < state.count && state.steps[end].node == to;
        if (found)
            take_edges(&state, end, out);
    }
    lg__free(state.steps);
    return found || from == to;
}

// The knots among what neither end of peeling took away.
#include "lift.h"

#include <stdlib.h>
#include <string.h>

typedef struct core {
    lg__lift *lift;
    uint32_t *node; // [count] ascending
    uint32_t count;
    uint64_t edge_count;
    uint32_t *source;
    uint32_t *target;
    uint32_t *component; // [count]
} core;

static bool
is_core(const lg__lift *lift, uint32_t node)
{
    return (lift->mark[node] & (LG__MARK_DONE | LG__MARK_TAINT)) ==
           LG__MARK_TAINT;
}

// Edges of the core, by places in core.node; counted only, while there is no
// room for them.
static void
list_edges(core *state)
{
    lg__lift *lift = state->lift;
    const lg_columns *columns = &lift->graph->columns;
    uint64_t count = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->node[i];
        unsigned barred = lg__lift_barred(lift, node);
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
            uint32_t target = columns->edge_target[edge];
            if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
                (lift->mark[target] & barred) || target == node ||
                !is_core(lift, target))
                continue;
            if (state->source != NULL) {
                state->source[count] = i;
                state->target[count] = lift->branch[target].jump;
            }
            count++;
        }
    }
    state->edge_count = count;
}

static lg_status
collect(core *state, lg_error *err)
{
    lg__lift *lift = state->lift;
    uint32_t nodes = lift->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        state->count += is_core(lift, node);
    state->node = malloc(state->count * sizeof(uint32_t) + 1);
    state->component = malloc(state->count * sizeof(uint32_t) + 1);
    if (state->node == NULL || state->component == NULL)
        return lg__error_memory(err);
    uint32_t count = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        if (!is_core(lift, node))
            continue;
        lift->branch[node].jump = count;
        state->node[count++] = node;
    }
    list_edges(state);
    size_t size = state->edge_count * sizeof(uint32_t) + 1;
    state->source = malloc(size);
    state->target = malloc(size);
    if (state->source == NULL || state->target == NULL)
        return lg__error_memory(err);
    list_edges(state);
    return LG_OK;
}

// Numbers the components of more than one node, in order of their first node;
// size[c] becomes the knot's number, or LG_NONE.
static void
number_knots(core *state, uint32_t *size, lg__knots *knots)
{
    memset(size, 0, state->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < state->count; i++)
        size[state->component[i]]++;
    for (uint32_t c = 0; c < state->count; c++) {
        if (size[c] > 1) {
            knots->member_count += size[c];
            knots->count++;
        }
    }
}

static bool
make_room(lg__knots *knots)
{
    size_t members = (size_t)knots->member_count + 1;
    size_t count = (size_t)knots->count + 1;
    knots->first = calloc(count + 1, sizeof(uint32_t));
    knots->member = malloc(members * sizeof(uint32_t));
    knots->knot = malloc(members * sizeof(uint32_t));
    knots->inner = malloc(members * sizeof(uint32_t));
    knots->top = malloc(count * sizeof(uint32_t));
    knots->waiting = calloc(count, sizeof(uint64_t));
    if (!knots->first || !knots->member || !knots->knot || !knots->inner ||
        !knots->top || !knots->waiting)
        return false;
    memset(knots->top, 0xff, count * sizeof(uint32_t));
    return true;
}

// Sorts the members by knot. size[c] is the component's size, then where its
// next member goes.
static void
sort_members(core *state, uint32_t *size, lg__knots *knots)
{
    lg__lift *lift = state->lift;
    uint32_t sum = 0;
    uint32_t index = 0;
    for (uint32_t c = 0; c < state->count; c++) {
        uint32_t members = size[c];
        size[c] = members > 1 ? sum : LG_NONE;
        if (members <= 1)
            continue;
        for (uint32_t i = 0; i < members; i++)
            knots->knot[sum + i] = index;
        knots->first[index++] = sum;
        sum += members;
    }
    knots->first[index] = sum;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t *next = &size[state->component[i]];
        if (*next == LG_NONE)
            continue;
        uint32_t node = state->node[i];
        lift->mark[node] |= LG__MARK_KNOT;
        lift->branch[node].jump = *next;
        knots->member[(*next)++] = node;
    }
}

static lg_status
make_knots(core *state, lg_error *err)
{
    lg__knots *knots = &state->lift->knots;
    uint32_t *size = malloc(state->count * sizeof(uint32_t) + 1);
    if (size == NULL)
        return lg__error_memory(err);
    number_knots(state, size, knots);
    bool enough = make_room(knots);
    if (enough)
        sort_members(state, size, knots);
    free(size);
    return enough ? LG_OK : lg__error_memory(err);
}

static lg_status
find_components(core *state, const lg__solver *solver, lg_error *err)
{
    lg__problem problem = {
        .node_count = state->count,
        .edge_count = state->edge_count,
        .source = state->source,
        .target = state->target,
        .monitor = state->lift->monitor,
    };
    return solver->components(&problem, state->component, err);
}

lg_status
lg__lift_untangle(lg__lift *lift, lg_error *err)
{
    core state = {.lift = lift};
    const lg__solver *solver = NULL;
    lg_status status = lg__solver_open(&solver, err);
    if (status == LG_OK)
        status = collect(&state, err);
    if (status == LG_OK)
        status = find_components(&state, solver, err);
    free(state.source);
    free(state.target);
    if (status == LG_OK)
        status = make_knots(&state, err);
    free(state.node);
    free(state.component);
    if (status == LG_OK)
        status = lg__knots_solve(lift, solver, err);
    return status;
}

void
lg__knots_free(lg__knots *knots)
{
    free(knots->first);
    free(knots->member);
    free(knots->knot);
    free(knots->inner);
    free(knots->top);
    free(knots->waiting);
    *knots = (lg__knots){0};
}

// Dominators within the knots: one problem for all of them, in which a virtual
// entry stands for everything outside.
#include "lift.h"

#include <stdlib.h>

// The entry is node 0, a member its place and 1.
typedef struct inside {
    lg__lift *lift;
    uint32_t *source;
    uint32_t *target;
    uint64_t edge_count;
    bool counting; // edges within by target, instead of listing them
    uint32_t
        *found; // [member_count + 1]: in-edges from within, then dominators
} inside;

static void
add_edge(inside *state, uint32_t source, uint32_t target)
{
    if (state->source != NULL) {
        state->source[state->edge_count] = source;
        state->target[state->edge_count] = target;
    }
    state->edge_count++;
}

static void
list_inner(inside *state, uint32_t place)
{
    lg__lift *lift = state->lift;
    const lg__knots *knots = &lift->knots;
    const lg_columns *columns = &lift->graph->columns;
    uint32_t node = knots->member[place];
    unsigned barred = lg__lift_barred(lift, node);
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) || target == node ||
            (lift->mark[target] & barred) ||
            !(lift->mark[target] & LG__MARK_KNOT))
            continue;
        uint32_t other = lift->branch[target].jump;
        if (knots->knot[other] != knots->knot[place])
            continue;
        if (state->counting)
            state->found[other + 1]++;
        else
            add_edge(state, place + 1, other + 1);
    }
}

// What has been seen of the edges into each knot, and how many are still to be.
// A knot of garbage that nothing refers to is entered everywhere.
static void
look_from_outside(inside *state)
{
    lg__lift *lift = state->lift;
    lg__knots *knots = &lift->knots;
    for (uint32_t place = 0; place < knots->member_count; place++) {
        const lg__branch *branch = &lift->branch[knots->member[place]];
        uint32_t index = knots->knot[place];
        knots->waiting[index] += branch->waiting - state->found[place + 1];
        if (branch->parent != LG_NONE)
            lg__lift_meet(lift, &knots->top[index], branch->parent);
    }
    uint32_t garbage = lg__lift_garbage(lift);
    for (uint32_t place = 0; place < knots->member_count; place++) {
        uint32_t index = knots->knot[place];
        if (knots->waiting[index] == 0 && knots->top[index] == LG_NONE)
            lift->branch[knots->member[place]].parent = garbage;
    }
    for (uint32_t index = 0; index < knots->count; index++)
        if (knots->waiting[index] == 0 && knots->top[index] == LG_NONE)
            knots->top[index] = garbage;
}

static void
list_all(inside *state)
{
    const lg__lift *lift = state->lift;
    const lg__knots *knots = &lift->knots;
    state->edge_count = 0;
    for (uint32_t place = 0; place < knots->member_count; place++) {
        const lg__branch *branch = &lift->branch[knots->member[place]];
        if (branch->parent != LG_NONE ||
            branch->waiting > state->found[place + 1])
            add_edge(state, 0, place + 1);
        list_inner(state, place);
    }
}

static lg_status
solve(inside *state, const lg__solver *solver, lg_error *err)
{
    lg__lift *lift = state->lift;
    lg__knots *knots = &lift->knots;
    size_t size = state->edge_count * sizeof(uint32_t);
    state->source = malloc(size);
    state->target = malloc(size);
    if (state->source == NULL || state->target == NULL)
        return lg__error_memory(err);
    list_all(state);
    lg__problem problem = {
        .node_count = knots->member_count + 1,
        .edge_count = state->edge_count,
        .source = state->source,
        .target = state->target,
        .monitor = lift->monitor,
    };
    lg_status status = solver->dominators(&problem, state->found, err);
    for (uint32_t i = 0; i < knots->member_count && status == LG_OK; i++)
        knots->inner[i] =
            state->found[i + 1] ? state->found[i + 1] - 1 : LG_NONE;
    return status;
}

lg_status
lg__knots_solve(lg__lift *lift, const lg__solver *solver, lg_error *err)
{
    inside state = {.lift = lift};
    uint32_t members = lift->knots.member_count;
    if (members == 0)
        return LG_OK;
    state.found = calloc((size_t)members + 1, sizeof(uint32_t));
    if (state.found == NULL)
        return lg__error_memory(err);
    state.counting = true;
    for (uint32_t place = 0; place < members; place++)
        list_inner(&state, place);
    state.counting = false;
    look_from_outside(&state);
    list_all(&state);
    lg_status status = solve(&state, solver, err);
    free(state.source);
    free(state.target);
    free(state.found);
    return status;
}

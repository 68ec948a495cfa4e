// Dominators within the knots: reducible ones here, all the others in one
// problem for igraph, in which node 0 stands for everything outside.
#include "inner.h"

#include <stdlib.h>
#include <string.h>

typedef struct inside {
    lg__lift *lift;
    lg__inner inner;
    uint64_t edge_count;
} inside;

// Shows each edge from a member to another of its knot; counts only, while
// there is no room for them.
static void
list_edges(inside *state, uint32_t place)
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
        if (state->inner.target != NULL) {
            state->inner.target[state->edge_count] = other;
            state->inner.within[other]++;
        }
        state->edge_count++;
    }
}

static lg_status
list_inner(inside *state, lg_error *err)
{
    lg__inner *inner = &state->inner;
    uint32_t members = state->lift->knots.member_count;
    inner->first = malloc(((size_t)members + 1) * sizeof(uint64_t));
    inner->within = calloc(members, sizeof(uint32_t));
    inner->entry = malloc(members);
    if (!inner->first || !inner->within || !inner->entry)
        return lg__error_memory(err);
    for (uint32_t place = 0; place < members; place++)
        list_edges(state, place);
    inner->target = malloc(state->edge_count * sizeof(uint32_t));
    if (inner->target == NULL)
        return lg__error_memory(err);
    state->edge_count = 0;
    for (uint32_t place = 0; place < members; place++) {
        inner->first[place] = state->edge_count;
        list_edges(state, place);
    }
    inner->first[members] = state->edge_count;
    return LG_OK;
}

// What has been seen of the edges into each knot, and how many are still to be.
// A knot of garbage that nothing refers to is entered everywhere.
static void
look_from_outside(inside *state)
{
    lg__lift *lift = state->lift;
    lg__knots *knots = &lift->knots;
    uint32_t garbage = lg__lift_garbage(lift);
    for (uint32_t place = 0; place < knots->member_count; place++) {
        const lg__branch *branch = &lift->branch[knots->member[place]];
        uint32_t index = knots->knot[place];
        uint32_t unseen = branch->waiting - state->inner.within[place];
        state->inner.entry[place] = branch->parent != LG_NONE || unseen > 0;
        knots->waiting[index] += unseen;
        if (branch->parent != LG_NONE)
            lg__lift_meet(lift, &knots->top[index], branch->parent);
    }
    for (uint32_t index = 0; index < knots->count; index++) {
        if (knots->waiting[index] > 0 || knots->top[index] != LG_NONE)
            continue;
        knots->top[index] = garbage;
        for (uint32_t place = knots->first[index];
             place < knots->first[index + 1]; place++) {
            lift->branch[knots->member[place]].parent = garbage;
            state->inner.entry[place] = true;
        }
    }
}

// The knots that igraph is to solve, as one graph.
typedef struct rest {
    const lg__inner *inner;
    lg__knots *knots;
    uint32_t *number; // [member_count] node of the problem; 0: solved already
    lg__problem problem;
    uint32_t *source;
    uint32_t *target;
} rest;

static void
number_members(rest *state, uint32_t knot)
{
    lg__problem *problem = &state->problem;
    for (uint32_t place = state->knots->first[knot];
         place < state->knots->first[knot + 1]; place++) {
        state->number[place] = problem->node_count++;
        problem->edge_count += state->inner->first[place + 1] -
                               state->inner->first[place] +
                               state->inner->entry[place];
    }
}

static void
list_problem(rest *state)
{
    const lg__inner *inner = state->inner;
    uint64_t count = 0;
    for (uint32_t place = 0; place < state->knots->member_count; place++) {
        if (state->number[place] == 0)
            continue;
        if (inner->entry[place]) {
            state->source[count] = 0;
            state->target[count++] = state->number[place];
        }
        for (uint64_t edge = inner->first[place];
             edge < inner->first[place + 1]; edge++) {
            state->source[count] = state->number[place];
            state->target[count++] = state->number[inner->target[edge]];
        }
    }
}

// By number, the dominators come back; by number, the places are found.
static lg_status
ask_igraph(rest *state, const lg__solver *solver, lg_error *err)
{
    lg__problem *problem = &state->problem;
    lg__knots *knots = state->knots;
    uint32_t *found = malloc(problem->node_count * sizeof *found);
    uint32_t *place_of = malloc(problem->node_count * sizeof *place_of);
    state->source = malloc(problem->edge_count * sizeof(uint32_t));
    state->target = malloc(problem->edge_count * sizeof(uint32_t));
    lg_status status = LG_ENOMEM;
    if (found && place_of && state->source && state->target) {
        list_problem(state);
        problem->source = state->source;
        problem->target = state->target;
        status = solver->dominators(problem, found, err);
    } else {
        lg__error_memory(err);
    }
    if (status == LG_OK) {
        place_of[0] = LG_NONE;
        for (uint32_t place = 0; place < knots->member_count; place++)
            if (state->number[place] > 0)
                place_of[state->number[place]] = place;
        for (uint32_t i = 1; i < problem->node_count; i++)
            knots->inner[place_of[i]] = place_of[found[i]];
    }
    free(found);
    free(place_of);
    free(state->source);
    free(state->target);
    return status;
}

static lg_status
solve(inside *state, const lg__solver *solver, lg_error *err)
{
    lg__knots *knots = &state->lift->knots;
    lg__reducer reducer;
    rest left = {
        .inner = &state->inner,
        .knots = knots,
        .number = calloc(knots->member_count, sizeof(uint32_t)),
        .problem = {.node_count = 1, .monitor = state->lift->monitor},
    };
    lg_status status = lg__reducer_new(&reducer, &state->inner, knots, err);
    if (status == LG_OK && left.number == NULL)
        status = lg__error_memory(err);
    for (uint32_t knot = 0; knot < knots->count && status == LG_OK; knot++)
        if (!lg__reducer_solve(&reducer, knot))
            number_members(&left, knot);
    lg__reducer_free(&reducer);
    if (status == LG_OK && left.problem.node_count > 1)
        status = ask_igraph(&left, solver, err);
    free(left.number);
    return status;
}

lg_status
lg__knots_solve(lg__lift *lift, const lg__solver *solver, lg_error *err)
{
    inside state = {.lift = lift};
    if (lift->knots.count == 0)
        return LG_OK;
    lg_status status = list_inner(&state, err);
    if (status == LG_OK) {
        look_from_outside(&state);
        status = solve(&state, solver, err);
    }
    free(state.inner.first);
    free(state.inner.target);
    free(state.inner.within);
    free(state.inner.entry);
    return status;
}

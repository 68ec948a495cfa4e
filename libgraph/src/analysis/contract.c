// Who adopts whom. While this lasts, a node's place is the index of the knot
// with several doors that it is in, or of the one that adopts it.
#include "analysis/contract.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const lg__lift *lift;
    lg__branch *knot;
    uint32_t none; // the last knot
    bool roots[2]; // whether the super-root, or that of garbage, is a top
} search;

static const lg__knot_span *
knots(const lg__lift *lift)
{
    return lift->knots.data;
}

static bool
has_many_doors(const lg__lift *lift, uint32_t k)
{
    return lift->mark[lift->order[knots(lift)[k].begin]] & LG__MARK_MANY;
}

// The dominators of knots with several doors.
static uint32_t
mark_tops(search *state)
{
    const lg__lift *lift = state->lift;
    uint32_t root = lg__lift_root(lift);
    uint32_t count = 0;
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t first = lift->order[knots(lift)[k].begin];
        uint32_t top = lift->branch[first].parent;
        if (!has_many_doors(lift, k))
            continue;
        count++;
        if (top < root)
            lift->mark[top] |= LG__MARK_TOP;
        else
            state->roots[top - root] = true;
    }
    return count;
}

// Candidates: what could be adopted, and doors of knots that could be. All that
// refers to them is late.
static void
mark_candidates(search *state)
{
    const lg__lift *lift = state->lift;
    uint32_t root = lg__lift_root(lift);
    for (uint32_t node = 0; node < root; node++) {
        uint8_t *mark = &lift->mark[node];
        uint32_t top = lift->branch[node].parent;
        bool below = top < root ? lift->mark[top] & LG__MARK_TOP
                                : state->roots[top - root];
        bool inner = *mark & LG__MARK_INNER;
        lift->place[node] = LG_NONE;
        *mark &= (uint8_t)~LG__MARK_CANDIDATE;
        if (below && !inner && !(*mark & LG__MARK_EARLY))
            *mark |= LG__MARK_CANDIDATE;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        lg__knot_span knot = knots(lift)[k];
        if (!has_many_doors(lift, k))
            continue;
        state->knot[k].parent = knot.early ? state->none : LG_NONE;
        for (uint32_t i = knot.begin; i < knot.end; i++) {
            uint32_t member = lift->order[i];
            lift->place[member] = k;
            if (knot.early)
                lift->mark[member] &= (uint8_t)~LG__MARK_CANDIDATE;
        }
    }
}

// The knot that holds a node whose dominator is `top`: its own, unless `top` is
// of that one too, or the one that adopts it, or none.
static uint32_t
holder(const search *state, uint32_t node, uint32_t top)
{
    const lg__lift *lift = state->lift;
    uint32_t by = lift->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE)
                      ? lift->place[node]
                      : state->none;
    return top < lg__lift_root(lift) && lift->place[top] == by ? state->none
                                                               : by;
}

// A late node refers to a candidate.
static void
show_edge(const search *state, uint32_t node, uint32_t target)
{
    const lg__lift *lift = state->lift;
    uint32_t top = lift->branch[target].parent;
    bool many = lift->mark[target] & LG__MARK_MANY;
    uint32_t own = many ? lift->place[target] : LG_NONE;
    uint32_t *known = many ? &state->knot[own].parent : &lift->place[target];
    uint32_t by = state->none;
    if (node != top) {
        uint32_t below = lg__branch_ancestor(lift->branch, node,
                                             lift->branch[top].depth + 1);
        if (below == target)
            return;
        by = holder(state, below, top);
    }
    if (by == own || *known == by || *known == state->none)
        return;
    *known = *known == LG_NONE ? by : lg__branch_meet(state->knot, *known, by);
}

static void
show_edges(const search *state, uint32_t node)
{
    const lg__lift *lift = state->lift;
    const lg_columns *columns = &lift->graph->columns;
    unsigned asked = lg__lift_barred(lift, node) | LG__MARK_CANDIDATE;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((lift->mark[target] & asked) == LG__MARK_CANDIDATE &&
            !(columns->edge_kind[edge] & LG_EDGE_WEAK))
            show_edge(state, node, target);
    }
}

static lg_status
search_all(const search *state, lg_error *err)
{
    const lg__lift *lift = state->lift;
    uint32_t nodes = lift->graph->columns.node_count;
    uint32_t left = state->none;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = lift->order[i];
        if (left > 0 && knots(lift)[left - 1].begin == i &&
            has_many_doors(lift, --left))
            lg__branch_settle(state->knot, left);
        if (!(lift->mark[node] & LG__MARK_EARLY))
            show_edges(state, node);
        if (!lg__lift_goes_on(lift, "weighing knots", i, nodes, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// A knot is listed by its first member, and so is the one that adopts.
static bool
list_adopted(const search *state, lg_analysis *analysis)
{
    const lg__lift *lift = state->lift;
    const uint32_t *order = lift->order;
    for (uint32_t node = 0; node < lg__lift_root(lift); node++) {
        unsigned mark = lift->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE);
        uint32_t by = lift->place[node];
        if (mark == LG__MARK_CANDIDATE && by != state->none &&
            !lg__adopted_add(analysis, node, order[knots(lift)[by].begin]))
            return false;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t by = state->knot[k].parent;
        if (has_many_doors(lift, k) && by != state->none &&
            !lg__adopted_add(analysis, order[knots(lift)[k].begin],
                             order[knots(lift)[by].begin]))
            return false;
    }
    lg__adopted_sort(analysis);
    return true;
}

lg_status
lg__contraction_new(lg_analysis *analysis, lg__lift *lift, lg__contraction *out,
                    lg_error *err)
{
    uint32_t count = (uint32_t)lift->knots.count;
    *out = (lg__contraction){
        .lift = lift,
        .count = count,
        .knot = malloc(((size_t)count + 1) * sizeof *out->knot),
    };
    if (out->knot == NULL)
        return lg__error_memory(err);
    search state = {.lift = lift, .knot = out->knot, .none = count};
    for (uint32_t k = 0; k <= count; k++)
        out->knot[k] = (lg__branch){count, count, 0};
    if (mark_tops(&state) == 0)
        return LG_OK;
    mark_candidates(&state);
    lg_status status = search_all(&state, err);
    if (status == LG_OK && !list_adopted(&state, analysis))
        status = lg__error_memory(err);
    return status;
}

// All that a knot holds is held by the members whose dominator it has, or by
// what it adopts: knots come before those that adopt them.
void
lg__contraction_weigh(const lg__contraction *state, const lg_analysis *analysis,
                      uint32_t device, uint64_t *bytes)
{
    const lg__lift *lift = state->lift;
    const lg__adoption *adopted = analysis->adopted.data;
    memset(bytes, 0, state->count * sizeof *bytes);
    for (size_t i = 0; i < analysis->adopted.count; i++)
        if (!(lift->mark[adopted[i].node] & LG__MARK_MANY))
            bytes[lift->place[adopted[i].by]] +=
                lg__dominated_on(analysis, adopted[i].node, device);
    for (uint32_t k = 0; k < state->count; k++) {
        lg__knot_span knot = knots(lift)[k];
        uint32_t top = analysis->dominator[lift->order[knot.begin]];
        for (uint32_t i = knot.begin; i < knot.end; i++)
            if (analysis->dominator[lift->order[i]] == top)
                bytes[k] += lg__dominated_on(analysis, lift->order[i], device);
        if (state->knot[k].parent != state->count)
            bytes[state->knot[k].parent] += bytes[k];
    }
}

void
lg__contraction_free(lg__contraction *state)
{
    free(state->knot);
}

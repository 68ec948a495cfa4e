// Finds which component dominates which nodes collectively. Meanwhile, a node's
// place is the index of its component with several entries, or of the component
// that dominates it collectively.
#include "analysis/contract.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const lg__dominator_builder *building;
    lg__branch *component;
    uint32_t none; // the component that means none
    bool roots[2]; // whether the super-root, or the root of garbage, is a top
} search;

static const lg__component_span *
components(const lg__dominator_builder *building)
{
    return building->components.data;
}

static bool
has_many_entries(const lg__dominator_builder *building, uint32_t k)
{
    return building->mark[building->order[components(building)[k].begin]] &
           LG__MARK_MANY;
}

// Marks the dominators of components with several entries. Returns the number
// of such components.
static uint32_t
mark_tops(search *state)
{
    const lg__dominator_builder *building = state->building;
    uint32_t root = lg__dominators_root(building);
    uint32_t count = 0;
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t first = building->order[components(building)[k].begin];
        uint32_t top = building->branch[first].parent;
        if (!has_many_entries(building, k))
            continue;
        count++;
        if (top < root)
            building->mark[top] |= LG__MARK_TOP;
        else
            state->roots[top - root] = true;
    }
    return count;
}

// Marks candidates: entries of components with several entries, and nodes that
// such a component may dominate collectively. Only late nodes refer to a
// candidate.
static void
mark_candidates(search *state)
{
    const lg__dominator_builder *building = state->building;
    uint32_t root = lg__dominators_root(building);
    for (uint32_t node = 0; node < root; node++) {
        uint8_t *mark = &building->mark[node];
        uint32_t top = building->branch[node].parent;
        bool below = top < root ? building->mark[top] & LG__MARK_TOP
                                : state->roots[top - root];
        bool inner = *mark & LG__MARK_INNER;
        building->place[node] = LG_NONE;
        *mark &= (uint8_t)~LG__MARK_CANDIDATE;
        if (below && !inner && !(*mark & LG__MARK_EARLY))
            *mark |= LG__MARK_CANDIDATE;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        lg__component_span component = components(building)[k];
        if (!has_many_entries(building, k))
            continue;
        state->component[k].parent = component.early ? state->none : LG_NONE;
        for (uint32_t i = component.begin; i < component.end; i++) {
            uint32_t member = building->order[i];
            building->place[member] = k;
            if (component.early)
                building->mark[member] &= (uint8_t)~LG__MARK_CANDIDATE;
        }
    }
}

// Returns the component that holds a node whose dominator is `top`: the node's
// own component, unless it contains `top`; else the component that dominates
// the node collectively, or none.
static uint32_t
holder(const search *state, uint32_t node, uint32_t top)
{
    const lg__dominator_builder *building = state->building;
    uint32_t by = building->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE)
                      ? building->place[node]
                      : state->none;
    return top < lg__dominators_root(building) && building->place[top] == by
               ? state->none
               : by;
}

// Records an edge from a late node to a candidate.
static void
show_edge(const search *state, uint32_t node, uint32_t target)
{
    const lg__dominator_builder *building = state->building;
    uint32_t top = building->branch[target].parent;
    bool many = building->mark[target] & LG__MARK_MANY;
    uint32_t own = many ? building->place[target] : LG_NONE;
    uint32_t *known =
        many ? &state->component[own].parent : &building->place[target];
    uint32_t by = state->none;
    if (node != top) {
        uint32_t below = lg__branch_ancestor(building->branch, node,
                                             building->branch[top].depth + 1);
        if (below == target)
            return;
        by = holder(state, below, top);
    }
    if (by == own || *known == by || *known == state->none)
        return;
    *known =
        *known == LG_NONE ? by : lg__branch_meet(state->component, *known, by);
}

static void
show_edges(const search *state, uint32_t node)
{
    const lg__dominator_builder *building = state->building;
    const lg_columns *columns = &building->graph->columns;
    unsigned asked = lg__dominators_barred(building, node) | LG__MARK_CANDIDATE;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((building->mark[target] & asked) == LG__MARK_CANDIDATE &&
            !(columns->edge_kind[edge] & LG_EDGE_WEAK))
            show_edge(state, node, target);
    }
}

static lg_status
search_all(const search *state, lg_error *err)
{
    const lg__dominator_builder *building = state->building;
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t left = state->none;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = building->order[i];
        if (left > 0 && components(building)[left - 1].begin == i &&
            has_many_entries(building, --left))
            lg__branch_settle(state->component, left);
        if (!(building->mark[node] & LG__MARK_EARLY))
            show_edges(state, node);
        if (!lg__dominators_goes_on(building, "weighing components", i, nodes,
                                    err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// Adds a component that dominates another. The first member of a component
// represents it in both columns.
static bool
list_collective(const search *state, lg_analysis *analysis)
{
    const lg__dominator_builder *building = state->building;
    const uint32_t *order = building->order;
    for (uint32_t node = 0; node < lg__dominators_root(building); node++) {
        unsigned mark =
            building->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE);
        uint32_t by = building->place[node];
        if (mark == LG__MARK_CANDIDATE && by != state->none &&
            !lg__collective_add(analysis, node,
                                order[components(building)[by].begin]))
            return false;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t by = state->component[k].parent;
        if (has_many_entries(building, k) && by != state->none &&
            !lg__collective_add(analysis, order[components(building)[k].begin],
                                order[components(building)[by].begin]))
            return false;
    }
    lg__collective_sort(analysis);
    return true;
}

lg_status
lg__contraction_new(lg_analysis *analysis, lg__dominator_builder *building,
                    lg__contraction *out, lg_error *err)
{
    uint32_t count = (uint32_t)building->components.count;
    *out = (lg__contraction){
        .building = building,
        .count = count,
        .component =
            lg__wide_alloc(((size_t)count + 1) * sizeof *out->component),
    };
    if (out->component == NULL)
        return lg__error_memory(err);
    search state = {
        .building = building, .component = out->component, .none = count};
    for (uint32_t k = 0; k <= count; k++)
        out->component[k] = (lg__branch){count, count, 0};
    if (mark_tops(&state) == 0)
        return LG_OK;
    mark_candidates(&state);
    lg_status status = search_all(&state, err);
    if (status == LG_OK && !list_collective(&state, analysis))
        status = lg__error_memory(err);
    return status;
}

// Adds up what components hold: what is below the members that have the
// component's dominator, and below what it dominates collectively. Each
// component comes before those that dominate it.
void
lg__contraction_weigh(const lg__contraction *state, const lg_analysis *analysis,
                      uint32_t device, uint64_t *bytes)
{
    const lg__dominator_builder *building = state->building;
    const lg__collective *collective = analysis->collective.data;
    memset(bytes, 0, state->count * sizeof *bytes);
    for (size_t i = 0; i < analysis->collective.count; i++)
        if (!(building->mark[collective[i].node] & LG__MARK_MANY))
            bytes[building->place[collective[i].by]] +=
                lg__dominated_on(analysis, collective[i].node, device);
    for (uint32_t k = 0; k < state->count; k++) {
        lg__component_span component = components(building)[k];
        uint32_t top = analysis->dominator[building->order[component.begin]];
        for (uint32_t i = component.begin; i < component.end; i++)
            if (analysis->dominator[building->order[i]] == top)
                bytes[k] +=
                    lg__dominated_on(analysis, building->order[i], device);
        if (state->component[k].parent != state->count)
            bytes[state->component[k].parent] += bytes[k];
    }
}

void
lg__contraction_free(lg__contraction *state)
{
    lg__wide_free(state->component);
}

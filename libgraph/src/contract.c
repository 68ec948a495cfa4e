// Knots with several doors, contracted: the first member of each stands for it.
// While this lasts, a late node's place is that of the one that stands for it,
// among the late nodes.
#include "contract.h"

#include <stdlib.h>
#include <string.h>

static bool
is_late(const lg__lift *lift, uint32_t node)
{
    return node < lg__lift_root(lift) && !(lift->mark[node] & LG__MARK_EARLY);
}

static void
list_late(lg__contraction *state)
{
    lg__lift *lift = state->lift;
    uint32_t count = 0;
    for (uint32_t i = 0; i < lift->graph->columns.node_count; i++) {
        uint32_t node = lift->order[i];
        if (!is_late(lift, node))
            continue;
        if (state->late != NULL) {
            state->late[count] = node;
            lift->place[node] = count;
        }
        count++;
    }
    state->count = count;
}

// Dominators that are still to be found become LG_NONE. Not among them are
// those of inner members, which lie in their knots, and of knots to which
// something early refers, and thus nothing late dominates.
static void
begin(const lg__contraction *state)
{
    const lg__lift *lift = state->lift;
    const lg__span *knots = lift->knots.data;
    for (uint32_t i = 0; i < state->count; i++)
        if (!(lift->mark[state->late[i]] & (LG__MARK_MANY | LG__MARK_INNER)))
            lift->branch[state->late[i]].parent = LG_NONE;
    for (size_t k = 0; k < lift->knots.count; k++) {
        const uint32_t *order = lift->order;
        uint32_t leader = order[knots[k].begin];
        if (!(lift->mark[leader] & LG__MARK_MANY))
            continue;
        for (uint32_t i = knots[k].begin; i < knots[k].end; i++)
            lift->place[order[i]] = lift->place[leader];
        if (!knots[k].early)
            lift->branch[leader].parent = LG_NONE;
    }
}

// Edges to inner members stay within a knot. One within a knot to its only door
// changes nothing: the door dominates its source.
static void
show_edges(const lg__contraction *state, uint32_t node, uint32_t leader)
{
    const lg__lift *lift = state->lift;
    const lg_columns *columns = &lift->graph->columns;
    unsigned barred =
        lg__lift_barred(lift, node) | LG__MARK_EARLY | LG__MARK_INNER;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (lift->mark[target] & barred))
            continue;
        uint32_t other = state->late[lift->place[target]];
        if (other != leader)
            lg__lift_meet(lift, &lift->branch[other].parent, leader);
    }
}

static lg_status
contract(const lg__contraction *state, lg_error *err)
{
    const lg__lift *lift = state->lift;
    begin(state);
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t leader = state->late[lift->place[node]];
        if (leader == node)
            lg__branch_settle(lift->branch, node);
        show_edges(state, node, leader);
        if (!lg__lift_goes_on(lift, "weighing knots", i, state->count, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// What a knot dominates only as a whole: the tree knows another dominator.
static bool
list_adopted(const lg__contraction *state, lg_analysis *analysis)
{
    const lg__lift *lift = state->lift;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t by = lift->branch[node].parent;
        uint32_t known = analysis->dominator[node];
        bool held = lift->place[node] == i && is_late(lift, by) &&
                    (lift->mark[by] & LG__MARK_MANY);
        bool alone =
            is_late(lift, known) && lift->place[known] == lift->place[by];
        if (held && !alone && !lg__adopted_add(analysis, node, by))
            return false;
    }
    lg__adopted_sort(analysis);
    return true;
}

lg_status
lg__contraction_new(lg_analysis *analysis, lg__lift *lift, lg__contraction *out,
                    lg_error *err)
{
    *out = (lg__contraction){.lift = lift};
    list_late(out);
    if (out->count == 0)
        return LG_OK;
    out->late = lg__wide_alloc(out->count * sizeof *out->late);
    out->bytes = lg__wide_alloc(out->count * sizeof *out->bytes);
    if (out->late == NULL || out->bytes == NULL)
        return lg__error_memory(err);
    list_late(out);
    lg_status status = contract(out, err);
    if (status == LG_OK && !list_adopted(out, analysis))
        status = lg__error_memory(err);
    return status;
}

void
lg__contraction_weigh(lg__contraction *state, uint32_t device)
{
    const lg__lift *lift = state->lift;
    const lg_graph *graph = lift->graph;
    if (state->count > 0)
        memset(state->bytes, 0, state->count * sizeof *state->bytes);
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        if (lg_node_device(graph, node) == device)
            state->bytes[lift->place[node]] += lg_node_size(graph, node);
    }
    for (uint32_t i = state->count; i-- > 0;) {
        uint32_t node = state->late[i];
        uint32_t parent = lift->branch[node].parent;
        if (lift->place[node] == i && is_late(lift, parent))
            state->bytes[lift->place[parent]] += state->bytes[i];
    }
}

uint64_t
lg__contraction_bytes(const lg__contraction *state, const lg__span *knot)
{
    const lg__lift *lift = state->lift;
    return state->bytes[lift->place[lift->order[knot->begin]]];
}

void
lg__contraction_free(lg__contraction *state)
{
    free(state->late);
    free(state->bytes);
}

// What each knot retains: the dominators of the policy graph with every knot
// contracted to one node.
//
// Nodes that were settled before any knot have the same dominators there. The
// others are gone through in the order in which they were settled, in which the
// members of a knot stand together: the first of them stands for the knot.
#include "retained.h"

#include <stdlib.h>
#include <string.h>

// A late node's branch has in `waiting` 1 and the place, among the late ones,
// of the node that stands for it; an early node's has 0.
typedef struct contraction {
    lg__lift *lift;
    const uint32_t *late; // the late nodes, in order
    uint32_t count;
    uint32_t *leader; // [knots] place of its first member
    uint64_t *bytes;  // [count] retained by the one at that place
} contraction;

static uint32_t
place_of(const contraction *state, uint32_t node)
{
    return state->lift->branch[node].waiting - 1;
}

static bool
is_late(const contraction *state, uint32_t node)
{
    return state->lift->branch[node].waiting > 0;
}

static void
appoint(contraction *state)
{
    const lg__knots *knots = &state->lift->knots;
    lg__branch *branch = state->lift->branch;
    for (uint32_t i = 0; i < knots->member_count; i++)
        branch[knots->member[i]].waiting = knots->knot[i];
    memset(state->leader, 0xff, knots->count * sizeof(uint32_t));
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t place = i;
        if (state->lift->mark[node] & LG__MARK_KNOT) {
            uint32_t *leader = &state->leader[branch[node].waiting];
            if (*leader == LG_NONE)
                *leader = i;
            place = *leader;
        }
        branch[node].waiting = place + 1;
    }
}

// Back to what the early nodes had shown.
static void
begin(contraction *state)
{
    lg__lift *lift = state->lift;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t leader = state->late[place_of(state, node)];
        uint32_t known = lift->stalled[node];
        if (leader == node)
            lift->branch[node].parent = known;
        else if (known != LG_NONE)
            lg__lift_meet(lift, &lift->branch[leader].parent, known);
    }
}

static void
show_edges(contraction *state, uint32_t node, uint32_t leader)
{
    lg__lift *lift = state->lift;
    const lg_columns *columns = &lift->graph->columns;
    unsigned barred = lg__lift_barred(lift, node);
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (lift->mark[target] & barred))
            continue;
        uint32_t other = state->late[place_of(state, target)];
        if (other != leader)
            lg__lift_meet(lift, &lift->branch[other].parent, leader);
    }
}

static lg_status
contract(contraction *state, lg_error *err)
{
    const uint32_t often = (1 << 16) - 1;
    lg__lift *lift = state->lift;
    begin(state);
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t leader = state->late[place_of(state, node)];
        if (leader == node) {
            if (lift->branch[node].parent == LG_NONE)
                lift->branch[node].parent = lg__lift_garbage(lift);
            lg__branch_settle(lift->branch, node);
        }
        show_edges(state, node, leader);
        if ((i & often) == often &&
            !lg__monitor_goes_on(lift->monitor, "weighing knots",
                                 (double)i / state->count, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// What a knot dominates only as a whole: the tree knows another dominator.
static bool
list_adopted(const contraction *state, lg_analysis *analysis)
{
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        uint32_t by = state->lift->branch[node].parent;
        uint32_t known = analysis->dominator[node];
        if (place_of(state, node) != i || by >= lg__lift_root(state->lift) ||
            !(state->lift->mark[by] & LG__MARK_KNOT) ||
            (is_late(state, known) &&
             place_of(state, known) == place_of(state, by)))
            continue;
        if (!lg__adopted_add(analysis, node, by))
            return false;
    }
    lg__adopted_sort(analysis);
    return true;
}

static void
sum_up(contraction *state, uint32_t device)
{
    const lg_graph *graph = state->lift->graph;
    const lg__branch *branch = state->lift->branch;
    memset(state->bytes, 0, state->count * sizeof *state->bytes);
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t node = state->late[i];
        if (lg_node_device(graph, node) == device)
            state->bytes[place_of(state, node)] += lg_node_size(graph, node);
    }
    for (uint32_t i = state->count; i-- > 0;) {
        uint32_t node = state->late[i];
        uint32_t parent = branch[node].parent;
        if (place_of(state, node) == i && is_late(state, parent))
            state->bytes[place_of(state, parent)] += state->bytes[i];
    }
}

// Weighed but not sorted yet: the knots of the lift, then the nodes that refer
// to themselves and are in no other.
typedef struct weighed {
    uint64_t all; // host and devices
    uint64_t host;
    uint32_t index; // before sorting; those of the lift's knots come first
    uint32_t node;  // the first member
} weighed;

static int
compare_weighed(const void *left, const void *right)
{
    const weighed *a = left;
    const weighed *b = right;
    if (a->all != b->all)
        return a->all > b->all ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static lg_status
weigh(contraction *state, lg_analysis *analysis, weighed *items, lg_error *err)
{
    const lg__knots *knots = &state->lift->knots;
    state->leader = malloc(knots->count * sizeof(uint32_t));
    state->bytes = malloc(state->count * sizeof(uint64_t));
    if (state->leader == NULL || state->bytes == NULL)
        return lg__error_memory(err);
    appoint(state);
    lg_status status = contract(state, err);
    if (status != LG_OK)
        return status;
    if (!list_adopted(state, analysis))
        return lg__error_memory(err);
    uint32_t devices =
        analysis->device.count > 0 ? analysis->graph->device_count : 0;
    for (uint32_t device = 0; device <= devices; device++) {
        sum_up(state, device);
        for (uint32_t k = 0; k < knots->count; k++) {
            uint64_t bytes = state->bytes[state->leader[k]];
            items[k].all += bytes;
            items[k].index = k;
            items[k].node = knots->member[knots->first[k]];
            if (device == 0)
                items[k].host = bytes;
            else if (!lg__on_device_add(&analysis->knot_device, device, k,
                                        bytes))
                return lg__error_memory(err);
        }
    }
    return LG_OK;
}

static uint32_t
count_alone(const lg__lift *lift)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < lift->graph->columns.node_count; node++)
        count += (lift->mark[node] & (LG__MARK_SELF | LG__MARK_KNOT)) ==
                 LG__MARK_SELF;
    return count;
}

static bool
list_alone(lg_analysis *analysis, const lg__lift *lift, weighed *items)
{
    uint32_t devices =
        analysis->device.count > 0 ? analysis->graph->device_count : 0;
    uint32_t count = lift->knots.count;
    for (uint32_t node = 0; node < lift->graph->columns.node_count; node++) {
        if ((lift->mark[node] & (LG__MARK_SELF | LG__MARK_KNOT)) !=
            LG__MARK_SELF)
            continue;
        items[count] = (weighed){lg__retained_by(analysis, node),
                                 analysis->host[node], count, node};
        for (uint32_t device = 1; device <= devices; device++)
            if (!lg__on_device_add(
                    &analysis->knot_device, device, count,
                    lg__on_device_find(&analysis->device, device, node)))
                return false;
        count++;
    }
    return true;
}

static int
compare_members(const void *left, const void *right)
{
    const lg__member *a = left;
    const lg__member *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

void
lg__knots_list(lg_analysis *analysis)
{
    uint32_t members = analysis->knot_first[analysis->knot_count];
    for (uint32_t k = 0; k < analysis->knot_count; k++)
        for (uint32_t i = analysis->knot_first[k];
             i < analysis->knot_first[k + 1]; i++)
            analysis->member[i] = (lg__member){analysis->knot_node[i], k};
    qsort(analysis->member, members, sizeof *analysis->member, compare_members);
}

static int
compare_on_device(const void *left, const void *right)
{
    const lg__on_device *a = left;
    const lg__on_device *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void
fill(lg_analysis *analysis, const lg__lift *lift, const weighed *items)
{
    const lg__knots *knots = &lift->knots;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < analysis->knot_count; k++) {
        uint32_t index = items[k].index;
        bool alone = index >= knots->count;
        const uint32_t *nodes =
            alone ? &items[k].node : knots->member + knots->first[index];
        uint32_t count =
            alone ? 1 : knots->first[index + 1] - knots->first[index];
        analysis->knot_first[k] = sum;
        analysis->knot_host[k] = items[k].host;
        memcpy(analysis->knot_node + sum, nodes, count * sizeof *nodes);
        sum += count;
    }
    analysis->knot_first[analysis->knot_count] = sum;
}

// The bytes on devices were noted by the knots' indexes before sorting.
static bool
renumber(lg_analysis *analysis, const weighed *items)
{
    lg__on_device *entries = analysis->knot_device.data;
    size_t count = analysis->knot_device.count;
    if (count == 0)
        return true;
    uint32_t *place = malloc(analysis->knot_count * sizeof *place);
    if (place == NULL)
        return false;
    for (uint32_t k = 0; k < analysis->knot_count; k++)
        place[items[k].index] = k;
    for (size_t i = 0; i < count; i++)
        entries[i].node = place[entries[i].node];
    free(place);
    qsort(entries, count, sizeof *entries, compare_on_device);
    return true;
}

static lg_status
collect(contraction *state, lg_analysis *analysis, weighed *items,
        lg_error *err)
{
    lg__lift *lift = state->lift;
    lg_status status = LG_OK;
    if (lift->knots.count > 0)
        status = weigh(state, analysis, items, err);
    if (status == LG_OK && !list_alone(analysis, lift, items))
        status = lg__error_memory(err);
    if (status != LG_OK)
        return status;
    qsort(items, analysis->knot_count, sizeof *items, compare_weighed);
    if (!renumber(analysis, items))
        return lg__error_memory(err);
    fill(analysis, lift, items);
    lg__knots_list(analysis);
    return LG_OK;
}

lg_status
lg__knots_keep(lg_analysis *analysis, lg__lift *lift, lg_error *err)
{
    uint32_t alone = count_alone(lift);
    uint32_t count = lift->knots.count + alone;
    size_t members = (size_t)lift->knots.member_count + alone;
    contraction state = {
        .lift = lift,
        .late = lift->order + lift->before_knots,
        .count = lift->settled - lift->before_knots,
    };
    weighed *items = calloc((size_t)count + 1, sizeof *items);
    analysis->knot_count = count;
    analysis->knot_first = malloc(((size_t)count + 1) * sizeof(uint32_t));
    analysis->knot_host = malloc(((size_t)count + 1) * sizeof(uint64_t));
    analysis->knot_node = malloc((members + 1) * sizeof(uint32_t));
    analysis->member = malloc((members + 1) * sizeof(lg__member));
    lg_status status = LG_ENOMEM;
    if (items && analysis->knot_first && analysis->knot_host &&
        analysis->knot_node && analysis->member)
        status = collect(&state, analysis, items, err);
    else
        lg__error_memory(err);
    free(items);
    free(state.leader);
    free(state.bytes);
    return status;
}

uint32_t
lg_analysis_knot_count(const lg_analysis *analysis)
{
    return analysis->knot_count;
}

uint32_t
lg_node_knot(const lg_analysis *analysis, uint32_t node)
{
    uint32_t low = 0;
    uint32_t high = analysis->knot_first[analysis->knot_count];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (analysis->member[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < analysis->knot_first[analysis->knot_count] &&
                   analysis->member[low].node == node
               ? analysis->member[low].knot
               : LG_NONE;
}

uint64_t
lg_knot_retained_on(const lg_analysis *analysis, uint32_t knot, uint32_t device)
{
    if (device == 0)
        return analysis->knot_host[knot];
    return lg__on_device_find(&analysis->knot_device, device, knot);
}

lg_knot
lg_analysis_knot(const lg_analysis *analysis, uint32_t index)
{
    uint32_t first = analysis->knot_first[index];
    const uint32_t *nodes = analysis->knot_node + first;
    lg_bytes retained = {analysis->knot_host[index], 0};
    for (uint32_t device = 1; device <= analysis->graph->device_count; device++)
        retained.device += lg_knot_retained_on(analysis, index, device);
    return (lg_knot){
        .nodes = nodes,
        .count = analysis->knot_first[index + 1] - first,
        .retained = retained,
        .reachable = lg_node_is_reachable(analysis, *nodes),
    };
}

// Disjoint ways by augmentation: unit capacities, breadth first, from the
// target backwards, because few things refer to most targets.
//
// An inner node that a way uses is two: its low side, where a search from the
// target comes in, and its high side, where it goes on to the node's referrers.
// From the low side a search can only follow the way down, taking it back;
// there it comes out on a high side, and may take back that node's use as well.
#include "paths/flow.h"

#include <stdlib.h>
#include <string.h>

enum { LOW = 0, HIGH = 1 };

// Sides of nodes: 2 * node + side.
typedef struct search {
    const lg__flow *flow;
    uint32_t *up;    // [node] next node of its way, towards the source; itself
                     // at an entry
    uint32_t *down;  // [node] towards the target; LG_NONE: on no way
    uint64_t *from;  // [side] the side before it; UINT64_MAX: not met
    uint64_t *queue; // sides
    size_t met;
    uint64_t last; // the high side that reached a source
    uint32_t source;
    bool entries; // whether entries may begin a way
} search;

static bool
is_used(const search *state, uint32_t node)
{
    return state->down[node] != LG_NONE;
}

static void
meet(search *state, uint64_t side, uint64_t from)
{
    if (state->from[side] != UINT64_MAX)
        return;
    state->from[side] = from;
    state->queue[state->met++] = side;
}

// The first source that refers to the node, or the node as an entry.
static bool
reaches_source(search *state, uint32_t node)
{
    const lg__reverse *reverse = &state->flow->reverse;
    const lg_columns *columns = &state->flow->graph->columns;
    if (state->entries && state->flow->role[node] == LG__FLOW_ENTRY) {
        state->source = node;
        return true;
    }
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        if (state->flow->role[in.source] != LG__FLOW_SOURCE ||
            (columns->edge_kind[edge] & LG_EDGE_WEAK))
            continue;
        state->source = in.source;
        return true;
    }
    return false;
}

static void
meet_referrers(search *state, uint32_t node, uint64_t side)
{
    const lg__reverse *reverse = &state->flow->reverse;
    const lg_columns *columns = &state->flow->graph->columns;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        uint8_t role = state->flow->role[in.source];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (role != LG__FLOW_INNER && role != LG__FLOW_ENTRY) ||
            in.source == state->flow->target || in.source == node ||
            state->down[in.source] == node)
            continue;
        meet(state, 2 * (uint64_t)in.source + LOW, side);
    }
}

// Goes on from one side; true when a source is reached. The target's direct
// holders are not ways of this flow.
static bool
go_on(search *state, uint64_t side)
{
    uint32_t node = (uint32_t)(side / 2);
    uint32_t below = state->down[node];
    bool is_target = node == state->flow->target;
    if (side % 2 == LOW && !is_target && is_used(state, node)) {
        if (below != state->flow->target)
            meet(state, 2 * (uint64_t)below + HIGH, side);
        return false;
    }
    if (!is_target && reaches_source(state, node)) {
        state->last = side;
        return true;
    }
    meet_referrers(state, node, side);
    if (side % 2 == HIGH && is_used(state, node))
        meet(state, 2 * (uint64_t)node + LOW, side);
    return false;
}

// Finds one more way; leaves it in `from`. Forgets it at the next search.
static bool
find_way(search *state)
{
    for (size_t i = 0; i < state->met; i++)
        state->from[state->queue[i]] = UINT64_MAX;
    state->met = 0;
    uint64_t target = 2 * (uint64_t)state->flow->target;
    meet(state, target, target);
    for (size_t i = 0; i < state->met; i++)
        if (go_on(state, state->queue[i]))
            return true;
    return false;
}

// Takes back what the way found goes against, then adds it. The order matters:
// a node taken off one way may be on another at once.
static void
augment(search *state)
{
    uint64_t target = 2 * (uint64_t)state->flow->target;
    for (uint64_t at = state->last; at != target; at = state->from[at]) {
        if (at % 2 == HIGH) {
            state->up[at / 2] = LG_NONE;
            state->down[state->from[at] / 2] = LG_NONE;
        }
    }
    uint32_t above = state->source;
    for (uint64_t at = state->last; at != target; at = state->from[at]) {
        uint32_t node = (uint32_t)(at / 2);
        uint32_t before = (uint32_t)(state->from[at] / 2);
        if (at == state->last)
            state->up[node] = above;
        if (at % 2 == LOW && before != node) {
            state->down[node] = before;
            state->up[before] = node;
        }
    }
}

static lg_status
find_ways(search *state, size_t *count, bool *more, lg_error *err)
{
    *count = 0;
    *more = false;
    while (true) {
        if (!lg__monitor_goes_on(
                state->flow->monitor, "looking for paths",
                (double)*count / (double)(state->flow->limit + 1), err))
            return LG_ECANCELLED;
        if (!find_way(state)) {
            if (state->entries)
                return LG_OK;
            state->entries = true;
        } else if (*count == state->flow->limit) {
            *more = true;
            return LG_OK;
        } else {
            augment(state);
            ++*count;
        }
    }
}

// Whether a node begins its way.
static bool
is_first(const search *state, uint32_t node)
{
    return state->flow->role[node] == LG__FLOW_SOURCE ||
           state->up[node] == node;
}

// The nodes of the way that ends with `node` and the target.
static size_t
way_length(const search *state, uint32_t node)
{
    size_t length = 2;
    for (uint32_t at = node; !is_first(state, at); at = state->up[at])
        length++;
    return length;
}

static void
write_way(const search *state, uint32_t node, uint32_t *end)
{
    *--end = state->flow->target;
    *--end = node;
    for (uint32_t at = node; !is_first(state, at); at = state->up[at])
        *--end = state->up[at];
}

static lg_status
list_ways(const search *state, size_t count, lg__ways *out, lg_error *err)
{
    uint32_t nodes = state->flow->graph->columns.node_count;
    size_t total = 0;
    for (uint32_t node = 0; node < nodes; node++)
        if (state->down[node] == state->flow->target)
            total += way_length(state, node);
    lg__ways ways = {malloc((total + 1) * sizeof(uint32_t)),
                     malloc((count + 1) * sizeof(size_t)), 0, false};
    if (ways.nodes == NULL || ways.end == NULL) {
        lg__ways_free(&ways);
        return lg__error_memory(err);
    }
    size_t end = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        if (state->down[node] != state->flow->target)
            continue;
        end += way_length(state, node);
        write_way(state, node, ways.nodes + end);
        ways.end[ways.count++] = end;
    }
    *out = ways;
    return LG_OK;
}

lg_status
lg__flow_run(const lg__flow *flow, lg__ways *out, lg_error *err)
{
    size_t nodes = flow->graph->columns.node_count;
    search state = {
        .flow = flow,
        .up = malloc(nodes * sizeof(uint32_t)),
        .down = malloc(nodes * sizeof(uint32_t)),
        .from = malloc(2 * nodes * sizeof(uint64_t)),
        .queue = malloc(2 * nodes * sizeof(uint64_t)),
    };
    lg_status status = LG_OK;
    size_t count;
    bool more;
    if (!state.up || !state.down || !state.from || !state.queue) {
        status = lg__error_memory(err);
        goto done;
    }
    memset(state.up, 0xff, nodes * sizeof(uint32_t));
    memset(state.down, 0xff, nodes * sizeof(uint32_t));
    memset(state.from, 0xff, 2 * nodes * sizeof(uint64_t));
    status = find_ways(&state, &count, &more, err);
    if (status == LG_OK)
        status = list_ways(&state, count, out, err);
    if (status == LG_OK)
        out->more = more;

done:
    free(state.up);
    free(state.down);
    free(state.from);
    free(state.queue);
    return status;
}

void
lg__ways_free(lg__ways *ways)
{
    free(ways->nodes);
    free(ways->end);
    *ways = (lg__ways){0};
}

// What is reached, how many edges lead to each node, and which nodes reach a
// cycle: one depth-first walk whose path is kept in the nodes themselves.
//
// A node reaches a cycle when one of its edges leads to the path being walked
// or to a node that does. That is what is left when nodes without out-edges are
// taken away until there are none: no reverse edges are needed for it.
#include "lift.h"

typedef struct walk {
    lg__lift *lift;
    unsigned barred;
    uint8_t opened; // marks of a node that is reached
    uint64_t steps;
    bool overflow;
} walk;

static void
open_node(walk *state, uint32_t node, uint32_t from)
{
    lg__branch *branch = &state->lift->branch[node];
    branch->jump = from;
    branch->depth = 0;
    state->lift->mark[node] |= state->opened;
    state->steps++;
}

static uint32_t
close_node(walk *state, uint32_t node)
{
    uint8_t *mark = state->lift->mark;
    uint32_t from = state->lift->branch[node].jump;
    mark[node] = (uint8_t)((mark[node] & ~LG__MARK_OPEN) | LG__MARK_DONE);
    if (from != LG_NONE)
        mark[from] |= mark[node] & LG__MARK_TAINT;
    return from;
}

// Goes on with the node's edges: the next node that was not reached before, or
// LG_NONE at the end.
static uint32_t
next_node(walk *state, uint32_t node)
{
    const lg_columns *columns = &state->lift->graph->columns;
    uint8_t *mark = state->lift->mark;
    lg__branch *branch = state->lift->branch;
    uint64_t begin = columns->first_edge[node];
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = begin + branch[node].depth; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        unsigned marks = mark[target];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (marks & state->barred))
            continue;
        if (target == node) {
            mark[node] |= LG__MARK_SELF | LG__MARK_TAINT;
            continue;
        }
        state->overflow |= ++branch[target].waiting == 0;
        if (!(marks & (LG__MARK_OPEN | LG__MARK_DONE))) {
            branch[node].depth = (uint32_t)(edge + 1 - begin);
            return target;
        }
        if (marks & (LG__MARK_OPEN | LG__MARK_TAINT))
            mark[node] |= LG__MARK_TAINT;
    }
    return LG_NONE;
}

static bool
walk_from(walk *state, uint32_t start, lg_error *err)
{
    const uint64_t often = (1 << 16) - 1;
    uint32_t node = start;
    open_node(state, start, LG_NONE);
    while (node != LG_NONE) {
        uint32_t next = next_node(state, node);
        if (next == LG_NONE) {
            node = close_node(state, node);
            continue;
        }
        open_node(state, next, node);
        node = next;
        if ((state->steps & often) == 0 &&
            !lg__monitor_goes_on(
                state->lift->monitor, "walking",
                (double)state->steps /
                    (double)state->lift->graph->columns.node_count,
                err))
            return false;
    }
    return true;
}

// Walks from every node that has one of the marks (0: from every node).
static bool
walk_all(walk *state, unsigned wanted, lg_error *err)
{
    const uint8_t *mark = state->lift->mark;
    uint32_t nodes = state->lift->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        if (!(mark[node] & LG__MARK_DONE) &&
            (wanted == 0 || (mark[node] & wanted)) &&
            !walk_from(state, node, err))
            return false;
    return true;
}

lg_status
lg__lift_reduce(lg__lift *lift, lg_error *err)
{
    const uint8_t furniture = LG__MARK_FURNITURE | LG__MARK_NAMESPACE;
    walk state = {
        .lift = lift,
        .barred = furniture,
        .opened = LG__MARK_OPEN | LG__MARK_LIVE,
    };
    if (!walk_all(&state, LG__MARK_POLICY, err))
        return LG_ECANCELLED;
    state.barred |= LG__MARK_LIVE;
    state.opened = LG__MARK_OPEN;
    if (!walk_all(&state, 0, err))
        return LG_ECANCELLED;
    if (state.overflow)
        return lg_error_set(err, LG_ELIMIT,
                            "a node has more in-edges than an analysis can "
                            "count (4 billion)");
    return LG_OK;
}

// Makes the analysis of a graph that has lost references from that of the whole
// graph.
//
// Losing a reference changes the immediate dominators of few nodes: those that
// die, and those whose dominator loses all but one path to them. A node of the
// second kind has the same dominator as the target of a lost reference, is
// reached from that target through nodes that change, too, and its dominator
// does not refer to it. Such nodes get new dominators from a graph that has all
// their referrers, and of every other node only its dominator.
#include "analysis/loss.h"

#include <stdlib.h>
#include <string.h>

// Steps to look up. What an object holds, such as the items of an attribute, is
// this near to it.
enum { STEPS_UP = 8 };

// Returns whether the dominator refers to the node. If so, it stays the
// dominator as long as it lives.
static bool
is_direct(lg__loss *of, uint32_t node)
{
    uint32_t dominator = of->before->dominator[node];
    uint64_t end = of->reverse.first[node + 1];
    if (of->state[node] & LG__LOSS_ASKED)
        return (of->state[node] & LG__LOSS_DIRECT) != 0;
    of->state[node] |= LG__LOSS_ASKED;
    for (uint64_t i = of->reverse.first[node]; i < end; i++) {
        lg__in_edge in = of->reverse.edge[i];
        if (lg__loss_referrer(of, in.source) == dominator &&
            lg__loss_is_strong(of,
                               of->columns->first_edge[in.source] + in.rank)) {
            of->state[node] |= LG__LOSS_DIRECT;
            return true;
        }
    }
    return false;
}

static void
suspect(lg__loss *of, uint32_t node)
{
    if (lg__loss_is_fixed(of, node) || (of->state[node] & LG__LOSS_SUSPECT))
        return;
    of->state[node] |= LG__LOSS_SUSPECT;
    of->queue[of->queued++] = node;
}

// Makes what a suspect refers to a suspect, unless its dominator refers to it
// and is none. A dominator that becomes a suspect later comes back to it.
static void
suspect_referents(lg__loss *of, uint32_t node)
{
    uint32_t nodes = of->columns->node_count;
    uint64_t end = of->columns->first_edge[node + 1];
    for (uint64_t edge = of->columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = of->columns->edge_target[edge];
        uint32_t dominator = of->before->dominator[target];
        bool doubtful =
            dominator < nodes && (of->state[dominator] & LG__LOSS_SUSPECT) != 0;
        if (lg__loss_is_strong(of, edge) &&
            (doubtful || !is_direct(of, target)))
            suspect(of, target);
    }
}

static void
save(lg__loss *of, uint32_t *stack, uint32_t *height, uint32_t node)
{
    if ((of->state[node] & (LG__LOSS_SUSPECT | LG__LOSS_SAVED)) !=
        LG__LOSS_SUSPECT)
        return;
    of->state[node] |= LG__LOSS_SAVED;
    stack[(*height)++] = node;
}

static bool
is_entered(const lg__loss *of, uint32_t node)
{
    uint64_t end = of->reverse.first[node + 1];
    for (uint64_t i = of->reverse.first[node]; i < end; i++) {
        const lg__in_edge *in = &of->reverse.edge[i];
        if (!(of->state[in->source] & LG__LOSS_SUSPECT) &&
            lg__loss_is_left(of, in))
            return true;
    }
    return false;
}

// Saves the suspects that something else refers to, and what they refer to.
static bool
save_suspects(lg__loss *of)
{
    uint32_t height = 0;
    uint32_t *stack = lg__wide_alloc(((size_t)of->queued + 1) * sizeof *stack);
    for (uint32_t i = 0; stack != NULL && i < of->queued; i++) {
        if (is_entered(of, of->queue[i]))
            save(of, stack, &height, of->queue[i]);
        while (height > 0) {
            uint32_t node = stack[--height];
            uint64_t end = of->columns->first_edge[node + 1];
            for (uint64_t e = of->columns->first_edge[node]; e < end; e++)
                if (lg__loss_is_strong(of, e))
                    save(of, stack, &height, of->columns->edge_target[e]);
        }
    }
    lg__wide_free(stack);
    return stack != NULL;
}

// Looks a few steps up for the ancestor just below the dominator, if nothing
// moves that ancestor. Returns LG_NONE if there is none.
static uint32_t
branch_below(lg__loss *of, uint32_t dominator, uint32_t node)
{
    uint32_t nodes = of->columns->node_count;
    for (unsigned step = 0; step < STEPS_UP && node < nodes; step++) {
        uint32_t above = of->before->dominator[node];
        if (above == dominator)
            return lg__loss_is_fixed(of, node) || is_direct(of, node) ? node
                                                                      : LG_NONE;
        node = above;
    }
    return LG_NONE;
}

// Returns whether two paths lead to the node that meet only at its dominator.
static bool
has_two_paths(lg__loss *of, uint32_t node)
{
    uint32_t dominator = of->before->dominator[node];
    uint32_t first = LG_NONE;
    uint64_t end = of->reverse.first[node + 1];
    for (uint64_t i = of->reverse.first[node]; i < end; i++) {
        const lg__in_edge *in = &of->reverse.edge[i];
        uint32_t branch =
            lg__loss_is_left(of, in)
                ? branch_below(of, dominator, lg__loss_referrer(of, in->source))
                : LG_NONE;
        if (branch == LG_NONE || branch == node || branch == first)
            continue;
        if (first != LG_NONE)
            return true;
        first = branch;
    }
    return false;
}

// Returns whether the node's referrers show that its dominator stays.
static bool
stays(lg__loss *of, uint32_t node)
{
    if (!(of->state[node] & LG__LOSS_WEIGHED)) {
        of->state[node] |= LG__LOSS_WEIGHED;
        if (is_direct(of, node) || has_two_paths(of, node))
            of->state[node] |= LG__LOSS_STAYS;
    }
    return (of->state[node] & LG__LOSS_STAYS) != 0;
}

static void
move(lg__loss *of, uint32_t node)
{
    if (lg__loss_is_fixed(of, node) || !lg__loss_lives(of, node) ||
        (of->state[node] & LG__LOSS_MOVES) || stays(of, node))
        return;
    of->state[node] |= LG__LOSS_MOVES;
    of->failed |= !lg__gather_append(&of->moved, node);
}

// Adds the other targets of a node that may move, and of all nodes below it.
static void
move_siblings(lg__loss *of, uint32_t moved)
{
    const lg_analysis *before = of->before;
    uint32_t dominator = before->dominator[moved];
    uint32_t height = 1;
    of->queue[0] = moved;
    while (height > 0 && of->steps > 0) {
        uint32_t node = of->queue[--height];
        uint64_t end = of->columns->first_edge[node + 1];
        of->steps--;
        for (uint64_t e = of->columns->first_edge[node]; e < end; e++)
            if (before->dominator[of->columns->edge_target[e]] == dominator &&
                lg__loss_is_strong(of, e))
                move(of, of->columns->edge_target[e]);
        for (uint32_t i = before->first_child[node];
             i < before->first_child[node + 1]; i++)
            if (!lg__loss_dies(of, before->child[i]))
                of->queue[height++] = before->child[i];
    }
}

// Finds what dies, and what may move.
static bool
find_changes(lg__loss *of, const uint64_t *cut, size_t count)
{
    const lg_columns *columns = of->columns;
    for (size_t i = 0; i < count; i++)
        if (lg_node_is_reachable(of->before,
                                 lg_edge_source(of->before->graph, cut[i])))
            suspect(of, columns->edge_target[cut[i]]);
    for (uint32_t i = 0; i < of->queued; i++)
        suspect_referents(of, of->queue[i]);
    if (!save_suspects(of))
        return false;
    for (size_t i = 0; i < count; i++)
        move(of, columns->edge_target[cut[i]]);
    for (uint32_t i = 0; i < of->queued; i++) {
        uint32_t node = of->queue[i];
        uint64_t end =
            lg__loss_dies(of, node) ? columns->first_edge[node + 1] : 0;
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
            move(of, columns->edge_target[edge]);
    }
    for (size_t i = 0; i < of->moved.count; i++)
        move_siblings(of, of->moved.items[i]);
    return !of->failed;
}

// Hangs each dead node from the root of garbage by itself.
static lg_status
take_over(lg__loss *of, lg_error *err)
{
    uint32_t nodes = of->columns->node_count;
    lg_analysis *after = of->after;
    after->dominator = lg__wide_alloc(((size_t)nodes + 1) * sizeof(uint32_t));
    if (after->dominator == NULL)
        return lg__error_memory(err);
    for (uint32_t node = 0; node < nodes; node++) {
        bool gone = lg__loss_dies(of, node);
        after->dominator[node] = gone ? nodes + 1 : of->before->dominator[node];
        after->policy.mark[node] |=
            gone ? 0 : of->before->policy.mark[node] & LG__MARK_LIVE;
    }
    return LG_OK;
}

// Computes the sums, from an order that has dominators first.
static lg_status
sum_up(lg__loss *of, lg_error *err)
{
    uint32_t nodes = of->columns->node_count;
    lg_analysis *after = of->after;
    lg_status status = lg__retained_children(after, err);
    if (status != LG_OK)
        return status;
    uint32_t count = after->first_child[nodes + 2] - after->first_child[nodes];
    memcpy(of->queue, after->child + after->first_child[nodes],
           count * sizeof *of->queue);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *first = after->first_child + of->queue[i];
        for (uint32_t at = first[0]; at < first[1]; at++)
            of->queue[count++] = after->child[at];
    }
    return lg__retained_sum(after, of->queue, err);
}

// Leaves the analysis unfinished, without an error, if only an analysis of the
// whole graph will do.
static lg_status
find_out(lg__loss *of, const uint64_t *cut, size_t count,
         const lg_monitor *monitor, lg_error *err)
{
    if (!find_changes(of, cut, count))
        return lg__error_memory(err);
    if (of->steps == 0)
        return LG_OK;
    lg_status status = take_over(of, err);
    if (status == LG_OK && of->moved.count > 0)
        status = lg__loss_settle(of, monitor, err);
    if (status == LG_EUNSUPPORTED)
        return LG_OK;
    return status == LG_OK ? sum_up(of, err) : status;
}

// Returns whether a class lost its last name in a module, and so is no root any
// more.
static bool
has_same_roots(const lg_analysis *before, const lg_analysis *after)
{
    const lg__policy *a = &before->policy;
    const lg__policy *b = &after->policy;
    bool same = a->module_count == b->module_count;
    for (uint32_t i = 0; i < a->module_count && same; i++)
        same = a->modules[i].dict == b->modules[i].dict &&
               a->modules[i].module == b->modules[i].module;
    for (uint32_t i = 0; i < before->graph->columns.node_count && same; i++)
        same = ((a->mark[i] ^ b->mark[i]) & LG__MARK_POLICY) == 0;
    return same;
}

static lg_status
analyse_changes(const lg_analysis *before, lg_analysis *after,
                const uint64_t *cut, size_t count, const lg_monitor *monitor,
                lg_error *err)
{
    const lg_columns *columns = &after->graph->columns;
    size_t nodes = (size_t)columns->node_count + 1;
    lg__loss of = {.before = before,
                   .after = after,
                   .columns = columns,
                   .state = lg__wide_calloc(nodes, 1),
                   .queue = lg__wide_alloc(nodes * sizeof(uint32_t)),
                   .steps = columns->node_count + columns->edge_count + 1};
    lg_status status = of.state != NULL && of.queue != NULL &&
                               lg__graph_reverse(after->graph, &of.reverse)
                           ? find_out(&of, cut, count, monitor, err)
                           : lg__error_memory(err);
    lg__wide_free(of.state);
    lg__wide_free(of.queue);
    lg__wide_free(of.moved.items);
    return status;
}

lg_status
lg__analysis_without(const lg_analysis *before, const lg_graph *rest,
                     const uint64_t *cut, size_t count,
                     const lg_monitor *monitor, lg_analysis **out,
                     lg_error *err)
{
    lg_analysis *after = NULL;
    lg_status status = lg__analysis_begin(rest, &after, err);
    if (status == LG_OK)
        status = lg__policy_new(rest, NULL, &after->policy, err);
    if (status == LG_OK && has_same_roots(before, after))
        status = analyse_changes(before, after, cut, count, monitor, err);
    if (status == LG_OK && after->host != NULL) {
        *out = after;
        return LG_OK;
    }
    lg_analysis_free(after);
    return status == LG_OK ? lg_analysis_new(rest, monitor, out, err) : status;
}

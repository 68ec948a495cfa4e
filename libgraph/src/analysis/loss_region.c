// Finds the new dominators of nodes that lose referrers.
#include "analysis/loss.h"
#include "analysis/solver.h"

#include <stdlib.h>

// The graph for the new dominators: the nodes that may move, their referrers,
// and the dominators of those.
typedef struct region {
    uint32_t *number; // [node_count + 1] numbers from 1; 0 is the super-root
    lg__gathered nodes, source, target; // edges as nodes, then as numbers
    bool failed;
} region;

static void
add_edge(region *to, uint32_t source, uint32_t target)
{
    to->failed |= !lg__gather_append(&to->source, source) ||
                  !lg__gather_append(&to->target, target);
}

static void
add_node(const lg__loss *of, region *to, uint32_t node)
{
    while (node < of->columns->node_count && to->number[node] == 0) {
        to->failed |= !lg__gather_append(&to->nodes, node);
        to->number[node] = (uint32_t)to->nodes.count;
        if (of->state[node] & LG__LOSS_MOVES)
            return;
        add_edge(to, of->before->dominator[node], node);
        node = of->before->dominator[node];
    }
}

static void
add_referrers(const lg__loss *of, region *to, uint32_t node)
{
    uint64_t end = of->reverse.first[node + 1];
    add_node(of, to, node);
    for (uint64_t i = of->reverse.first[node]; i < end && !to->failed; i++) {
        uint32_t source = lg__loss_referrer(of, of->reverse.edge[i].source);
        if (source == node || !lg__loss_is_left(of, &of->reverse.edge[i]))
            continue;
        add_node(of, to, source);
        add_edge(to, source, node);
    }
}

static lg_status
solve(lg__loss *of, region *to, const lg_monitor *monitor, lg_error *err)
{
    uint32_t *found = lg__wide_alloc((to->nodes.count + 1) * sizeof *found);
    lg__problem problem = {.node_count = (uint32_t)to->nodes.count + 1,
                           .edge_count = to->source.count,
                           .source = to->source.items,
                           .target = to->target.items,
                           .monitor = monitor};
    if (found == NULL || to->failed) {
        lg__wide_free(found);
        return lg__error_memory(err);
    }
    for (size_t i = 0; i < to->source.count; i++) {
        to->source.items[i] = to->number[to->source.items[i]];
        to->target.items[i] = to->number[to->target.items[i]];
    }
    lg_status status = lg__solver_ask(&problem, found, err);
    for (size_t i = 0; i < of->moved.count && status == LG_OK; i++) {
        uint32_t node = of->moved.items[i];
        uint32_t dominator = found[to->number[node]];
        // The analysis of a damaged file may not be that of its graph.
        if (dominator > to->nodes.count)
            status = LG_EUNSUPPORTED;
        else
            of->after->dominator[node] = dominator == 0
                                             ? of->columns->node_count
                                             : to->nodes.items[dominator - 1];
    }
    lg__wide_free(found);
    return status;
}

lg_status
lg__loss_settle(lg__loss *of, const lg_monitor *monitor, lg_error *err)
{
    region to = {
        .number = lg__wide_calloc(
            ((size_t)of->columns->node_count + 1) * sizeof(uint32_t), 1)};
    to.failed = to.number == NULL;
    for (size_t i = 0; i < of->moved.count && !to.failed; i++)
        add_referrers(of, &to, of->moved.items[i]);
    lg_status status = solve(of, &to, monitor, err);
    lg__wide_free(to.number);
    lg__wide_free(to.nodes.items);
    lg__wide_free(to.source.items);
    lg__wide_free(to.target.items);
    return status;
}

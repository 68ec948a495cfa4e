// Folds raw edges along a path into hops.
#include "paths/trail.h"
#include "paths/paths_private.h"

#include <stdlib.h>

static bool
is_closure(const lg__walk *walk, uint32_t owner, uint64_t edge)
{
    uint32_t target = walk->graph->columns.edge_target[edge];
    return lg__edge_opens(walk, owner, edge) &&
           lg__node_role(walk->graph, target) == LG__ROLE_TUPLE;
}

// Begins a hop at a node, or at its owner if it is folded.
static lg_hop
begin(const lg__walk *walk, uint32_t node)
{
    const uint64_t *first = walk->graph->columns.first_edge;
    lg__fold fold = walk->fold[node];
    lg_hop hop = {.source = node};
    if (fold.owner == LG_NONE)
        return hop;
    hop.source = fold.owner;
    if (lg__node_role(walk->graph, node) != LG__ROLE_CELL) {
        hop.edges[hop.edge_count++] = first[fold.owner] + fold.rank;
        return hop;
    }
    uint64_t edge = first[fold.owner];
    while (!is_closure(walk, fold.owner, edge))
        edge++;
    uint32_t tuple = walk->graph->columns.edge_target[edge];
    hop.edges[hop.edge_count++] = edge;
    hop.edges[hop.edge_count++] = first[tuple] + fold.rank;
    return hop;
}

// Returns whether the hop continues through the target of its last edge: a
// namespace that the hop opened, or the cell of a closure.
static bool
goes_on(const lg__walk *walk, const lg_hop *hop)
{
    const lg_graph *graph = walk->graph;
    const uint32_t *targets = graph->columns.edge_target;
    if (hop->edge_count == 1)
        return lg__edge_opens(walk, hop->source, hop->edges[0]);
    return hop->edge_count == 2 &&
           is_closure(walk, hop->source, hop->edges[0]) &&
           lg__edge_kind(graph, hop->edges[1]) == LG_EDGE_INDEX &&
           lg__node_role(graph, targets[hop->edges[1]]) == LG__ROLE_CELL;
}

lg_status
lg__trail_fold(const lg__walk *walk, const uint64_t *edges, size_t count,
               lg_hops *out, lg_error *err)
{
    const lg_graph *graph = walk->graph;
    lg_hops hops = {.items = lg__wide_alloc((count + 1) * sizeof(lg_hop))};
    if (hops.items == NULL)
        return lg__error_memory(err);
    lg_hop hop = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t target = graph->columns.edge_target[edges[i]];
        if (hop.edge_count == 0)
            hop = begin(walk, lg_edge_source(graph, edges[i]));
        hop.edges[hop.edge_count++] = edges[i];
        if (i + 1 < count && goes_on(walk, &hop))
            continue;
        hop.target = lg__seen_node(walk->fold, target);
        hops.items[hops.count++] = hop;
        hop.edge_count = 0;
    }
    *out = hops;
    return LG_OK;
}

// Hops: the folded graph, forward and, mirrored, backward.
//
// A hop is one of
//   s -> t                            an edge that opens nothing
//   owner -opens-> folded -> t        what is in a folded namespace or tuple
//   owner -opens-> tuple -> cell -> t the value of a closure variable
// where a folded t stands for its owner.
#include "graph/graph_private.h"

#include <leakgraph/internal/hops.h>

#include <stdlib.h>
#include <string.h>

bool
lg__edge_opens(const lg__hop_walk *walk, uint32_t source, uint64_t edge)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t target = lg_columns_target(columns, edge);
    lg__fold fold = lg__fold_of(walk->fold, target);
    return fold.owner == source &&
           edge - lg_columns_first_edge(columns, source) == fold.rank &&
           lg__node_role(walk->graph, target) != LG__ROLE_CELL;
}

static bool
emit(const lg__hop_walk *walk, uint32_t source, const uint64_t *edges,
     uint32_t count)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t target =
        lg__seen_node(walk->fold, lg_columns_target(columns, edges[count - 1]));
    lg_hop hop = {.source = source, .target = target, .edge_count = count};
    for (uint32_t i = 0; i < count; i++) {
        hop.edges[i] = edges[i];
        hop.weak |= (lg_columns_kind(columns, edges[i]) & LG_EDGE_WEAK) != 0;
    }
    return walk->visit(walk->context, &hop);
}

// Returns whether an edge of a folded namespace shows: its values do, but its
// keys and its type do not.
static bool
is_shown(const lg__hop_walk *walk, uint64_t edge)
{
    unsigned kind = lg__edge_kind(walk->graph, edge);
    return walk->everything || (kind != LG_EDGE_KEY && kind != LG_EDGE_TYPE);
}

// Returns whether an edge of a folded node leads to a cell that hops pass
// through.
static bool
enters_cell(const lg__hop_walk *walk, uint32_t folded, uint64_t edge)
{
    const lg_graph *graph = walk->graph;
    return lg__edge_kind(graph, edge) == LG_EDGE_INDEX &&
           lg__node_role(graph, folded) == LG__ROLE_TUPLE &&
           lg__node_role(graph, lg_columns_target(&graph->columns, edge)) ==
               LG__ROLE_CELL;
}

static bool
out_of_cell(const lg__hop_walk *walk, uint32_t source, uint64_t edges[3])
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t cell = lg_columns_target(columns, edges[1]);
    uint64_t end = lg_columns_first_edge(columns, cell + 1);
    for (edges[2] = lg_columns_first_edge(columns, cell); edges[2] < end;
         edges[2]++)
        if (lg__edge_kind(walk->graph, edges[2]) == LG_EDGE_CELL &&
            !emit(walk, source, edges, 3))
            return false;
    return true;
}

bool
lg__hops_through(const lg__hop_walk *walk, uint32_t source, uint64_t opener,
                 uint64_t edge)
{
    uint64_t edges[3] = {opener, edge, 0};
    if (enters_cell(walk, lg_columns_target(&walk->graph->columns, opener),
                    edge))
        return out_of_cell(walk, source, edges);
    return !is_shown(walk, edge) || emit(walk, source, edges, 2);
}

static bool
out_of_folded(const lg__hop_walk *walk, uint32_t source, uint64_t opener)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t folded = lg_columns_target(columns, opener);
    const lg_edge_range edges = lg_columns_edges(columns, folded);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (!lg__hops_through(walk, source, opener, edge))
            return false;
    return true;
}

bool
lg__hops_by_walk(const lg__hop_walk *walk, uint32_t node, uint64_t edge)
{
    return lg__edge_opens(walk, node, edge) ? out_of_folded(walk, node, edge)
                                            : emit(walk, node, &edge, 1);
}

bool
lg__hops_out_walk(const lg__hop_walk *walk, uint32_t node)
{
    const lg_columns *columns = &walk->graph->columns;
    if (lg__fold_owner(walk->fold, node) != LG_NONE)
        return true;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (!lg__hops_by_walk(walk, node, edge))
            return false;
    return true;
}

// Returns the edge that opens a folded namespace or tuple.
static uint64_t
opener_of(const lg__hop_walk *walk, uint32_t folded)
{
    lg__fold fold = lg__fold_of(walk->fold, folded);
    return lg_columns_first_edge(&walk->graph->columns, fold.owner) + fold.rank;
}

// Visits the hops that reach a cell's content through closures.
static bool
into_cell(const lg__hop_walk *walk, uint32_t cell, uint64_t last)
{
    for (uint64_t i = lg__first_in(&walk->reverse, cell);
         i < lg__first_in(&walk->reverse, cell + 1); i++) {
        lg__in_edge in = lg__in_at(&walk->reverse, i);
        uint64_t edge = in.edge;
        lg__fold fold = lg__fold_of(walk->fold, in.source);
        if (fold.owner == LG_NONE || !enters_cell(walk, in.source, edge))
            continue;
        uint64_t edges[3] = {opener_of(walk, in.source), edge, last};
        if (!emit(walk, fold.owner, edges, 3))
            return false;
    }
    return true;
}

// Visits the hops whose last edge is this one.
static bool
into_by(const lg__hop_walk *walk, lg__in_edge in)
{
    const lg_graph *graph = walk->graph;
    uint64_t edge = in.edge;
    lg__fold fold = lg__fold_of(walk->fold, in.source);
    bool from_cell = lg__node_role(graph, in.source) == LG__ROLE_CELL;
    if (from_cell && lg__edge_kind(graph, edge) == LG_EDGE_CELL &&
        !into_cell(walk, in.source, edge))
        return false;
    if (fold.owner == LG_NONE)
        return lg__edge_opens(walk, in.source, edge) ||
               emit(walk, in.source, &edge, 1);
    if (from_cell || enters_cell(walk, in.source, edge) ||
        !is_shown(walk, edge))
        return true;
    uint64_t edges[3] = {opener_of(walk, in.source), edge, 0};
    return emit(walk, fold.owner, edges, 2);
}

static bool
into_node(const lg__hop_walk *walk, uint32_t node)
{
    for (uint64_t i = lg__first_in(&walk->reverse, node);
         i < lg__first_in(&walk->reverse, node + 1); i++)
        if (!into_by(walk, lg__in_at(&walk->reverse, i)))
            return false;
    return true;
}

// Visits hops into the cells of a tuple. A tuple may have a cell twice, and
// several tuples may share it, so only the edge that the cell's fold names
// counts.
static bool
into_cells_of(const lg__hop_walk *walk, uint32_t owner, uint32_t tuple)
{
    const lg_columns *columns = &walk->graph->columns;
    uint64_t begin = lg_columns_first_edge(columns, tuple);
    uint64_t end = lg_columns_first_edge(columns, tuple + 1);
    for (uint64_t edge = begin; edge < end; edge++) {
        uint32_t cell = lg_columns_target(columns, edge);
        lg__fold fold = lg__fold_of(walk->fold, cell);
        if (enters_cell(walk, tuple, edge) && fold.owner == owner &&
            fold.rank == edge - begin && !into_node(walk, cell))
            return false;
    }
    return true;
}

// Visits exactly the hops whose target is the node: those into the node itself,
// into what is folded into it, and into the cells of its closures, for all of
// which it stands.
bool
lg__hops_in_walk(const lg__hop_walk *walk, uint32_t node)
{
    const lg_columns *columns = &walk->graph->columns;
    if (lg__fold_owner(walk->fold, node) != LG_NONE)
        return true;
    if (!into_node(walk, node))
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (!lg__edge_opens(walk, node, edge))
            continue;
        if (!into_node(walk, target))
            return false;
        if (lg__node_role(walk->graph, target) == LG__ROLE_TUPLE &&
            !into_cells_of(walk, node, target))
            return false;
    }
    return true;
}

typedef struct collector {
    lg_hop *items;
    size_t count;
    size_t limit;
    uint64_t skipped; // hops still to be skipped
    bool more;
    bool failed;
} collector;

static bool
collect(void *context, const lg_hop *hop)
{
    collector *into = context;
    if (into->skipped > 0) {
        into->skipped--;
        return true;
    }
    into->more = into->count == into->limit;
    if (into->more)
        return false;
    into->failed =
        !lg__array_room(&into->items, into->count, sizeof *into->items);
    if (into->failed)
        return false;
    into->items[into->count++] = *hop;
    return true;
}

lg_status
lg_node_hops_range(const lg_graph *graph, lg_node node, bool inward,
                   uint64_t first, size_t limit, lg_hops *out, lg_error *err)
{
    collector into = {.skipped = first, .limit = limit};
    lg__hop_walk walk = {.graph = graph,
                         .fold = lg__graph_folds(graph),
                         .visit = collect,
                         .context = &into};
    if (node >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    if (walk.fold == NULL ||
        (inward && !lg__graph_reverse(graph, &walk.reverse)))
        return lg__error_memory(err);
    (inward ? lg__hops_in_walk : lg__hops_out_walk)(&walk, node);
    if (into.failed) {
        lg__free(into.items);
        return lg__error_memory(err);
    }
    *out = (lg_hops){into.items, into.count, into.more};
    return LG_OK;
}

static lg_status
collect_hops(const lg_graph *graph, uint32_t node, bool inward, lg_hops *out,
             lg_error *err)
{
    return lg_node_hops_range(graph, node, inward, 0, SIZE_MAX, out, err);
}

lg_status
lg_node_hops_out(const lg_graph *graph, lg_node node, lg_hops *out,
                 lg_error *err)
{
    return collect_hops(graph, node, false, out, err);
}

lg_status
lg_node_hops_in(const lg_graph *graph, lg_node node, lg_hops *out,
                lg_error *err)
{
    return collect_hops(graph, node, true, out, err);
}

void
lg_hops_free(lg_hops *hops)
{
    lg__free(hops->items);
    *hops = (lg_hops){0};
}

bool
lg__hop_is_backward(const lg_graph *graph, const lg_hop *hop)
{
    uint64_t edge = hop->edges[0];
    if (hop->edge_count != 1 || lg__edge_kind(graph, edge) != LG_EDGE_ATTRIBUTE)
        return false;
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    return lg__string_begins(label, "next_functions");
}

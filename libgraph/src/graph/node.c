// What a program asks of one node or edge, without seeing the columns.
#include "graph/graph_private.h"

uint32_t
lg_graph_node_count(const lg_graph *graph)
{
    return graph->columns.node_count;
}

uint64_t
lg_graph_edge_count(const lg_graph *graph)
{
    return graph->columns.edge_count;
}

uint64_t
lg_node_address(const lg_graph *graph, lg_node node)
{
    return lg_columns_address(&graph->columns, node);
}

uint32_t
lg_node_type(const lg_graph *graph, lg_node node)
{
    return lg_columns_type(&graph->columns, node);
}

unsigned
lg_node_flags(const lg_graph *graph, lg_node node)
{
    return graph->columns.node_flags[node];
}

void
lg_node_edges(const lg_graph *graph, lg_node node, lg_edge *first, lg_edge *end)
{
    *first = lg_columns_first_edge(&graph->columns, node);
    *end = lg_columns_first_edge(&graph->columns, node + 1);
}

lg_node
lg_edge_target(const lg_graph *graph, lg_edge edge)
{
    return graph->columns.edge_target[edge];
}

lg_edge_kind
lg_edge_kind_of(const lg_graph *graph, lg_edge edge)
{
    return (lg_edge_kind)(graph->columns.edge_kind[edge] & LG_EDGE_KIND_MASK);
}

unsigned
lg_edge_flags(const lg_graph *graph, lg_edge edge)
{
    return graph->columns.edge_kind[edge] & ~(unsigned)LG_EDGE_KIND_MASK;
}

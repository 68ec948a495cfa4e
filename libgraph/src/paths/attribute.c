// Recognises the references that are attributes, an attribute that is stored
// twice, and one that an instance shares with its class: a path through the
// class says what the value is, and one through any instance does not.
#include "paths/measure.h"
#include "graph/graph_private.h"

lg__reference
lg__hop_reference(const lg_graph *graph, const lg_hop *hop)
{
    uint32_t last = hop->edge_count - 1;
    uint32_t source =
        last == 0 ? hop->source
                  : lg_columns_target(&graph->columns, hop->edges[last - 1]);
    return (lg__reference){source, hop->edges[last]};
}

bool
lg__reference_is_attribute(const lg_graph *graph, const lg__folds *folds,
                           lg__reference reference)
{
    unsigned kind = lg__edge_kind(graph, reference.edge);
    return kind == LG_EDGE_ATTRIBUTE ||
           (kind == LG_EDGE_VALUE &&
            lg__fold_owner(folds, reference.source) != LG_NONE);
}

bool
lg__references_are_one(const lg_graph *graph, const lg__folds *folds,
                       lg__reference one, lg__reference other)
{
    const lg_columns *columns = &graph->columns;
    if (one.edge == other.edge)
        return true;
    return lg_columns_target(columns, one.edge) ==
               lg_columns_target(columns, other.edge) &&
           lg__seen_node(folds, one.source) ==
               lg__seen_node(folds, other.source) &&
           lg__reference_is_attribute(graph, folds, one) &&
           lg__reference_is_attribute(graph, folds, other) &&
           lg__edge_name(graph, one.edge).length > 0 &&
           lg__string_same(lg__edge_name(graph, one.edge),
                           lg__edge_name(graph, other.edge));
}

static bool
may_be_shared(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return !(lg_columns_flags(&graph->columns, node) & LG_NODE_IMMORTAL) &&
           (category == LG_CATEGORY_OTHER || category == LG_CATEGORY_CONTAINER);
}

// Returns the namespace of a class, or LG_NONE.
static uint32_t
namespace_of(const lg_graph *graph, uint32_t class_node)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, class_node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_DICT)
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

static void
mark_values(const lg_graph *graph, uint32_t names, uint8_t bit, uint8_t *marks)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, names);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE &&
            may_be_shared(graph, target))
            marks[target] |= bit;
    }
}

void
lg__class_values_mark(const lg_graph *graph, uint8_t bit, uint8_t *marks)
{
    for (uint32_t type = 0; type < graph->type_count; type++) {
        uint32_t node = graph->type_node[type];
        uint32_t names = node == LG_NONE ? LG_NONE : namespace_of(graph, node);
        if (names != LG_NONE)
            mark_values(graph, names, bit, marks);
    }
}

// Returns whether the class itself has the target under that name.
static bool
has_value(const lg_graph *graph, uint32_t class_node, lg_string name,
          uint32_t target)
{
    const lg_columns *columns = &graph->columns;
    uint32_t names = namespace_of(graph, class_node);
    if (names == LG_NONE)
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, names);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_target(columns, edge) == target &&
            lg__edge_kind(graph, edge) == LG_EDGE_VALUE &&
            lg__string_same(lg__edge_name(graph, edge), name))
            return true;
    return false;
}

bool
lg__edge_repeats_class(const lg_graph *graph, uint32_t source, uint64_t edge)
{
    lg_string name = lg__edge_name(graph, edge);
    uint32_t target = lg_columns_target(&graph->columns, edge);
    if (lg__node_category(graph, source) != LG_CATEGORY_OTHER ||
        name.length == 0)
        return false;
    lg_type type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, source));
    for (uint32_t i = 0; i < type.mro_count; i++) {
        uint32_t node = graph->type_node[type.mro[i]];
        if (node != LG_NONE && has_value(graph, node, name, target))
            return true;
    }
    return false;
}

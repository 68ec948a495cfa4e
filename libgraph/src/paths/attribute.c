// Recognises the references that are attributes, and an attribute that is
// stored twice.
#include "paths/measure.h"

lg__reference
lg__hop_reference(const lg_graph *graph, const lg_hop *hop)
{
    uint32_t last = hop->edge_count - 1;
    uint32_t source = last == 0
                          ? hop->source
                          : graph->columns.edge_target[hop->edges[last - 1]];
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
    const uint32_t *target = graph->columns.edge_target;
    if (one.edge == other.edge)
        return true;
    return target[one.edge] == target[other.edge] &&
           lg__seen_node(folds, one.source) ==
               lg__seen_node(folds, other.source) &&
           lg__reference_is_attribute(graph, folds, one) &&
           lg__reference_is_attribute(graph, folds, other) &&
           lg__edge_name(graph, one.edge).length > 0 &&
           lg__string_same(lg__edge_name(graph, one.edge),
                           lg__edge_name(graph, other.edge));
}

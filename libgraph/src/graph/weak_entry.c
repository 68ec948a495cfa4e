// Reads entries of dicts with weak keys or weak values.
#include "graph/graph_private.h"

bool
lg__type_is_weak_dict(const lg_graph *graph, uint32_t type)
{
    static const char *const names[] = {"weakref.WeakKeyDictionary",
                                        LG__WEAK_VALUES,
                                        "torch.utils.weak.WeakIdKeyDictionary"};
    lg_type about = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < about.mro_count; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            if (lg__string_is(lg_graph_type(graph, about.mro[i]).name,
                              names[j]))
                return true;
    return false;
}

uint32_t
lg__weak_referent(const lg_graph *graph, uint32_t reference)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, reference);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK)
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

bool
lg__weak_entry_read(const lg_graph *graph, uint64_t edge, lg__weak_entry *out)
{
    uint32_t key = lg_columns_payload(&graph->columns, edge);
    uint32_t value = lg_columns_target(&graph->columns, edge);
    if (lg__edge_kind(graph, edge) != LG_EDGE_VALUE || key == LG_NONE)
        return false;
    uint32_t weak = lg__weak_referent(graph, key);
    *out = (lg__weak_entry){key, weak, value, true};
    if (weak == LG_NONE)
        *out = (lg__weak_entry){value, lg__weak_referent(graph, value), key,
                                false};
    return out->weak != LG_NONE;
}

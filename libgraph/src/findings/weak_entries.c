// Reads entries of dicts with weak keys or weak values.
#include "findings/weak_entries.h"

uint32_t
lg__weak_referent(const lg_graph *graph, uint32_t reference)
{
    const lg_columns *columns = &graph->columns;
    uint64_t end = columns->first_edge[reference + 1];
    for (uint64_t edge = columns->first_edge[reference]; edge < end; edge++)
        if (columns->edge_kind[edge] & LG_EDGE_WEAK)
            return columns->edge_target[edge];
    return LG_NONE;
}

uint32_t
lg__kept_referent(const lg__detection *detection, uint32_t finalizer)
{
    uint32_t reference =
        lg__detection_attribute(detection, finalizer, "weakref");
    uint32_t referent = reference == LG_NONE
                            ? LG_NONE
                            : lg__weak_referent(detection->graph, reference);
    return referent != LG_NONE &&
                   lg__detection_owns(detection, finalizer, referent)
               ? referent
               : LG_NONE;
}

bool
lg__weak_entry_read(const lg_graph *graph, uint64_t edge, lg__weak_entry *out)
{
    uint32_t key = lg_columns_payload(&graph->columns, edge);
    uint32_t value = graph->columns.edge_target[edge];
    if (lg__edge_kind(graph, edge) != LG_EDGE_VALUE || key == LG_NONE)
        return false;
    uint32_t weak = lg__weak_referent(graph, key);
    *out = (lg__weak_entry){key, weak, value, true};
    if (weak == LG_NONE)
        *out = (lg__weak_entry){value, lg__weak_referent(graph, value), key,
                                false};
    return out->weak != LG_NONE;
}

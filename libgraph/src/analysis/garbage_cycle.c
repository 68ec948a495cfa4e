// The members of a cycle that answers show, and a cycle of garbage in words.
#include "analysis/analysis_private.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include "graph/graph_private.h"

uint32_t
lg__count_seen(const lg_graph *graph, const lg_component *component)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < component->count; i++)
        count += lg_node_folded_into(graph, component->nodes[i]) == LG_NONE;
    return count;
}

uint32_t
lg_component_objects(const lg_analysis *analysis, uint32_t index)
{
    lg_component component = lg_analysis_component(analysis, index);
    return lg__count_seen(lg_analysis_graph(analysis), &component);
}

bool
lg__format_garbage_component(const lg_analysis *analysis, uint32_t node,
                             lg_text *out)
{
    uint32_t garbage = lg__garbage_component_of(analysis, node);
    if (garbage == LG_NONE)
        return false;
    lg_component component = lg_analysis_component(analysis, garbage);
    uint32_t seen = lg__count_seen(lg_analysis_graph(analysis), &component);
    lg_text_add(out, ": a cycle of ");
    lg_text_add_count(out, seen);
    lg_text_add(out, seen == 1 ? " object" : " objects");
    return true;
}

// Questions about the components of an analysis.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/retained.h>

uint32_t
lg_analysis_component_count(const lg_analysis *analysis)
{
    return analysis->component_count;
}

uint32_t
lg_node_component(const lg_analysis *analysis, lg_node node)
{
    uint32_t low = 0;
    uint32_t high = analysis->component_first[analysis->component_count];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (analysis->member[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < analysis->component_first[analysis->component_count] &&
                   analysis->member[low].node == node
               ? analysis->member[low].component
               : LG_NONE;
}

uint64_t
lg_component_retained_on(const lg_analysis *analysis, uint32_t component,
                         uint32_t device)
{
    if (device == 0)
        return analysis->component_host[component];
    return lg__on_device_find(&analysis->component_device, device, component);
}

lg_component
lg_analysis_component(const lg_analysis *analysis, uint32_t index)
{
    uint32_t first = analysis->component_first[index];
    const uint32_t *nodes = analysis->component_node + first;
    lg_bytes retained = {analysis->component_host[index], 0};
    for (uint32_t device = 1; device <= analysis->graph->device_count; device++)
        retained.devices += lg_component_retained_on(analysis, index, device);
    return (lg_component){
        .nodes = nodes,
        .count = analysis->component_first[index + 1] - first,
        .retained = retained,
        .reachable = (analysis->policy.mark[*nodes] & LG__MARK_LIVE) != 0,
    };
}

// What can be asked of the components of an analysis.
#include "analysis/analysis_private.h"

uint32_t
lg_analysis_knot_count(const lg_analysis *analysis)
{
    return analysis->knot_count;
}

uint32_t
lg_node_knot(const lg_analysis *analysis, uint32_t node)
{
    uint32_t low = 0;
    uint32_t high = analysis->knot_first[analysis->knot_count];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (analysis->member[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < analysis->knot_first[analysis->knot_count] &&
                   analysis->member[low].node == node
               ? analysis->member[low].knot
               : LG_NONE;
}

uint64_t
lg_knot_retained_on(const lg_analysis *analysis, uint32_t knot, uint32_t device)
{
    if (device == 0)
        return analysis->knot_host[knot];
    return lg__on_device_find(&analysis->knot_device, device, knot);
}

lg_knot
lg_analysis_knot(const lg_analysis *analysis, uint32_t index)
{
    uint32_t first = analysis->knot_first[index];
    const uint32_t *nodes = analysis->knot_node + first;
    lg_bytes retained = {analysis->knot_host[index], 0};
    for (uint32_t device = 1; device <= analysis->graph->device_count; device++)
        retained.device += lg_knot_retained_on(analysis, index, device);
    return (lg_knot){
        .nodes = nodes,
        .count = analysis->knot_first[index + 1] - first,
        .retained = retained,
        .reachable = (analysis->policy.mark[*nodes] & LG__MARK_LIVE) != 0,
    };
}

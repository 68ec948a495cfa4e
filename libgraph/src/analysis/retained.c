// Sums along the dominator tree, one for the host and one for each device.
#include "analysis/analysis_private.h"
#include <leakgraph/analysis.h>

#include <stdlib.h>
#include <string.h>

bool
lg__on_device_add(lg__vector *entries, uint32_t device, uint32_t node,
                  uint64_t bytes)
{
    lg_allocator allocator = lg_allocator_default();
    if (bytes == 0)
        return true;
    lg__on_device *place = lg__vector_extend(&allocator, entries, 1);
    if (place != NULL)
        *place = (lg__on_device){device, node, bytes};
    return place != NULL;
}

uint64_t
lg__on_device_find(const lg__vector *entries, uint32_t device, uint32_t node)
{
    const lg__on_device *items = entries->data;
    size_t low = 0;
    size_t high = entries->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].device < device ||
            (items[middle].device == device && items[middle].node < node))
            low = middle + 1;
        else
            high = middle;
    }
    return low < entries->count && items[low].device == device &&
                   items[low].node == node
               ? items[low].bytes
               : 0;
}

void
lg__bytes_on(const lg_graph *graph, uint32_t device, uint64_t *bytes)
{
    uint32_t nodes = graph->columns.node_count;
    if (device == 0)
        for (uint32_t node = 0; node < nodes; node++)
            bytes[node] = lg_node_size(graph, node);
    else
        memset(bytes, 0, nodes * sizeof *bytes);
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        bytes[node] = graph->device_id[i] == device && device != 0
                          ? lg_node_size(graph, node)
                          : 0;
    }
}

// Turns bytes[node] into what the node retains. Backward, every node comes
// after all that it dominates, so its sum is complete when its dominator gets
// it.
static void
sum_up(const lg_analysis *analysis, const uint32_t *order, uint64_t *bytes)
{
    uint32_t nodes = analysis->graph->columns.node_count;
    bytes[nodes] = bytes[nodes + 1] = 0;
    for (uint32_t i = nodes; i-- > 0;)
        bytes[analysis->dominator[order[i]]] += bytes[order[i]];
}

static bool
sum_devices(lg_analysis *analysis, const uint32_t *order)
{
    const lg_graph *graph = analysis->graph;
    uint32_t nodes = graph->columns.node_count;
    if (graph->placed_count == 0)
        return true;
    uint64_t *bytes = lg__alloc(((size_t)nodes + 2) * sizeof *bytes);
    bool enough = bytes != NULL;
    for (uint32_t device = 1; device <= graph->device_count && enough;
         device++) {
        lg__bytes_on(graph, device, bytes);
        sum_up(analysis, order, bytes);
        for (uint32_t node = 0; node < nodes + 2 && enough; node++)
            enough =
                lg__on_device_add(&analysis->device, device, node, bytes[node]);
    }
    lg__free(bytes);
    return enough;
}

static size_t
host_size(const lg_graph *graph)
{
    return ((size_t)graph->columns.node_count + 2) * sizeof(uint64_t);
}

void
lg__retained_free(lg_analysis *analysis)
{
    lg__huge_free(analysis->host, host_size(analysis->graph));
}

lg_status
lg__retained_sum(lg_analysis *analysis, const uint32_t *order, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    analysis->host = lg__huge_calloc(host_size(graph));
    if (analysis->host == NULL)
        return lg__error_memory(err);
    lg__bytes_on(graph, 0, analysis->host);
    sum_up(analysis, order, analysis->host);
    return sum_devices(analysis, order) ? LG_OK : lg__error_memory(err);
}

lg_status
lg__retained_children(lg_analysis *analysis, lg_error *err)
{
    uint32_t nodes = analysis->graph->columns.node_count;
    uint32_t *first = lg__calloc(((size_t)nodes + 3) * sizeof *first, 1);
    uint32_t *child = lg__alloc(((size_t)nodes + 1) * sizeof *child);
    analysis->first_child = first;
    analysis->child = child;
    if (first == NULL || child == NULL)
        return lg__error_memory(err);
    // first[d + 1] is the position of the next child of d, and in the end the
    // start of the children of d + 1.
    for (uint32_t node = 0; node < nodes; node++)
        first[analysis->dominator[node] + 1]++;
    uint32_t sum = 0;
    for (uint32_t i = 1; i < nodes + 3; i++) {
        uint32_t count = first[i];
        first[i] = sum;
        sum += count;
    }
    for (uint32_t node = 0; node < nodes; node++)
        child[first[analysis->dominator[node] + 1]++] = node;
    return LG_OK;
}

uint64_t
lg__dominated_on(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return device == 0 ? analysis->host[node]
                       : lg__on_device_find(&analysis->device, device, node);
}

uint64_t
lg__retained_by(const lg_analysis *analysis, uint32_t node)
{
    uint64_t sum = analysis->host[node];
    uint32_t devices = analysis->graph->device_count;
    for (uint32_t device = 1; analysis->device.count > 0 && device <= devices;
         device++)
        sum += lg__dominated_on(analysis, node, device);
    return sum;
}

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

static size_t
count_sums(const lg_graph *graph)
{
    return (size_t)graph->columns.node_count + 2;
}

static bool
sums_open(const lg_graph *graph, lg__sums *sums)
{
    sums->low = lg__alloc(count_sums(graph) * sizeof *sums->low);
    return sums->low != NULL;
}

static void
sums_free(lg__sums *sums)
{
    lg__free(sums->low);
    lg__free(sums->high);
}

static bool
has_high(const lg_graph *graph, lg__sums *sums)
{
    if (sums->high == NULL)
        sums->high = lg__sparse_calloc(count_sums(graph), sizeof *sums->high);
    return sums->high != NULL;
}

// Sets a sum. Returns false when memory ran out.
static inline bool
set_sum(const lg_graph *graph, lg__sums *sums, uint32_t node, uint64_t bytes)
{
    const uint32_t high = (uint32_t)(bytes >> 32);
    sums->low[node] = (uint32_t)bytes;
    if (high != 0 && !has_high(graph, sums))
        return false;
    if (sums->high != NULL && sums->high[node] != high)
        sums->high[node] = high;
    return true;
}

// Sets what each node has on a device (0: the host).
static bool
set_sizes(const lg_graph *graph, uint32_t device, lg__sums *sums)
{
    const uint32_t nodes = graph->columns.node_count;
    bool enough = true;
    for (uint32_t node = 0; node < nodes && enough; node++)
        enough = set_sum(graph, sums, node,
                         device == 0 ? lg_node_size(graph, node) : 0);
    for (uint32_t i = 0; i < graph->placed_count && enough; i++) {
        const uint32_t node = graph->device_node[i];
        const bool is_there = graph->device_id[i] == device && device != 0;
        enough = set_sum(graph, sums, node,
                         is_there ? lg_node_size(graph, node) : 0);
    }
    return enough;
}

// Turns sizes into what the nodes retain. Backward, every node comes after all
// that it dominates, so its sum is complete when its dominator gets it.
static bool
add_up(const lg_analysis *analysis, const uint32_t *order, lg__sums *sums)
{
    const lg_graph *graph = analysis->graph;
    const uint32_t nodes = graph->columns.node_count;
    bool enough =
        set_sum(graph, sums, nodes, 0) && set_sum(graph, sums, nodes + 1, 0);
    for (uint32_t i = nodes; i-- > 0 && enough;) {
        const uint32_t above = analysis->dominator[order[i]];
        enough = set_sum(graph, sums, above,
                         lg__sum_of(sums, above) + lg__sum_of(sums, order[i]));
    }
    return enough;
}

static bool
sum_device(lg_analysis *analysis, const uint32_t *order, uint32_t device,
           lg__sums *sums)
{
    const lg_graph *graph = analysis->graph;
    const size_t count = count_sums(graph);
    bool enough =
        set_sizes(graph, device, sums) && add_up(analysis, order, sums);
    for (uint32_t node = 0; node < count && enough; node++)
        enough = lg__on_device_add(&analysis->device, device, node,
                                   lg__sum_of(sums, node));
    return enough;
}

static bool
sum_devices(lg_analysis *analysis, const uint32_t *order)
{
    const lg_graph *graph = analysis->graph;
    lg__sums sums = {0};
    if (graph->placed_count == 0)
        return true;
    bool enough = sums_open(graph, &sums);
    for (uint32_t device = 1; device <= graph->device_count && enough; device++)
        enough = sum_device(analysis, order, device, &sums);
    sums_free(&sums);
    return enough;
}

lg_status
lg__retained_sum(lg_analysis *analysis, const uint32_t *order, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    const bool enough = sums_open(graph, &analysis->host) &&
                        set_sizes(graph, 0, &analysis->host) &&
                        add_up(analysis, order, &analysis->host) &&
                        sum_devices(analysis, order);
    return enough ? LG_OK : lg__error_memory(err);
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
    return device == 0 ? lg__sum_of(&analysis->host, node)
                       : lg__on_device_find(&analysis->device, device, node);
}

uint64_t
lg__retained_by(const lg_analysis *analysis, uint32_t node)
{
    uint64_t sum = lg__sum_of(&analysis->host, node);
    uint32_t devices = analysis->graph->device_count;
    for (uint32_t device = 1; analysis->device.count > 0 && device <= devices;
         device++)
        sum += lg__dominated_on(analysis, node, device);
    return sum;
}

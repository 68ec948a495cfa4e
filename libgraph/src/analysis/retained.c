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

const lg__changed *
lg__changes_listed(const lg__changes *changes, uint32_t node)
{
    return bsearch(&node, changes->items.data, changes->items.count,
                   sizeof(lg__changed), lg__ascending32);
}

void
lg__changes_free(lg__changes *changes)
{
    const lg_allocator allocator = lg_allocator_default();
    if (changes == NULL)
        return;
    lg__free(changes->bits);
    lg__vector_free(&allocator, &changes->items);
    lg__free(changes);
}

// Sums that are being made: the lower halves are compact only in the end.
typedef struct adding {
    const lg_analysis *analysis;
    const uint32_t *order; // dominators first
    lg__sums sums;
    uint32_t *low;
} adding;

static size_t
count_sums(const lg_graph *graph)
{
    return (size_t)graph->columns.node_count + 2;
}

static bool
adding_begin(const lg_analysis *analysis, const uint32_t *order, adding *out)
{
    const lg_allocator allocator = lg_allocator_default();
    *out = (adding){.analysis = analysis, .order = order};
    out->low = lg__compact_open(&allocator, count_sums(analysis->graph),
                                &out->sums.low);
    return out->low != NULL;
}

static void
adding_free(adding *to)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__compact_free(&allocator, &to->sums.low);
    lg__free(to->sums.high);
}

static bool
has_high(adding *to)
{
    if (to->sums.high == NULL)
        to->sums.high = lg__sparse_calloc(count_sums(to->analysis->graph),
                                          sizeof *to->sums.high);
    return to->sums.high != NULL;
}

static inline uint64_t
sum_so_far(const adding *to, uint32_t node)
{
    const uint64_t high = to->sums.high != NULL ? to->sums.high[node] : 0;
    return high << 32 | to->low[node];
}

// Sets a sum. Returns false when memory ran out.
static inline bool
set_sum(adding *to, uint32_t node, uint64_t bytes)
{
    const uint32_t high = (uint32_t)(bytes >> 32);
    to->low[node] = (uint32_t)bytes;
    if (high != 0 && !has_high(to))
        return false;
    if (to->sums.high != NULL && to->sums.high[node] != high)
        to->sums.high[node] = high;
    return true;
}

// Sets what each node has on a device (0: the host).
static bool
set_sizes(adding *to, uint32_t device)
{
    const lg_graph *graph = to->analysis->graph;
    const uint32_t nodes = graph->columns.node_count;
    bool enough = true;
    for (uint32_t node = 0; node < nodes && enough; node++)
        enough = set_sum(to, node, device == 0 ? lg_node_size(graph, node) : 0);
    for (uint32_t i = 0; i < graph->placed_count && enough; i++) {
        const uint32_t node = graph->device_node[i];
        const bool is_there = graph->device_id[i] == device && device != 0;
        enough = set_sum(to, node, is_there ? lg_node_size(graph, node) : 0);
    }
    return enough;
}

// Turns sizes into what the nodes retain. Backward, every node comes after all
// that it dominates, so its sum is complete when its dominator gets it.
static bool
add_up(adding *to)
{
    const uint32_t nodes = to->analysis->graph->columns.node_count;
    bool enough = set_sum(to, nodes, 0) && set_sum(to, nodes + 1, 0);
    for (uint32_t i = nodes; i-- > 0 && enough;) {
        const uint32_t node = to->order[i];
        const uint32_t above = to->analysis->dominator[node];
        enough =
            set_sum(to, above, sum_so_far(to, above) + sum_so_far(to, node));
    }
    return enough;
}

static bool
sum_device(adding *to, uint32_t device, lg__vector *entries)
{
    const size_t count = count_sums(to->analysis->graph);
    bool enough = set_sizes(to, device) && add_up(to);
    for (uint32_t node = 0; node < count && enough; node++)
        enough = lg__on_device_add(entries, device, node, sum_so_far(to, node));
    return enough;
}

static bool
sum_devices(lg_analysis *analysis, const uint32_t *order)
{
    const lg_graph *graph = analysis->graph;
    adding to;
    if (graph->placed_count == 0)
        return true;
    bool enough = adding_begin(analysis, order, &to);
    for (uint32_t device = 1; device <= graph->device_count && enough; device++)
        enough = sum_device(&to, device, &analysis->device);
    adding_free(&to);
    return enough;
}

static bool
sum_host(lg_analysis *analysis, const uint32_t *order)
{
    const lg_allocator allocator = lg_allocator_default();
    adding to;
    if (!adding_begin(analysis, order, &to) || !set_sizes(&to, 0) ||
        !add_up(&to)) {
        adding_free(&to);
        return false;
    }
    lg__compact_close(&allocator, &to.sums.low, count_sums(analysis->graph));
    analysis->host = to.sums;
    return true;
}

lg_status
lg__retained_sum(lg_analysis *analysis, const uint32_t *order, lg_error *err)
{
    const bool enough =
        sum_host(analysis, order) && sum_devices(analysis, order);
    return enough ? LG_OK : lg__error_memory(err);
}

// Sorts the nodes by their dominators. Of `first`, which begins as zeros, the
// number behind that of a dominator is the place of its next child, and in the
// end where the children of the next one begin.
static void
sort_children(const lg_analysis *analysis, uint32_t *first, uint32_t *child)
{
    const uint32_t nodes = analysis->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        first[analysis->dominator[node] + 1]++;
    uint32_t sum = 0;
    for (uint32_t i = 1; i < nodes + 3; i++) {
        const uint32_t count = first[i];
        first[i] = sum;
        sum += count;
    }
    for (uint32_t node = 0; node < nodes; node++)
        child[first[analysis->dominator[node] + 1]++] = node;
}

lg_status
lg__retained_children(lg_analysis *analysis, lg_error *err)
{
    const lg_allocator allocator = lg_allocator_default();
    const size_t nodes = analysis->graph->columns.node_count;
    uint32_t *first =
        lg__compact_open(&allocator, nodes + 3, &analysis->first_child);
    uint32_t *child =
        first != NULL ? lg__compact_open(&allocator, nodes, &analysis->child)
                      : NULL;
    if (child == NULL)
        return lg__error_memory(err);
    memset(first, 0, (nodes + 3) * sizeof *first);
    sort_children(analysis, first, child);
    lg__compact_close(&allocator, &analysis->first_child, nodes + 3);
    lg__compact_close(&allocator, &analysis->child, nodes);
    return LG_OK;
}

void
lg__children_forget(lg_analysis *analysis)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__compact_free(&allocator, &analysis->first_child);
    lg__compact_free(&allocator, &analysis->child);
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

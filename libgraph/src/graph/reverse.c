// Makes indexes when they are first used: in-edges, and nodes by address.
#include "graph/graph_private.h"

#include <string.h>

// Counts in-edges: afterwards first[node + 1] is the start of the node's
// in-edges. Filling moves it to their end, where those of the next node start.
static void
count_in_edges(const lg_columns *columns, uint64_t *first)
{
    memset(first, 0, ((size_t)columns->node_count + 1) * sizeof *first);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        first[columns->edge_target[edge] + 1]++;
    uint64_t sum = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint64_t count = first[node + 1];
        first[node + 1] = sum;
        sum += count;
    }
}

static void
fill_in_edges(const lg_columns *columns, uint64_t *first, lg__in_edge *edges)
{
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint64_t begin = columns->first_edge[node];
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = begin; edge < end; edge++)
            edges[first[columns->edge_target[edge] + 1]++] =
                (lg__in_edge){node, (uint32_t)(edge - begin)};
    }
}

static bool
make_reverse(const lg_graph *graph, lg__reverse *out)
{
    const lg_columns *columns = &graph->columns;
    size_t first_size = ((size_t)columns->node_count + 1) * sizeof(uint64_t);
    uint64_t *first = lg__allocate(&graph->allocator, first_size);
    lg__in_edge *edges =
        lg__allocate(&graph->allocator, columns->edge_count * sizeof *edges);
    if (first == NULL || edges == NULL) {
        lg__deallocate(&graph->allocator, first, first_size);
        lg__deallocate(&graph->allocator, edges,
                       columns->edge_count * sizeof *edges);
        return false;
    }
    count_in_edges(columns, first);
    fill_in_edges(columns, first, edges);
    *out = (lg__reverse){first, edges};
    return true;
}

bool
lg__graph_reverse(const lg_graph *graph, lg__reverse *out)
{
    lg__lazy *lazy = graph->lazy;
    if (graph->whole != NULL)
        return lg__graph_reverse(graph->whole, out);
    if (!lazy->has_reverse) {
        lg_lock_take(&lazy->lock);
        if (!lazy->has_reverse)
            lazy->has_reverse = make_reverse(graph, &lazy->reverse);
        lg_lock_give(&lazy->lock);
    }
    if (!lazy->has_reverse)
        return false;
    *out = lazy->reverse;
    return true;
}

uint64_t
lg_node_referrers(const lg_graph *graph, lg_node node, lg_edge *edges,
                  uint64_t capacity)
{
    lg__reverse reverse;
    if (!lg__graph_reverse(graph, &reverse))
        return UINT64_MAX;
    const lg__in_edge *in = reverse.edge + reverse.first[node];
    uint64_t count = reverse.first[node + 1] - reverse.first[node];
    for (uint64_t i = 0; i < count && i < capacity; i++)
        edges[i] = graph->columns.first_edge[in[i].source] + in[i].rank;
    return count;
}

// Sorts by 8 bits at a time. The sort is stable, so of two nodes with one
// address the lower comes first. Skips passes in which all digits agree.
static void
sort_by_address(const lg_columns *columns, uint32_t *nodes, uint32_t *spare,
                uint32_t count)
{
    uint32_t *source = nodes;
    uint32_t *target = spare;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t place[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            place[(columns->address[source[i]] >> shift & 255) + 1]++;
        uint64_t sample = columns->address[source[0]] >> shift & 255;
        if (place[sample + 1] == count)
            continue;
        for (size_t digit = 1; digit < 257; digit++)
            place[digit] += place[digit - 1];
        for (uint32_t i = 0; i < count; i++)
            target[place[columns->address[source[i]] >> shift & 255]++] =
                source[i];
        uint32_t *swapped = source;
        source = target;
        target = swapped;
    }
    if (source != nodes)
        memcpy(nodes, source, count * sizeof *nodes);
}

static bool
make_by_address(const lg_graph *graph, lg__lazy *out)
{
    const lg_columns *columns = &graph->columns;
    size_t size = columns->node_count * sizeof(uint32_t);
    uint32_t *nodes = lg__allocate(&graph->allocator, size);
    uint32_t *spare = lg__allocate(&graph->allocator, size);
    if (nodes != NULL && spare != NULL) {
        uint32_t filled = 0;
        for (uint32_t node = 0; node < columns->node_count; node++)
            if (columns->address[node] != 0)
                nodes[filled++] = node;
        if (filled > 0)
            sort_by_address(columns, nodes, spare, filled);
        out->by_address = nodes;
        out->by_address_count = filled;
    } else {
        lg__deallocate(&graph->allocator, nodes, size);
        nodes = NULL;
    }
    lg__deallocate(&graph->allocator, spare, size);
    return nodes != NULL;
}

static uint32_t
scan_for_address(const lg_columns *columns, uint64_t address)
{
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (columns->address[node] == address)
            return node;
    return LG_NONE;
}

static uint32_t
search_address(const lg_columns *columns, const uint32_t *nodes, uint32_t count,
               uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (columns->address[nodes[middle]] < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < count && columns->address[nodes[low]] == address)
        return nodes[low];
    return LG_NONE;
}

lg_node
lg_graph_find(const lg_graph *graph, uint64_t address)
{
    lg__lazy *lazy = graph->lazy;
    if (address == 0)
        return LG_NONE;
    // Making the index takes as long as this many scans, and most callers ask
    // once.
    const uint32_t scans = 16;
    if (!lazy->has_by_address && lazy->asked++ >= scans) {
        lg_lock_take(&lazy->lock);
        if (!lazy->has_by_address)
            lazy->has_by_address = make_by_address(graph, lazy);
        lg_lock_give(&lazy->lock);
    }
    // Without memory for the index, every question costs a scan.
    if (!lazy->has_by_address)
        return scan_for_address(&graph->columns, address);
    return search_address(&graph->columns, lazy->by_address,
                          lazy->by_address_count, address);
}

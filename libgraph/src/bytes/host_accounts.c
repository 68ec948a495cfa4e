// Sorts the bytes of the host by their use.
#include "bytes/bytes_private.h"

static void
add_buffer(const lg_graph *graph, const lg__storages *storages, uint32_t node,
           uint64_t bytes, lg_accounts *out)
{
    lg_string memory = lg_node_fact(graph, node, "memory");
    if (lg__string_is(memory, "mapped"))
        out->mapped += bytes;
    else if (storages->slot[node] != 0)
        out->tensors += bytes;
    else
        out->arrays += bytes;
    if (lg__string_is(memory, "pinned"))
        out->pinned += bytes;
}

static int64_t
recorded(const lg_graph *graph, const char *key)
{
    uint64_t bytes;
    bool known = lg__decimal_read(lg_graph_info_find(graph, key), &bytes);
    return known && bytes <= INT64_MAX ? (int64_t)bytes : -1;
}

void
lg__accounts_host(const lg_graph *graph, const lg__storages *storages,
                  lg_accounts *out)
{
    const lg_columns *columns = &graph->columns;
    uint32_t placed = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint64_t bytes = lg_node_size(graph, node);
        unsigned flags = columns->node_flags[node];
        if (placed < graph->placed_count &&
            graph->device_node[placed] == node) {
            placed++;
            continue;
        }
        if (flags & LG_NODE_BUFFER)
            add_buffer(graph, storages, node, bytes, out);
        else if (flags & LG_NODE_CPP)
            out->cpp += bytes;
        else
            out->python += bytes;
    }
    lg__decimal_read(lg_graph_info_find(graph, "memory.rss"), &out->rss);
    lg__decimal_read(lg_graph_info_find(graph, "memory.leakgraph"), &out->own);
    out->malloc = recorded(graph, "memory.malloc");
    out->arenas = recorded(graph, "memory.python");
    out->pyarrow = recorded(graph, "memory.pyarrow");
}

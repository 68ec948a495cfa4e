// What allocators spend on objects: more than the objects' sizes.
#include "graph/graph_private.h"

#include <string.h>

enum {
    SMALL = 512, // pymalloc has this and less, in steps of STEP
    STEP = 16,
    HEADER = 8, // of a block of glibc's malloc
};

// Types whose instances are two blocks, and the bytes of the first, with the
// collector's head: the items of a list, the table of a dict or a set.
static const struct {
    const char *type;
    uint32_t first;
} parted[] = {{"list", 56}, {"dict", 64}, {"set", 216}, {"frozenset", 216}};

enum { PARTED = sizeof parted / sizeof *parted };

static uint64_t
block_of(uint64_t bytes)
{
    uint64_t header = bytes <= SMALL ? 0 : HEADER;
    return (bytes + header + STEP - 1) / STEP * STEP;
}

static uint64_t
spent_on(uint64_t bytes, uint32_t first)
{
    return first > 0 && bytes > first
               ? block_of(first) + block_of(bytes - first)
               : block_of(bytes);
}

// Objects whose size is the allocator's already, or that it knows nothing of.
static bool
is_exact(const lg_graph *graph, uint32_t node)
{
    const unsigned flags =
        LG_NODE_SYNTHETIC | LG_NODE_BUFFER | LG_NODE_CPP | LG_NODE_IMMORTAL;
    return (graph->columns.node_flags[node] & flags) != 0;
}

uint64_t
lg_node_spent(const lg_graph *graph, lg_node node)
{
    uint64_t bytes = lg_node_size(graph, node);
    if (is_exact(graph, node))
        return bytes;
    lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
    for (size_t i = 0; i < PARTED && type.length <= 9; i++)
        if (lg__string_is(type, parted[i].type))
            return spent_on(bytes, parted[i].first);
    return block_of(bytes);
}

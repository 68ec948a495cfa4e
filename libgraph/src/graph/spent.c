// Computes what allocators spend on objects, which is more than the objects'
// sizes.
#include "graph/graph_private.h"

#include <string.h>

enum {
    SMALL = 512, // pymalloc has blocks up to this size, in steps of STEP
    STEP = 16,
    HEADER = 8, // glibc's malloc puts it before each block
};

// Types whose instances take several blocks, with the collector's head: for a
// list, dict or set, the bytes of the first block, besides the items or the
// table; for a greenlet, those besides the copy of its stack; for a deque, the
// bytes of each block of items. NumPy asks malloc for the shape and strides of
// an array, PyTorch for the C++ part of a tensor, and CPython up to 3.13 for
// the semaphore of a lock or a SimpleQueue. The first block of such a type is
// no shorter than a whole object without a semaphore.
static const struct {
    lg_string type;
    lg__block_parts parts;
} parted[] = {
    {{"", 0}, {0}}, // any other
    {{"list", 4}, {.first = 56}},
    {{"dict", 4}, {.first = 64}},
    {{"set", 3}, {.first = 216}},
    {{"frozenset", 9}, {.first = 216}},
    {{"frozendict", 10}, {.first = 72}},
    {{"numpy.ndarray", 13}, {.first = 96, .native = true}},
    {{"torch.Tensor", 12}, {.first = 80, .native = true}},
    {{"torch.nn.parameter.Parameter", 28}, {.first = 80, .native = true}},
    {{"_thread.lock", 12}, {.first = 56, .native = true}},
    {{"_thread.RLock", 13}, {.first = 64, .native = true}},
    {{"_queue.SimpleQueue", 18}, {.first = 88, .native = true}},
    {{"greenlet.greenlet", 17}, {.first = 56}},
    {{"collections.deque", 17}, {.each = 528}},
};

uint64_t
lg__block_spent(uint64_t bytes)
{
    uint64_t header = bytes <= SMALL ? 0 : HEADER;
    return (bytes + header + STEP - 1) / STEP * STEP;
}

lg__blocks
lg__blocks_of(uint64_t bytes, lg__block_parts parts)
{
    uint64_t first = parts.each > 0 ? bytes % parts.each : parts.first;
    bool has_two = first > 0 && bytes > first;
    return has_two ? (lg__blocks){first, bytes - first, parts.native}
                   : (lg__blocks){bytes, 0, false};
}

uint64_t
lg__blocks_small(lg__blocks blocks)
{
    return (blocks.first <= SMALL ? lg__block_spent(blocks.first) : 0) +
           (blocks.rest <= SMALL && !blocks.native
                ? lg__block_spent(blocks.rest)
                : 0);
}

uint64_t
lg__blocks_large(lg__blocks blocks)
{
    return (blocks.first > SMALL ? blocks.first : 0) +
           (blocks.rest > SMALL || blocks.native ? blocks.rest : 0);
}

static uint64_t
spent_on(uint64_t bytes, lg__block_parts parts)
{
    lg__blocks blocks = lg__blocks_of(bytes, parts);
    return lg__block_spent(blocks.first) + lg__block_spent(blocks.rest);
}

uint8_t
lg__parts_number(lg_string type)
{
    for (uint8_t i = 1; i < sizeof parted / sizeof *parted; i++)
        if (type.length == parted[i].type.length &&
            memcmp(type.data, parted[i].type.data, type.length) == 0)
            return i;
    return 0;
}

lg__block_parts
lg__parts_of(lg_string type)
{
    return parted[lg__parts_number(type)].parts;
}

// Returns whether the size of an object is exact already, or the allocator does
// not know it.
static bool
is_exact(const lg_graph *graph, uint32_t node)
{
    const unsigned flags =
        LG_NODE_SYNTHETIC | LG_NODE_BUFFER | LG_NODE_CPP | LG_NODE_IMMORTAL;
    return (lg_columns_flags(&graph->columns, node) & flags) != 0;
}

uint64_t
lg_node_spent(const lg_graph *graph, lg_node node)
{
    uint64_t bytes = lg_node_size(graph, node);
    if (is_exact(graph, node))
        return bytes;
    uint32_t type = lg_columns_type(&graph->columns, node);
    return spent_on(bytes, parted[graph->type_trait[type].parted].parts);
}

uint64_t
lg__graph_rounding(const lg_graph *graph)
{
    const lg_columns *columns = &graph->columns;
    uint64_t sum = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint32_t size = lg_columns_size(columns, node);
        bool one_block =
            graph->type_trait[lg_columns_type(columns, node)].parted == 0;
        if (is_exact(graph, node))
            continue;
        if (!one_block || size > SMALL)
            sum += lg_node_spent(graph, node) - lg_node_size(graph, node);
        else
            sum += lg__block_spent(size) - size;
    }
    return sum;
}

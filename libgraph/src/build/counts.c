// Counts of references in bytes.
#include "build/counts.h"

#include "base/base_private.h"

#include <limits.h>
#include <string.h>

lg__counts
lg__counts_open(void)
{
    return (lg__counts){.low.element = sizeof(uint8_t),
                        .carried.element = sizeof(uint32_t)};
}

void
lg__counts_free(const lg_allocator *allocator, lg__counts *counts)
{
    lg__vector_free(allocator, &counts->low);
    lg__vector_free(allocator, &counts->carried);
}

bool
lg__counts_extend(const lg_allocator *allocator, lg__counts *counts,
                  size_t nodes)
{
    const size_t before = counts->low.count;
    if (nodes <= before)
        return true;
    void *added = lg__vector_extend(allocator, &counts->low, nodes - before);
    if (added != NULL)
        memset(added, 0, nodes - before);
    return added != NULL;
}

bool
lg__counts_carry(const lg_allocator *allocator, lg__counts *counts,
                 uint32_t node)
{
    uint32_t *place = lg__vector_extend(allocator, &counts->carried, 1);
    if (place != NULL)
        *place = node;
    return place != NULL;
}

// Of the counted edges, those that count to a node are its byte, and 256 for
// each time that the node is in `carried`. Both change together or not at all,
// so memory that runs out leaves fewer edges counted.
uint64_t
lg__counts_add_edges(const lg_allocator *allocator, lg__counts *counts,
                     const lg__edge_rules *rules,
                     const lg_edge_targets *targets, const lg_edge_kinds *kinds,
                     uint64_t edge, uint64_t end)
{
    const lg_edge_targets to = *targets;
    const lg_edge_kinds of = *kinds;
    uint8_t *low = counts->low.data;
    for (; edge < end; edge++) {
        const uint32_t target = lg_edge_targets_at(&to, edge);
        const unsigned kind = lg_edge_kinds_at(&of, edge);
        if (target >= rules->nodes)
            break;
        const uint8_t sum = (uint8_t)(low[target] + rules->of[kind].counted);
        if (sum < low[target] && !lg__counts_carry(allocator, counts, target))
            break;
        low[target] = sum;
    }
    return edge;
}

// Goes through the nodes with large counts in ascending order: those that are
// listed, and those whose bytes are large. Both sequences ascend, so a step
// takes the lower node, or both if they are one. So numbers are listed in order
// of nodes, which appends each at the end.
bool
lg__counts_settle(const lg_allocator *allocator, lg__counts *counts,
                  lg__numbers *numbers)
{
    const uint8_t limit = (uint8_t)lg__numbers_limit(numbers);
    const size_t nodes = counts->low.count;
    uint8_t *low = counts->low.data;
    const uint32_t *carried = counts->carried.data;
    const size_t carries = counts->carried.count;
    if (!lg__radix_sort(allocator, counts->carried.data, carries,
                        sizeof *carried))
        return false;
    size_t large = lg__first_byte_at_least(low, 0, nodes, limit);
    for (size_t next = 0; next < carries || large < nodes;) {
        const size_t node =
            next < carries && carried[next] < large ? carried[next] : large;
        uint64_t count = low[node];
        for (; next < carries && carried[next] == node; next++)
            count += 1U << CHAR_BIT;
        if (node == large)
            large = lg__first_byte_at_least(low, node + 1, nodes, limit);
        if (!lg__numbers_set(allocator, numbers, low, (uint32_t)node, count))
            return false;
    }
    lg__vector_free(allocator, &counts->carried);
    return true;
}

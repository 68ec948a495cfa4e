/**
 * Counts of the references to each node: a byte for each, and a list of the
 * nodes whose counts have come to another 256. Most nodes have few references.
 */
#ifndef LEAKGRAPH_COUNTS_H
#define LEAKGRAPH_COUNTS_H

#include "build/numbers.h"

typedef struct lg__counts {
    lg__vector low;     /**< u8 per node: references, modulo 256 */
    lg__vector carried; /**< u32: a node for each 256 of its references */
} lg__counts;

lg__counts lg__counts_open(void);
void lg__counts_free(const lg_allocator *allocator, lg__counts *counts);

/** Makes room for at least that many nodes; new counts are 0. Returns false
 * when memory ran out. */
bool lg__counts_extend(const lg_allocator *allocator, lg__counts *counts,
                       size_t nodes);
/** Notes that the references of a node have come to another 256. Returns false
 *  when memory ran out. */
bool lg__counts_carry(const lg_allocator *allocator, lg__counts *counts,
                      uint32_t node);

/** Counts that many references more, at most 255. Returns false, and counts
 *  nothing, when memory ran out. */
static inline bool
lg__counts_add(const lg_allocator *allocator, lg__counts *counts, uint32_t node,
               uint32_t more)
{
    uint8_t *low = counts->low.data;
    const uint8_t sum = (uint8_t)(low[node] + more);
    if (sum < low[node] && !lg__counts_carry(allocator, counts, node))
        return false;
    low[node] = sum;
    return true;
}

/** Counts the targets of edges from one on, as far as they are nodes and there
 *  is memory. Returns the first edge that is not counted. */
uint64_t lg__counts_add_edges(const lg_allocator *allocator, lg__counts *counts,
                              const lg__edge_rules *rules,
                              const lg_edge_targets *targets,
                              const lg_edge_kinds *kinds, uint64_t edge,
                              uint64_t end);

/** Makes elements of `numbers` of the bytes. Returns false when memory ran out.
 */
bool lg__counts_settle(const lg_allocator *allocator, lg__counts *counts,
                       lg__numbers *numbers);

#endif

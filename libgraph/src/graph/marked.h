/**
 * Which of many nodes have something, and its place in a list of what they
 * have: a bit for each node, and the number of bits before each 64 nodes.
 */
#ifndef LEAKGRAPH_MARKED_H
#define LEAKGRAPH_MARKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The bits of 64 nodes, and how many nodes before them have one. */
typedef struct lg__marked_block {
    uint64_t has;
    uint32_t first;
} lg__marked_block;

/** Counts bits, in pairs, fours and bytes. For processors that may not have an
 *  instruction for it, GCC calls a slower function. */
static inline uint32_t
lg__count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/** Returns the number of blocks for that many nodes. */
static inline size_t
lg__marked_blocks(uint32_t nodes)
{
    return (size_t)nodes / 64 + 1;
}

static inline void
lg__mark_node(lg__marked_block *blocks, uint32_t node)
{
    blocks[node / 64].has |= UINT64_C(1) << node % 64;
}

static inline bool
lg__is_marked(const lg__marked_block *blocks, uint32_t node)
{
    return blocks[node / 64].has >> node % 64 & 1;
}

/** Sets the counts of all blocks from their bits. Returns how many nodes have
 *  one. */
static inline uint32_t
lg__count_marks(lg__marked_block *blocks, size_t count)
{
    uint32_t marked = 0;
    for (size_t i = 0; i < count; i++) {
        blocks[i].first = marked;
        marked += lg__count_bits(blocks[i].has);
    }
    return marked;
}

/** Returns the place of what a marked node has. */
static inline uint32_t
lg__marked_place(const lg__marked_block *blocks, uint32_t node)
{
    const lg__marked_block *block = &blocks[node / 64];
    const uint64_t before = (UINT64_C(1) << node % 64) - 1;
    return block->first + lg__count_bits(block->has & before);
}

#endif

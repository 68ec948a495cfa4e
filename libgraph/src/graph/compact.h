/**
 * Numbers of 32 bits in few bytes, where numbers in a row are close: blocks of
 * 64, each with its least number and the distances to it, in as many bytes as
 * the greatest needs. Any number is read without the others. To write them
 * costs little more than to copy them.
 */
#ifndef LEAKGRAPH_COMPACT_H
#define LEAKGRAPH_COMPACT_H

#include <leakgraph/internal/columns.h>

#include "base/base_private.h"

/** It begins as {0}. */
typedef struct lg__compact {
    lg__vector block; /**< lg_compact_block */
    lg__vector bytes; /**< the distances; before lg__compact_close, the numbers
                           themselves */
} lg__compact;

/** Makes room for so many numbers, of fewer than 2^32, and returns where to
 *  write them; NULL when memory ran out. */
uint32_t *lg__compact_open(const lg_allocator *allocator, size_t count,
                           lg__compact *out);
/** Makes the numbers that are written compact. Without memory for a shorter
 *  block they stay in the one that they have. O(count). */
void lg__compact_close(const lg_allocator *allocator, lg__compact *numbers,
                       size_t count);
void lg__compact_free(const lg_allocator *allocator, lg__compact *numbers);

/** Returns the block that has the number with that index. */
static inline const lg_compact_block *
lg__compact_block_of(const lg__compact *numbers, size_t index)
{
    return (const lg_compact_block *)numbers->block.data +
           index / LG_COMPACT_BLOCK;
}

/** Returns where the distance of the number with that index is. */
static inline const char *
lg__compact_distance(const lg__compact *numbers, size_t index)
{
    return lg_compact_distance(lg__compact_block_of(numbers, index),
                               numbers->bytes.data, index);
}

/** Returns the number with that index. */
static inline uint32_t
lg__compact_at(const lg__compact *numbers, size_t index)
{
    return lg_compact_in(lg__compact_block_of(numbers, index),
                         numbers->bytes.data, index);
}

/** Copies `count` numbers from one on. */
void lg__compact_copy(const lg__compact *numbers, size_t from, size_t count,
                      uint32_t *to);

/** Makes `count` numbers compact in their own block, in which they come first.
 *  `block` has room for lg__compact_blocks. Returns how many bytes of the block
 *  are used; at most those of the numbers. O(count). */
size_t lg__compact_write(uint32_t *numbers, size_t count,
                         lg_compact_block *block);

/** Returns how many blocks so many numbers have. */
static inline size_t
lg__compact_blocks(size_t count)
{
    return (count + LG_COMPACT_BLOCK - 1) / LG_COMPACT_BLOCK;
}

/** Returns the index of the last number that is at most `most`, if the numbers
 *  rise and it is none before `low` and none behind `high`. */
static inline uint32_t
lg__compact_find(const lg_compact *numbers, uint32_t most, uint32_t low,
                 uint32_t high)
{
    uint32_t first = low / LG_COMPACT_BLOCK, last = high / LG_COMPACT_BLOCK;
    while (first < last) {
        const uint32_t middle = last - (last - first) / 2;
        if (numbers->block[middle].base <= most)
            first = middle;
        else
            last = middle - 1;
    }
    const lg_compact_block *block = &numbers->block[first];
    const char *distances = lg_compact_distance(block, numbers->bytes, 0);
    const uint32_t begin = first * LG_COMPACT_BLOCK;
    const uint32_t end = begin + (LG_COMPACT_BLOCK - 1);
    const unsigned width = lg_compact_width(block);
    low = low > begin ? low : begin;
    high = high < end ? high : end;
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        const char *at = distances + (size_t)(middle - begin) * width;
        if (lg_compact_above(at, width) <= most - block->base)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/** Returns `count` numbers from one on, where they are or in the room. */
const uint32_t *lg__compact_some(const lg_compact *numbers, uint64_t from,
                                 size_t count, uint32_t *room);

#endif

/**
 * Numbers of 32 bits in few bytes, where numbers in a row are close: blocks of
 * 64, each with its least number and the distances to it, in as many bytes as
 * the greatest needs. Any number is read without the others. To write them
 * costs little more than to copy them.
 */
#ifndef LEAKGRAPH_COMPACT_H
#define LEAKGRAPH_COMPACT_H

#include <string.h>

#include "base/base_private.h"

enum {
    LG__COMPACT_BLOCK = 64,
    LG__COMPACT_WIDTH = 3, /**< bits of a place that are its width */
};

typedef struct lg__compact_block {
    uint32_t base;  /**< the least number */
    uint32_t place; /**< how many bytes a distance has; above that, how many
                         times 64 bytes lie before the distances */
} lg__compact_block;

/** It begins as {0}. */
typedef struct lg__compact {
    lg__vector block; /**< lg__compact_block */
    lg__vector bytes; /**< the distances; before lg__compact_close, the numbers
                           themselves */
} lg__compact;

/** Makes room for that many numbers, fewer than 2^32, and returns where to
 *  write them; NULL when memory ran out. */
uint32_t *lg__compact_open(const lg_allocator *allocator, size_t count,
                           lg__compact *out);
/** Makes the numbers that are written compact. Without memory for a shorter
 *  block they stay in the one that they have. O(count). */
void lg__compact_close(const lg_allocator *allocator, lg__compact *numbers,
                       size_t count);
/** Bytes of a block that has room for so many numbers to be made compact. */
size_t lg__compact_room(size_t count);
/** Makes numbers compact that are the first of a block with such room, and
 *  takes the block over. Returns false when memory ran out, and has freed it
 *  then. */
bool lg__compact_take(const lg_allocator *allocator, lg__vector *numbers,
                      size_t count, lg__compact *out);
/** Writes numbers one by one, of which no more are wide at a time than a block
 *  has. It begins with an allocator and numbers that are {0}, and the rest 0.
 */
typedef struct lg__compact_writer {
    const lg_allocator *allocator;
    lg__compact numbers;
    uint32_t waiting[LG__COMPACT_BLOCK];
    unsigned count; /**< of those that wait */
} lg__compact_writer;

/** Adds a number behind all others. Returns false when memory ran out. */
bool lg__compact_add(lg__compact_writer *writer, uint32_t number);
/** Ends the numbers. Returns false when memory ran out. */
bool lg__compact_end(lg__compact_writer *writer);
void lg__compact_free(const lg_allocator *allocator, lg__compact *numbers);

/** Returns how many bytes each distance of a block has. */
static inline unsigned
lg__compact_width(const lg__compact_block *block)
{
    return block->place & ((1U << LG__COMPACT_WIDTH) - 1);
}

/** Returns the block that has the number with that index. */
static inline const lg__compact_block *
lg__compact_block_of(const lg__compact *numbers, size_t index)
{
    return (const lg__compact_block *)numbers->block.data +
           index / LG__COMPACT_BLOCK;
}

/** Returns where the distance of the number with that index is. */
static inline const char *
lg__compact_distance(const lg__compact *numbers, size_t index)
{
    const lg__compact_block *block = lg__compact_block_of(numbers, index);
    const size_t before = block->place >> LG__COMPACT_WIDTH;
    return (const char *)numbers->bytes.data + before * LG__COMPACT_BLOCK +
           index % LG__COMPACT_BLOCK * lg__compact_width(block);
}

/** Returns the number with that index. */
static inline uint32_t
lg__compact_at(const lg__compact *numbers, size_t index)
{
    const lg__compact_block *block = lg__compact_block_of(numbers, index);
    const uint64_t beyond = UINT64_C(1) << 8 * lg__compact_width(block);
    uint32_t bytes;
    memcpy(&bytes, lg__compact_distance(numbers, index), sizeof bytes);
    return block->base + (bytes & (uint32_t)(beyond - 1));
}

/** Copies `count` numbers from one on. */
void lg__compact_copy(const lg__compact *numbers, size_t from, size_t count,
                      uint32_t *to);

#endif

/**
 * Writes numbers in blocks: see lg_packed.
 */
#ifndef LEAKGRAPH_PACKED_H
#define LEAKGRAPH_PACKED_H

#include <leakgraph/internal/columns.h>

#include "base/base_private.h"

struct lg__made_column;

/** Packed numbers that grow by a block at a time. */
typedef struct lg__packing {
    lg__vector block; /**< lg_packed_block */
    lg__vector word;  /**< uint64_t */
} lg__packing;

/** Begins with no numbers, but room for the blocks of `count` of them. Returns
 *  false when memory ran out. */
bool lg__packing_open(const lg_allocator *allocator, uint64_t count,
                      lg__packing *out);

/** Appends a block: the complements of LG_PACKED_BLOCK numbers, or of fewer, if
 *  no block follows. Of addresses, not even the stack has more than one at a
 *  time. Returns false when memory ran out. */
bool lg__packing_add(const lg_allocator *allocator, lg__packing *packing,
                     const uint64_t *complements, size_t count);

/** Appends the blocks of one to those of another, which may be read at once,
 *  and leaves none in the first. Returns false when memory ran out, and changes
 *  nothing then. */
bool lg__packing_move(const lg_allocator *allocator, lg__packing *from,
                      lg__packing *to);

/** Completes the numbers, which are read until the vectors are freed. Returns
 *  false when memory ran out. */
bool lg__packing_end(const lg_allocator *allocator, lg__packing *packing,
                     lg_packed *out);
void lg__packing_free(const lg_allocator *allocator, lg__packing *packing);

/** The number with that index, of numbers whose difference has 32 bits: their
 *  blocks list none. */
static inline uint64_t
lg__packed_near(const lg_packed *packed, uint64_t index)
{
    const lg_packed_block *block = &packed->block[index / LG_PACKED_BLOCK];
    const uint64_t bit = index % LG_PACKED_BLOCK * block->width;
    uint64_t bits;
    memcpy(&bits, (const char *)(packed->word + block->begin) + bit / 8,
           sizeof bits);
    const uint64_t above = bits >> bit % 8 & lg_packed_greatest(block);
    return ~(block->base + (above << block->shift));
}

/** Makes the column of `count` addresses, and takes the vectors over. Returns
 *  false when memory ran out, and frees them then. */
bool lg__packing_finish(const lg_allocator *allocator, lg__packing *packing,
                        uint64_t count, struct lg__made_column *out);

/** Returns the index of the first of `count` packed numbers that is this one;
 *  `count` if none is. O(count / LG_PACKED_BLOCK), and more for each block that
 *  has numbers below and above close to it. */
uint64_t lg__packed_find(const lg_packed *packed, uint64_t count,
                         uint64_t number);

#endif

/** Blocks: the parts of a column that encodings treat one after the other. */
#ifndef LEAKGRAPH_BLOCK_H
#define LEAKGRAPH_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/** The last block has fewer. */
enum { LG__BLOCK_ELEMENTS = 1 << 16 };

/** Returns how many of `count` elements the block has that begins at element
 *  `at`. */
static inline size_t
lg__block_count(uint64_t count, uint64_t at)
{
    uint64_t left = count - at;
    return left < LG__BLOCK_ELEMENTS ? (size_t)left : LG__BLOCK_ELEMENTS;
}

#endif

/**
 * The pools of pymalloc, CPython 3.9 to 3.15.
 *
 * obmalloc.c: an arena is a mapping with pools of equal size, each for blocks
 * of one size. A pool begins with a header of 48 bytes. The table of arenas has
 * no name outside CPython, and each interpreter has one; but a header proves
 * itself: its sizes fit each other, and the blocks that are in use and those in
 * its list of free blocks add up.
 */
#ifndef LEAKGRAPH_PYTHON_POOLS_H
#define LEAKGRAPH_PYTHON_POOLS_H

#include "heap/blocks.h"

/** A pool, as its header says. */
typedef struct lg__pool {
    uintptr_t start;
    uint32_t bytes; /**< of the pool */
    uint32_t arena; /**< number of its arena in its interpreter */
    uint32_t used;  /**< blocks */
    uint32_t size;  /**< of a block */
    uint32_t end;   /**< of the blocks that were used once */
    uintptr_t free; /**< the first free block, or 0 */
} lg__pool;

/** No arena is larger. */
#define LG__ARENA_MOST ((uintptr_t)2 << 20)

/** Reads the pool that begins with this page. False: there is none. */
bool lg__pool_read(const lg__area *area, uintptr_t page, lg__pool *out);
/** Adds its blocks in use. */
void lg__pool_list(const lg__pool *pool, lg__blocks *blocks);

#endif

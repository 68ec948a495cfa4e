/**
 * The list of blocks while it is made: ascending, in memory of the capture.
 */
#ifndef LEAKGRAPH_BLOCKS_H
#define LEAKGRAPH_BLOCKS_H

#include "heap/areas.h"

#include <leakgraph/internal/native.h>

/** In place of an lg_allocator_kind: the program has freed the block. */
enum { LG__BLOCK_FREED = LG_ALLOCATOR_KIND_COUNT };

typedef struct lg__blocks {
    lg_native_block *items;
    size_t count;
    size_t room;
    const lg_allocator *allocator;
    bool failed; /**< memory ran out, or there are too many */
} lg__blocks;

/** Makes room for one more; false if that fails. */
bool lg__blocks_grow(lg__blocks *blocks);
void lg__blocks_free(lg__blocks *blocks);

/** Adds a block, unless it lies where no allocator's memory does. */
static inline void
lg__blocks_add(lg__blocks *blocks, uintptr_t address, size_t bytes,
               unsigned kind)
{
    if (address >= LG_BLOCK_ADDRESS_END ||
        (blocks->count == blocks->room && !lg__blocks_grow(blocks)))
        return;
    blocks->items[blocks->count++] = lg_block_make(address, bytes, kind);
}

/** Removes freed blocks of malloc; returns their bytes, with headers. */
uint64_t lg__blocks_drop_freed(lg__blocks *blocks);
/** Returns whether they ascend and do not overlap. */
bool lg__blocks_ascend(const lg__blocks *blocks);

#endif

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

/** Makes room for one more; false if that fails. The first room is half a huge
 *  page. */
static inline bool
lg__blocks_grow(lg__blocks *blocks)
{
    size_t room = blocks->room ? 2 * blocks->room : (size_t)1 << 16;
    const size_t item = sizeof *blocks->items;
    lg_native_block *grown = NULL;
    if (!blocks->failed && room < UINT32_MAX)
        grown =
            blocks->allocator->resize(blocks->allocator->context, blocks->items,
                                      blocks->room * item, room * item);
    blocks->failed = grown == NULL;
    if (blocks->failed)
        return false;
    blocks->items = grown;
    blocks->room = room;
    return true;
}

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

#endif

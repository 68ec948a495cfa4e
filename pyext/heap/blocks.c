#include "heap/blocks.h"

/** Room for the first blocks: half a huge page. */
#define FIRST_ROOM ((size_t)1 << 16)

bool
lg__blocks_grow(lg__blocks *blocks)
{
    size_t room = blocks->room ? 2 * blocks->room : FIRST_ROOM;
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

void
lg__blocks_free(lg__blocks *blocks)
{
    if (blocks->items != NULL)
        blocks->allocator->resize(blocks->allocator->context, blocks->items,
                                  blocks->room * sizeof *blocks->items, 0);
    *blocks = (lg__blocks){.allocator = blocks->allocator};
}

uint64_t
lg__blocks_drop_freed(lg__blocks *blocks)
{
    uint64_t bytes = 0;
    size_t kept = 0;
    for (size_t i = 0; i < blocks->count; i++) {
        lg_native_block *block = &blocks->items[i];
        if (block->kind == LG__BLOCK_FREED)
            bytes += lg_block_bytes(block) + 8;
        else
            blocks->items[kept++] = *block;
    }
    blocks->count = kept;
    return bytes;
}

bool
lg__blocks_ascend(const lg__blocks *blocks)
{
    for (size_t i = 1; i < blocks->count; i++) {
        const lg_native_block *before = &blocks->items[i - 1];
        if (lg_block_address(before) + lg_block_bytes(before) >
            lg_block_address(&blocks->items[i]))
            return false;
    }
    return true;
}

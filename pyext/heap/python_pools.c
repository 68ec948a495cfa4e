#include "heap/python_pools.h"

/** Places in a header, and its size. */
enum {
    POOL_USED = 0,
    POOL_FREE = 8,
    POOL_NEXT = 16,
    POOL_ARENA = 32,
    POOL_SIZE_CLASS = 36,
    POOL_END = 40,
    POOL_LAST = 44,
    HEADER = 48,
};

enum {
    ALIGN = 16,
    LARGEST = 512,
    SMALL_POOL = 4096,  /* up to 3.9, and where addresses are short */
    LARGE_POOL = 16384, /* from 3.10 on */
    MOST_BLOCKS = LARGE_POOL / ALIGN,
};

/** One bit for each block of a pool: it is free. */
typedef struct free_bits {
    uint64_t words[MOST_BLOCKS / 64];
} free_bits;

/** Follows the free blocks. False if the list leaves the used part, meets a
 *  block twice, or does not have the blocks that are not in use. */
static bool
read_free(const lg__pool *pool, free_bits *out)
{
    uint32_t made = (pool->end - HEADER) / pool->size;
    uint32_t count = 0;
    memset(out, 0, sizeof *out);
    for (uintptr_t at = pool->free; at != 0; at = lg__word_at(at)) {
        uintptr_t place = at - pool->start - HEADER;
        uintptr_t number = place / pool->size;
        if (place % pool->size != 0 || number >= made ||
            out->words[number / 64] >> number % 64 & 1)
            return false;
        out->words[number / 64] |= (uint64_t)1 << number % 64;
        count++;
    }
    return count + pool->used == made;
}

bool
lg__pool_read(const lg__area *area, uintptr_t page, lg__pool *out)
{
    uint32_t size_class = lg__half_at(page + POOL_SIZE_CLASS);
    uint32_t last = lg__half_at(page + POOL_LAST);
    if (size_class >= LARGEST / ALIGN)
        return false;
    *out = (lg__pool){.start = page,
                      .arena = lg__half_at(page + POOL_ARENA),
                      .used = lg__half_at(page + POOL_USED),
                      .size = (size_class + 1) * ALIGN,
                      .end = lg__half_at(page + POOL_END),
                      .free = lg__word_at(page + POOL_FREE)};
    out->bytes = last + out->size;
    free_bits bits;
    return (out->bytes == SMALL_POOL || out->bytes == LARGE_POOL) &&
           page % out->bytes == 0 && out->bytes <= area->end - page &&
           out->end >= HEADER && out->end <= out->bytes &&
           (out->end - HEADER) % out->size == 0 &&
           (out->used == 0 || read_free(out, &bits));
}

void
lg__pool_list(const lg__pool *pool, lg__blocks *blocks)
{
    free_bits bits;
    if (pool->used == 0 || !read_free(pool, &bits))
        return;
    uint32_t made = (pool->end - HEADER) / pool->size;
    for (uint32_t i = 0; i < made; i++)
        if (!(bits.words[i / 64] >> i % 64 & 1))
            lg__blocks_add(blocks, pool->start + HEADER + i * pool->size,
                           pool->size, LG_ALLOCATOR_PYTHON);
}

/**
 * Freed blocks that malloc keeps for the next allocations, and whose headers
 * say that they are in use: in a cache for each thread, and in the fast bins of
 * each arena. Both are lists. From version 2.32 on, a link is mixed with the
 * page that it lies in (safe linking).
 *
 * A cache lies in a block of malloc itself: counts for each size, then the
 * first blocks. This looks for blocks of that size in which every list is
 * sound: its blocks begin where listed blocks do, and have the size of their
 * list. Nobody else's block looks like that.
 */
#include "bytes/python/bytes_python.h"
#include "heap/malloc_heaps.h"

enum {
    SMALLEST = 24, /* bytes that the program gets of a block of the first */
    FAST_BINS = 10,
    STATE_FAST_BINS = 16,
    MOST_IN_LIST = 1 << 22,
};

/** Follows links. `mixed`: they are mixed with their page. */
typedef struct links {
    lg__blocks *blocks;
    bool mixed;
} links;

static uintptr_t
follow(const links *self, uintptr_t at)
{
    uintptr_t link = lg__word_at(at);
    return self->mixed ? link ^ at >> 12 : link;
}

/** Calls for each block of a list; false if one is not sound. `size` 0: any. */
static bool
list_is_sound(const links *self, uintptr_t first, size_t size, bool mark)
{
    uintptr_t at = first;
    for (int i = 0; at != 0; i++) {
        lg_native_block *block = lg__block_at(self->blocks, at);
        if (block == NULL || i == MOST_IN_LIST ||
            (size != 0 && block->bytes != size))
            return false;
        at = follow(self, at);
        if (mark)
            block->kind = LG__BLOCK_FREED;
    }
    return true;
}

static bool
walk_cache(const links *self, const lg__cache_layout *form, uintptr_t cache,
           bool mark)
{
    for (size_t i = 0; i < form->lists; i++) {
        uintptr_t first = lg__word_at(cache + lg__cache_first(form) + 8 * i);
        size_t size = i < LG__CACHE_SIZES ? SMALLEST + LG__CACHE_STEP * i : 0;
        if (first % 16 != 0 || !list_is_sound(self, first, size, mark))
            return false;
    }
    return true;
}

static void
mark_cache(const links *self, const lg_native_block *block)
{
    for (size_t i = 0; i < LG__CACHE_LAYOUTS; i++) {
        const lg__cache_layout *form = &lg__cache_layouts[i];
        if (block->bytes + sizeof(size_t) == lg__cache_block(form) &&
            walk_cache(self, form, block->address, false))
            walk_cache(self, form, block->address, true);
    }
}

/** The lists of the fast bins lead from header to header, but their links lie
 *  where the program's data did. */
static bool
mark_fast_bin(const links *self, uintptr_t chunk, size_t size, uint64_t *bytes)
{
    for (int i = 0; chunk != 0; i++) {
        uintptr_t at = chunk + 16;
        lg_native_block *block = lg__block_at(self->blocks, at);
        if (block == NULL || i == MOST_IN_LIST || block->bytes != size)
            return false;
        chunk = follow(self, at);
        block->kind = LG__BLOCK_FREED;
        *bytes += size + 8;
    }
    return true;
}

static bool
mark_fast_bins(const links *self, uintptr_t state, uint64_t *bytes)
{
    for (unsigned i = 0; i < FAST_BINS; i++) {
        uintptr_t first = lg__word_at(state + STATE_FAST_BINS + 8 * i);
        if (!mark_fast_bin(self, first, SMALLEST + LG__CACHE_STEP * (size_t)i,
                           bytes))
            return false;
    }
    return true;
}

const char *
lg__malloc_kept_mark(const lg__malloc_heaps *heaps,
                     const lg__malloc_facts *facts, lg__blocks *blocks,
                     uint64_t *fast)
{
    links self = {blocks, facts->minor >= 32};
    bool has_fast = heaps->bins == LG__BINS_BEHIND_FAST_ONES;
    for (size_t i = 0; has_fast && i < heaps->arena_count; i++)
        if (!mark_fast_bins(&self, heaps->arenas[i], fast))
            return "a fast bin of malloc is damaged";
    for (size_t i = 0; i < blocks->count; i++)
        if (blocks->items[i].kind == LG_ALLOCATOR_MALLOC)
            mark_cache(&self, &blocks->items[i]);
    return NULL;
}

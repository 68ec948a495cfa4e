#include "capture/memory/arena.h"
#include "capture/memory/own_ranges.h"
#include "capture/memory/page_cache.h"
#include "capture/memory/spill.h"

#include <leakgraph/internal/lock.h>
#include <string.h>
#include <sys/mman.h>

/** Blocks from this size on are aligned for huge pages, ask for them, and are
 * kept for the next capture. */
#define HUGE_PAGE LG__PAGE_CACHE_UNIT
#define PAGE ((size_t)4096)

typedef struct arena {
    lg_lock lock; /**< a walk and its follower may both ask */
    uint64_t budget;
    uint64_t mapped;
    bool at_rest; /**< the capture is over */
} arena;

/** Small blocks take whole pages, too. There are few, and none may come from
 *  malloc, whose state the walk must not touch in a forked child. Half a huge
 *  page and more takes a whole one, which can be kept. */
static size_t
rounded(size_t size)
{
    size_t unit = size >= HUGE_PAGE / 2 ? HUGE_PAGE : PAGE;
    return (size + unit - 1) & ~(unit - 1);
}

static void *
map_fresh(size_t size)
{
    if (size < HUGE_PAGE)
        return lg__pages_map(size);
    size_t kept;
    void *spilled = lg__spill_take(size, true);
    return spilled != NULL ? spilled : lg__page_cache_map(size, &kept);
}

/** Keeps whole huge pages, because the rest is not worth it. Of the end of a
 *  block, keeps only what was written to. */
static void
unmap(const arena *self, char *start, size_t size, bool is_end)
{
    if (lg__spill_holds(start)) {
        lg__spill_give(start, size);
        return;
    }
    size_t odd = -(uintptr_t)start & (HUGE_PAGE - 1);
    if (odd > size)
        odd = size;
    size_t whole = (size - odd) & ~(HUGE_PAGE - 1);
    if (odd)
        munmap(start, odd);
    if (whole && is_end)
        lg__page_cache_give_end(start + odd, whole, !self->at_rest);
    else if (whole)
        lg__page_cache_give(start + odd, whole, !self->at_rest);
    if (size - odd - whole)
        munmap(start + odd + whole, size - odd - whole);
}

/** Moves a block to a place with more room. */
static void *
move(void *old, size_t old_size, size_t size)
{
    void *fresh =
        size >= HUGE_PAGE ? lg__page_cache_room(size) : lg__pages_map(size);
    if (fresh != NULL)
        lg__page_cache_move(old, old_size, fresh);
    return fresh;
}

/** Grows the block in place if the room behind it is free; else moves it. */
static void *
map_grown(void *old, size_t old_size, size_t size)
{
    if (lg__spill_holds(old))
        return lg__spill_fits(old, size) ? old : NULL;
    void *fresh = old_size < HUGE_PAGE && size >= HUGE_PAGE ? map_fresh(size)
                  : size >= HUGE_PAGE ? lg__spill_take(size, true)
                                      : NULL;
    if (fresh != NULL) {
        memcpy(fresh, old, old_size);
        munmap(old, old_size);
        return fresh;
    }
    if (old_size >= HUGE_PAGE &&
        lg__page_cache_take_at((char *)old + old_size, size - old_size))
        return old;
    char *grown = mremap(old, old_size, size, 0);
    if (grown != MAP_FAILED)
        lg__page_cache_advise(grown, size);
    else
        grown = move(old, old_size, size);
    /* Take from the cache what blocks give to it, or it would grow with each
       capture. */
    if (grown != NULL)
        lg__page_cache_fill(grown + old_size, size - old_size);
    return grown;
}

/** Gives back the small pages behind the bytes of a block that shrinks. Its
 *  address space stays. Where pages are kept for the next capture, huge ones
 *  stay whole. */
static void
drop_end(char *block, size_t size, size_t mapped)
{
    const size_t used = (size + PAGE - 1) & ~(PAGE - 1);
    if (used < mapped && !lg__page_cache_keeps() && !lg__spill_holds(block))
        madvise(block + used, mapped - used, MADV_DONTNEED);
}

static void *
resize(arena *self, void *old, size_t old_size, size_t new_size)
{
    size_t before = old != NULL ? rounded(old_size) : 0;
    size_t after = new_size ? rounded(new_size) : 0;
    if (old != NULL && new_size < old_size && after > 0)
        drop_end(old, new_size, after);
    if (after == before)
        return old;
    if (after > before) {
        if (self->budget && self->mapped + (after - before) > self->budget)
            return NULL;
        void *block = before ? map_grown(old, before, after) : map_fresh(after);
        if (block == NULL)
            return NULL;
        self->mapped += after - before;
        return block;
    }
    unmap(self, (char *)old + after, before - after, after > 0);
    self->mapped -= before - after;
    return after ? old : NULL;
}

static void *
arena_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    arena *self = context;
    lg_lock_take(&self->lock);
    void *block = resize(self, old, old_size, new_size);
    if (block != NULL || new_size == 0) {
        if (old != NULL)
            lg__own_ranges_remove(old, rounded(old_size));
        if (block != NULL)
            lg__own_ranges_add(block, rounded(new_size));
    }
    lg_lock_give(&self->lock);
    return block;
}

static void
arena_release(void *context)
{
    munmap(context, PAGE);
    lg__page_cache_trim();
}

void
lg__arena_rest(const lg_allocator *allocator)
{
    arena *self = allocator->context;
    self->at_rest = true;
    lg__page_cache_trim();
}

lg_allocator
lg__arena_new(uint64_t max_bytes)
{
    lg_allocator allocator = {arena_resize, arena_release, NULL};
    arena *self = map_fresh(PAGE);
    if (self != NULL) {
        self->budget = max_bytes;
        allocator.context = self;
    }
    return allocator;
}

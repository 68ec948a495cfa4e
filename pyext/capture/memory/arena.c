/**
 * Memory for captures. It comes from pages that earlier captures had, from
 * fresh mappings or from a file, and never from malloc, whose state a walk in a
 * forked child must not touch. Also lists what leakgraph has mapped for itself.
 */
#include "capture/memory/arena.h"
#include "capture/memory/cold_pages.h"

#include <leakgraph/internal/piece.h>

#include <leakgraph/internal/ascending.h>
#include <leakgraph/internal/lock.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_RANGES = 64 };

/** From here on, all pages of a block are huge. */
#define HUGE_FROM (8 * LG__PAGE_CACHE_UNIT)

/** The most that is kept during a capture, however much it needs. */
#define MOST_BYTES ((size_t)2 << 30)

typedef struct range {
    char *start;
    size_t size;
} range;

/** Ascending, and never adjacent: neighbours are one range. Only try the lock:
 *  in a forked child it may be taken for ever. */
static struct {
    lg_lock lock;
    range ranges[MOST_RANGES];
    size_t count;
    size_t bytes;
    atomic_size_t most; /**< the most bytes kept between captures */
} kept;

/** Returns false if another thread uses the cache. If the thread that used it
 *  is missing after a fork, the cache is inconsistent. Then this gives up the
 *  ranges, which are empty in the child. */
static bool
enter(void)
{
    lg_lock_result result = lg_lock_try(&kept.lock);
    if (result == LG_LOCK_LEFT)
        kept.count = kept.bytes = 0;
    return result != LG_LOCK_BUSY;
}

static void
remove_range(size_t i)
{
    kept.count--;
    memmove(&kept.ranges[i], &kept.ranges[i + 1],
            (kept.count - i) * sizeof(range));
}

/** Cuts `size` bytes off the front of a range. */
static void *
cut(size_t i, size_t size)
{
    void *start = kept.ranges[i].start;
    kept.ranges[i].start += size;
    kept.ranges[i].size -= size;
    kept.bytes -= size;
    if (kept.ranges[i].size == 0)
        remove_range(i);
    return start;
}

/** The smallest kept range of at least that size; MOST_RANGES if there is
 *  none. */
static size_t
best_fit(size_t size)
{
    size_t best = MOST_RANGES;
    for (size_t i = 0; i < kept.count; i++)
        if (kept.ranges[i].size >= size &&
            (best == MOST_RANGES ||
             kept.ranges[i].size < kept.ranges[best].size))
            best = i;
    return best;
}

/** Takes the range right behind a block, so that the block can grow in place;
 *  false if that range is not kept. */
static bool
page_cache_take_at(void *start, size_t size)
{
    bool taken = false;
    if (!enter())
        return false;
    for (size_t i = 0; i < kept.count && !taken; i++)
        if (kept.ranges[i].start == start && kept.ranges[i].size >= size)
            taken = cut(i, size) != NULL;
    lg_lock_give(&kept.lock);
    if (taken)
        madvise(start, size, MADV_KEEPONFORK);
    return taken;
}

static size_t
largest(void)
{
    size_t most = 0;
    for (size_t i = 1; i < kept.count; i++)
        if (kept.ranges[i].size > kept.ranges[most].size)
            most = i;
    return most;
}

/** Moves pages over a mapping that nobody needs. Moves at most a unit, which is
 *  mostly one mapping, because kernels before 6.17 move only one at a time. On
 *  failure the pages stay where they were. */
static bool
move(char *pages, size_t size, char *to)
{
    if (mremap(pages, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
        return true;
    /* The previous contents may be lost. */
    mmap(to, size, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return false;
}

/** Moves the bytes of a mapping to the front of another that nobody has
 *  written to, without touching them if the kernel can. */
static void
page_cache_move(void *from, size_t size, void *to)
{
    char *source = from;
    char *target = to;
    for (size_t part; size > 0; size -= part) {
        part = size < LG__PAGE_CACHE_UNIT ? size : LG__PAGE_CACHE_UNIT;
        if (!move(source, part, target)) {
            memcpy(target, source, part);
            munmap(source, part);
        }
        source += part;
        target += part;
    }
}

/** Moves kept pages to the front of a mapping; returns how many bytes. */
static size_t
fill(char *start, size_t size)
{
    size_t filled = 0;
    while (filled < size && kept.count > 0) {
        char *unit = cut(largest(), LG__PAGE_CACHE_UNIT);
        if (!move(unit, LG__PAGE_CACHE_UNIT, start + filled)) {
            munmap(unit, LG__PAGE_CACHE_UNIT);
            break;
        }
        filled += LG__PAGE_CACHE_UNIT;
    }
    return filled;
}

bool
lg__page_cache_keeps(void)
{
    return kept.most > 0;
}

/** Where a block has small pages: from `begin` to before `end`. */
typedef struct small_part {
    size_t begin, end;
} small_part;

/** The part of a block of that size that may not be filled, and is so short
 *  that its last huge page, if it is half empty, would be much of it. The first
 *  quarter will be filled: a capture guesses at most four nodes for each
 *  object that it knows of, and what grows doubles. Pages for the next capture
 *  are huge. */
static small_part
small_part_of(size_t size)
{
    const size_t filled = size / 4 & ~(LG__PAGE_CACHE_UNIT - 1);
    const size_t end = size < HUGE_FROM ? size : HUGE_FROM;
    return filled < end && !lg__page_cache_keeps() ? (small_part){filled, end}
                                                   : (small_part){0};
}

/** Asks for the pages that suit a block of that size. */
static void
page_cache_advise(char *start, size_t size)
{
    const small_part small = small_part_of(size);
    madvise(start, small.begin, MADV_HUGEPAGE);
    madvise(start + small.begin, small.end - small.begin, MADV_NOHUGEPAGE);
    madvise(start + small.end, size - small.end, MADV_HUGEPAGE);
}

/** A fresh mapping of that size, aligned likewise, in huge pages. */
static void *
page_cache_room(size_t size)
{
    char *start = lg__pages_map(size + LG__PAGE_CACHE_UNIT);
    if (start == NULL)
        return NULL;
    size_t before = -(uintptr_t)start & (LG__PAGE_CACHE_UNIT - 1);
    if (before)
        munmap(start, before);
    munmap(start + before + size, LG__PAGE_CACHE_UNIT - before);
    madvise(start + before, size, MADV_HUGEPAGE);
    return start + before;
}

void *
lg__page_cache_map(size_t size, size_t *kept_size)
{
    char *start = NULL;
    *kept_size = 0;
    if (!enter())
        return page_cache_room(size);
    size_t best = best_fit(size);
    if (best < MOST_RANGES) {
        start = cut(best, size);
        *kept_size = size;
    } else if ((start = page_cache_room(size)) != NULL) {
        *kept_size = fill(start, size);
    }
    lg_lock_give(&kept.lock);
    if (*kept_size > 0)
        madvise(start, *kept_size, MADV_KEEPONFORK);
    return start;
}

/** Replaces the pages of a mapping that nobody has written to with kept pages,
 *  from its beginning on, as many as there are. */
static void
page_cache_fill(void *start, size_t size)
{
    char *first =
        (char *)start + (-(uintptr_t)start & (LG__PAGE_CACHE_UNIT - 1));
    size_t whole = (size_t)((char *)start + size - first);
    if (first > (char *)start + size || whole < LG__PAGE_CACHE_UNIT || !enter())
        return;
    size_t filled = fill(first, whole & ~(LG__PAGE_CACHE_UNIT - 1));
    lg_lock_give(&kept.lock);
    if (filled > 0)
        madvise(first, filled, MADV_KEEPONFORK);
}

/** Adds a range, merged with its neighbours; false if there are too many. */
static bool
insert(char *start, size_t size)
{
    size_t i = 0;
    while (i < kept.count && kept.ranges[i].start < start)
        i++;
    range *before = i > 0 ? &kept.ranges[i - 1] : NULL;
    range *after = i < kept.count ? &kept.ranges[i] : NULL;
    bool joins_before = before != NULL && before->start + before->size == start;
    bool joins_after = after != NULL && start + size == after->start;
    if (!joins_before && !joins_after && kept.count == MOST_RANGES)
        return false;
    kept.bytes += size;
    if (joins_before) {
        before->size += size + (joins_after ? after->size : 0);
        if (joins_after)
            remove_range(i);
    } else if (joins_after) {
        *after = (range){start, size + after->size};
    } else {
        memmove(&kept.ranges[i + 1], &kept.ranges[i],
                (kept.count - i) * sizeof(range));
        kept.ranges[i] = (range){start, size};
        kept.count++;
    }
    return true;
}

void
lg__page_cache_give(void *start, size_t size, bool capturing)
{
    size_t most = capturing ? MOST_BYTES : kept.most;
    bool taken = false;
    if (enter()) {
        /* Wipe the pages in a forked child, so that no fork waits for them. */
        taken =
            kept.bytes + size <= most && madvise(start, size, MADV_FREE) == 0 &&
            madvise(start, size, MADV_WIPEONFORK) == 0 && insert(start, size);
        lg_lock_give(&kept.lock);
    }
    if (!taken)
        munmap(start, size);
}

/** How many bytes at the beginning of a mapping have pages. A block is filled
 *  from its beginning, so the first unit without a page ends what has pages. */
static size_t
touched(char *start, size_t size)
{
    size_t end = 0;
    unsigned char present = 1;
    while (end < size && mincore(start + end, 1, &present) == 0 && present & 1)
        end += LG__PAGE_CACHE_UNIT;
    return end < size ? end : size;
}

/** The same for the unused end of a block. Keeps only the part that has pages,
 *  which is at its beginning. */
static void
page_cache_give_end(void *start, size_t size, bool capturing)
{
    size_t keep = touched(start, size);
    if (keep > 0)
        lg__page_cache_give(start, keep, capturing);
    if (keep < size)
        munmap((char *)start + keep, size - keep);
}

/** Unmaps the excess over that limit at the end of a capture. Does nothing if
 *  another thread uses the cache. */
static void
page_cache_trim(void)
{
    if (!enter())
        return;
    while (kept.bytes > kept.most && kept.count > 0) {
        range *last = &kept.ranges[kept.count - 1];
        size_t over = kept.bytes - kept.most;
        over = (over + LG__PAGE_CACHE_UNIT - 1) & ~(LG__PAGE_CACHE_UNIT - 1);
        size_t size = over < last->size ? over : last->size;
        munmap(last->start + last->size - size, size);
        last->size -= size;
        kept.bytes -= size;
        kept.count -= last->size == 0;
    }
    lg_lock_give(&kept.lock);
}

size_t
lg__page_cache_keep(size_t most)
{
    size_t before = atomic_exchange(&kept.most, most);
    page_cache_trim();
    return before;
}

/** How many bytes of what is kept are in memory now. O(pages). */
static uint64_t
page_cache_resident(void)
{
    uint64_t bytes = 0;
    if (!enter())
        return 0;
    for (size_t i = 0; i < kept.count; i++) {
        const uintptr_t start = (uintptr_t)kept.ranges[i].start;
        bytes += lg__pages_resident(start, start + kept.ranges[i].size);
    }
    lg_lock_give(&kept.lock);
    return bytes;
}

uint64_t
lg__pages_resident(uintptr_t start, uintptr_t end)
{
    enum { PAGES = 2048 };
    unsigned char present[PAGES];
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint64_t bytes = 0;
    while (start < end) {
        uintptr_t part =
            end - start < PAGES * page ? end - start : PAGES * page;
        if (mincore((void *)start, part, present) != 0)
            return bytes;
        for (size_t i = 0; i < part / page; i++)
            bytes += present[i] & 1 ? page : 0;
        start += part;
    }
    return bytes;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* linux/mman.h, from 5.14 on */
#endif

/** The small pages that are asked for at once. */
enum { SMALL_UNIT = 1 << 17 };

/** The end of the huge page that is being filled, or of the next one once an
 *  eighth is left. Pages that are asked for earlier are more often in vain. Of
 *  small pages, a few are asked for once half of those before are filled. */
static size_t
wanted(size_t used, bool huge)
{
    const size_t unit = huge ? LG__PAGE_CACHE_UNIT : SMALL_UNIT;
    return (used + unit / (huge ? 8 : 2)) / unit * unit + unit;
}

bool
lg__populate(lg__populated *populated, const void *block, size_t used,
             size_t size, bool is_column)
{
    const small_part small = is_column ? small_part_of(size) : (small_part){0};
    const bool huge = used < small.begin || used + SMALL_UNIT >= small.end;
    size_t end = wanted(used, huge);
    if (end > size)
        end = size;
    if (block == NULL)
        return false;
    if (populated->block != block)
        *populated = (lg__populated){block, used};
    if (end <= populated->size)
        return false;
    const size_t start =
        populated->size & ~(huge ? LG__PAGE_CACHE_UNIT - 1 : SMALL_UNIT - 1);
    populated->size = end;
    return madvise((char *)block + start, end - start, MADV_POPULATE_WRITE) ==
           0;
}

/**
 * The mappings that leakgraph has made for itself. They ascend and are
 * disjoint; neighbours that touch are one range.
 */
static struct {
    lg_lock lock;
    lg__range items[LG__OWN_RANGES];
    size_t count;
} own;

/** The first range that ends at or behind the address. */
static size_t
place_of(uintptr_t address)
{
    return lg_items_place(own.items, own.count, LG_ITEM_KEY(lg__range, end),
                          address);
}

/** Replaces `removed` ranges at a place by `added` ones, if there is room. */
static void
replace(size_t place, size_t removed, const lg__range *items, size_t added)
{
    if (own.count - removed + added > LG__OWN_RANGES)
        return;
    memmove(own.items + place + added, own.items + place + removed,
            (own.count - place - removed) * sizeof *own.items);
    memcpy(own.items + place, items, added * sizeof *items);
    own.count += added - removed;
}

/** Adds a range. All ranges that it touches are neighbours in the list, and it
 *  becomes one with them. */
void
lg__own_ranges_add(const void *start, size_t size)
{
    lg__range one = {(uintptr_t)start, (uintptr_t)start + size};
    lg_lock_take(&own.lock);
    size_t first = place_of(one.start), end = first;
    for (; end < own.count && own.items[end].start <= one.end; end++) {
        if (own.items[end].start < one.start)
            one.start = own.items[end].start;
        if (own.items[end].end > one.end)
            one.end = own.items[end].end;
    }
    replace(first, end - first, &one, 1);
    lg_lock_give(&own.lock);
}

void
lg__own_ranges_remove(const void *start, size_t size)
{
    lg__range one = {(uintptr_t)start, (uintptr_t)start + size};
    lg__range left[2];
    size_t remaining = 0;
    lg_lock_take(&own.lock);
    size_t first = place_of(one.start + 1), end = first;
    for (; end < own.count && own.items[end].start < one.end; end++) {
        lg__range item = own.items[end];
        if (item.start < one.start)
            left[remaining++] = (lg__range){item.start, one.start};
        if (item.end > one.end)
            left[remaining++] = (lg__range){one.end, item.end};
    }
    replace(first, end - first, left, remaining);
    lg_lock_give(&own.lock);
}

size_t
lg__own_ranges_copy(lg__range out[LG__OWN_RANGES])
{
    lg_lock_take(&own.lock);
    size_t count = own.count;
    memcpy(out, own.items, count * sizeof *out);
    lg_lock_give(&own.lock);
    return count;
}

uint64_t
lg__own_pages_bytes(void)
{
    lg__range ranges[LG__OWN_RANGES];
    const size_t count = lg__own_ranges_copy(ranges);
    uint64_t bytes = page_cache_resident();
    for (size_t i = 0; i < count; i++)
        bytes += lg__pages_resident(ranges[i].start, ranges[i].end);
    return bytes;
}

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

enum { WINDOWS = 128 };

/** The sizes of the file: as much as file systems and address spaces commonly
 *  grant, and the least that is worth it. */
#define MOST ((size_t)1 << 43)
#define LEAST ((size_t)1 << 33)

static struct {
    char *start; /* NULL: no file */
    size_t window;
    size_t windows_taken;
    char *fixed; /* blocks that do not grow share the first window */
} file;

void
lg__spill_begin(int descriptor)
{
    for (size_t size = MOST; size >= LEAST && file.start == NULL; size /= 4) {
        if (ftruncate(descriptor, (off_t)size) != 0)
            continue;
        void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        if (start == MAP_FAILED)
            continue;
        file.start = file.fixed = start;
        file.window = size / WINDOWS;
        file.windows_taken = 1;
    }
}

static void *
take_fixed(size_t size)
{
    char *block = file.fixed;
    if (size > (size_t)(file.start + file.window - block))
        return NULL;
    file.fixed += size;
    return block;
}

void *
lg__spill_take(size_t size, bool may_grow)
{
    if (file.start == NULL || size > file.window)
        return NULL;
    if (!may_grow)
        return take_fixed(size);
    if (file.windows_taken == WINDOWS)
        return NULL;
    return file.start + file.windows_taken++ * file.window;
}

bool
lg__spill_holds(const void *address)
{
    uintptr_t start = (uintptr_t)file.start;
    uintptr_t at = (uintptr_t)address;
    return start != 0 && at >= start && at - start < WINDOWS * file.window;
}

/** Returns whether a block that may grow has room for that size. */
static bool
spill_fits(const void *block, size_t size)
{
    return lg__spill_holds(block) && size <= file.window;
}

void
lg__spill_give(void *start, size_t size)
{
    /* If the file system cannot make holes, the pages stay until the file
       goes. */
    madvise(start, size, MADV_REMOVE);
}

/* In a forked child, large blocks have windows of their own, in which they
   grow: of the file, or of memory that is compressed. */

static void *
take_window(size_t size)
{
    void *block = lg__spill_take(size, true);
    return block != NULL ? block : lg__cold_take(size);
}

static bool
has_window(const void *block)
{
    return lg__spill_holds(block) || lg__cold_holds(block);
}

static bool
window_fits(const void *block, size_t size)
{
    return spill_fits(block, size) ||
           (lg__cold_holds(block) && size <= LG__COLD_BLOCK);
}

static void
give_window(void *start, size_t size)
{
    if (lg__spill_holds(start))
        lg__spill_give(start, size);
    else
        lg__cold_give(start, size);
}

static void *
map_fresh(size_t size)
{
    if (size < HUGE_PAGE)
        return lg__pages_map(size);
    size_t dirty;
    void *block = take_window(size);
    if (block == NULL && (block = lg__page_cache_map(size, &dirty)) != NULL)
        page_cache_advise(block, size);
    return block;
}

/** Keeps whole huge pages, because the rest is not worth it. Of the end of a
 *  block, keeps only what was written to. */
static void
unmap(const arena *self, char *start, size_t size, bool is_end)
{
    if (has_window(start)) {
        give_window(start, size);
        return;
    }
    size_t odd = -(uintptr_t)start & (HUGE_PAGE - 1);
    if (odd > size)
        odd = size;
    size_t whole = (size - odd) & ~(HUGE_PAGE - 1);
    if (odd)
        munmap(start, odd);
    if (whole && is_end)
        page_cache_give_end(start + odd, whole, !self->at_rest);
    else if (whole)
        lg__page_cache_give(start + odd, whole, !self->at_rest);
    if (size - odd - whole)
        munmap(start + odd + whole, size - odd - whole);
}

/** Moves a block to a place with more room. */
static void *
move_block(void *old, size_t old_size, size_t size)
{
    void *fresh =
        size >= HUGE_PAGE ? page_cache_room(size) : lg__pages_map(size);
    if (fresh != NULL) {
        page_cache_advise(fresh, size);
        page_cache_move(old, old_size, fresh);
    }
    return fresh;
}

/** Grows the block in place if the room behind it is free; else moves it. */
static void *
map_grown(void *old, size_t old_size, size_t size)
{
    if (has_window(old))
        return window_fits(old, size) ? old : NULL;
    void *fresh = old_size < HUGE_PAGE && size >= HUGE_PAGE ? map_fresh(size)
                  : size >= HUGE_PAGE                       ? take_window(size)
                                                            : NULL;
    if (fresh != NULL) {
        memcpy(fresh, old, old_size);
        munmap(old, old_size);
        return fresh;
    }
    if (old_size >= HUGE_PAGE &&
        page_cache_take_at((char *)old + old_size, size - old_size))
        return old;
    char *grown = mremap(old, old_size, size, 0);
    if (grown != MAP_FAILED)
        page_cache_advise(grown, size);
    else
        grown = move_block(old, old_size, size);
    /* Take from the cache what blocks give to it, or it would grow with each
       capture. */
    if (grown != NULL)
        page_cache_fill(grown + old_size, size - old_size);
    return grown;
}

/** Gives back the small pages behind the bytes of a block that shrinks. Its
 *  address space stays. Where pages are kept for the next capture, huge ones
 *  stay whole. */
static void
drop_end(char *block, size_t size, size_t mapped)
{
    const size_t used = (size + PAGE - 1) & ~(PAGE - 1);
    if (used < mapped && !lg__page_cache_keeps() && !has_window(block))
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

/** The kernel does not know what became of pages that are compressed. */
static bool
arena_drop(void *context, void *block, size_t begin, size_t end)
{
    (void)context;
    if (!lg__cold_holds(block))
        return false;
    begin &= ~(size_t)(LG_PIECE_BYTES - 1);
    if (begin < end)
        lg__cold_give((char *)block + begin, end - begin);
    return true;
}

static void
arena_release(void *context)
{
    munmap(context, PAGE);
    page_cache_trim();
}

void
lg__arena_rest(const lg_allocator *allocator)
{
    arena *self = allocator->context;
    self->at_rest = true;
    page_cache_trim();
}

lg_allocator
lg__arena_new(uint64_t max_bytes)
{
    lg_allocator allocator = {
        .resize = arena_resize, .release = arena_release, .drop = arena_drop};
    arena *self = map_fresh(PAGE);
    if (self != NULL) {
        self->budget = max_bytes;
        allocator.context = self;
    }
    return allocator;
}

#include "heap/malloc_heaps.h"
#include "bytes/python/bytes_python.h"

#include <dlfcn.h>
#include <stdlib.h>

/**
 * The chunks of glibc's malloc. A chunk begins with two words: the size of the
 * chunk before it, if that is free, and its own size, whose low bits say
 * whether the chunk before it is in use (1), and whether it has a mapping of
 * its own (2). What the program gets begins behind these, and reaches into the
 * first word of the next chunk. A heap that an arena has left for a new one
 * ends with two chunks of 16 and 0 bytes.
 */

enum {
    IN_USE_BEFORE = 1,
    MAPPED = 2,
    FLAGS = 7,
    HEADER = 16,
    LEAST = 32,     /* bytes of a chunk */
    HUGE = 2 << 20, /* bytes of a huge page */
};

static uintptr_t
size_at(uintptr_t chunk)
{
    return lg__word_at(chunk + 8) & ~(uintptr_t)FLAGS;
}

static void
count_free(lg_native_account *account, uintptr_t size)
{
    account->free += size;
    account->holes++;
    if (size > account->largest)
        account->largest = size;
}

/** Adds a chunk that is not the last. A free one has its size behind it, too.
 *  False: that is wrong. */
static bool
add_chunk(uintptr_t chunk, uintptr_t size, lg__blocks *blocks,
          lg_native_account *account)
{
    uintptr_t next = chunk + size;
    if (lg__word_at(next + 8) & IN_USE_BEFORE) {
        account->in_use += size;
        lg__blocks_add(blocks, chunk + HEADER, size - 8, LG_ALLOCATOR_MALLOC);
        return true;
    }
    count_free(account, size);
    return lg__word_at(next) == size;
}

/** Returns whether a chunk is the first of the two that end a left heap. */
static bool
is_fence(const lg__malloc_heap *heap, uintptr_t chunk)
{
    return heap->top == 0 && size_at(chunk) == HEADER &&
           chunk + 2 * HEADER == heap->end && size_at(chunk + HEADER) == 0;
}

const char *
lg__malloc_heap_list(const lg__malloc_heap *heap, lg__blocks *blocks,
                     lg_native_account *account)
{
    static const char wrong[] = "a header in a heap of malloc is damaged";
    uintptr_t at = heap->start;
    while (at + LEAST <= heap->end) {
        uintptr_t size = size_at(at);
        if (at == heap->top) {
            count_free(account, size);
            return at + size == heap->end ? NULL : wrong;
        }
        if (is_fence(heap, at))
            return NULL;
        if (size < LEAST || size % 16 != 0 || size >= heap->end - at - HEADER ||
            !add_chunk(at, size, blocks, account))
            return wrong;
        at += size;
    }
    bool ends = heap->top == 0 && at + HEADER == heap->end && size_at(at) == 0;
    return ends ? NULL : wrong;
}

/** A mapping with one chunk, whose size does not have the tail: none, or from
 *  2.43 on as many bytes as a header. */
typedef struct mapped_chunk {
    uintptr_t page;
    uintptr_t size;
    uintptr_t tail;
} mapped_chunk;

/** Returns whether an aligned allocation has moved the chunk inside its mapping
 *  by so many bytes. The words before it say so. */
static bool
is_moved(const mapped_chunk *self, uintptr_t by)
{
    return by + LEAST <= self->size && lg__word_at(self->page + by) == by &&
           lg__word_at(self->page + by + 8) == ((self->size - by) | MAPPED);
}

/** How far the chunk is moved. What is aligned to more than a page begins with
 *  one of the next pages, up to a huge page. */
static uintptr_t
moved_by(const mapped_chunk *self)
{
    for (uintptr_t align = 2 * HEADER; align < LG__PAGE; align *= 2)
        if (is_moved(self, align - HEADER))
            return align - HEADER;
    for (uintptr_t by = LG__PAGE; by <= HUGE && by < self->size; by += LG__PAGE)
        if (is_moved(self, by - HEADER))
            return by - HEADER;
    return 0;
}

uintptr_t
lg__malloc_mapped_list(const lg__area *area, uintptr_t page, lg__blocks *blocks,
                       lg_native_account *account)
{
    uintptr_t size = size_at(page);
    mapped_chunk self = {page, size, size % LG__PAGE != 0 ? HEADER : 0};
    uintptr_t whole = self.size + self.tail;
    if ((lg__word_at(page + 8) & FLAGS) != MAPPED || lg__word_at(page) != 0 ||
        self.size == 0 || whole % LG__PAGE != 0 || whole > area->end - page)
        return 0;
    uintptr_t by = moved_by(&self);
    account->in_use += whole;
    lg__blocks_add(blocks, page + by + HEADER,
                   self.size - by - HEADER + self.tail / 2,
                   LG_ALLOCATOR_MAPPED);
    return page + whole;
}

/** Places in a malloc_state, from its bins on. Before them are its top chunk
 * and another one. */
enum {
    BINS_TOP = -16,
    BINS_NEXT = 2048,
    BINS_SYSTEM_MEM = 2072,
    BINS_END = 2088,
    BINS = 127,
    LEAST_EMPTY_BINS = 8,
};

/** Places in a heap_info. */
enum { INFO_ARENA = 0, INFO_PREVIOUS = 8, INFO_SIZE = 16 };

/** The largest heaps: usual ones first; huge pages make others. */
static const uintptr_t heap_sizes[] = {
    (uintptr_t)64 << 20,
    (uintptr_t)8 << 20,
    (uintptr_t)128 << 20,
    (uintptr_t)4 << 30,
};

enum { MOST_HEAPS = 1 << 16 };

static struct {
    const char *(*version)(void);
    lg__mallinfo (*account)(void);
} library;

void
lg__malloc_facts_open(void)
{
    void *version = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    void *account = dlsym(RTLD_DEFAULT, "mallinfo2");
    memcpy(&library.version, &version, sizeof version);
    memcpy(&library.account, &account, sizeof account);
}

void
lg__malloc_facts_read(lg__malloc_facts *out)
{
    *out = (lg__malloc_facts){0};
    if (library.version == NULL)
        return;
    const char *version = library.version();
    out->library = (uintptr_t)library.version;
    if (strncmp(version, "2.", 2) == 0)
        out->minor = (unsigned)strtoul(version + 2, NULL, 10);
    if (library.account == NULL)
        return;
    lg__mallinfo info = library.account();
    out->counted = true;
    out->in_use = info.uordblks;
    out->mapped = info.hblkhd;
}

/** A word of an arena, which is known to be readable. */
static uintptr_t
state_word(const lg__malloc_heaps *self, uintptr_t state, int place)
{
    return lg__word_at(state + self->bins + (uintptr_t)(intptr_t)place);
}

static size_t
state_size(const lg__malloc_heaps *self)
{
    return self->bins + BINS_END;
}

// Whether all bytes lie in one area, or in several that touch.
static bool
areas_have(const lg__areas *areas, uintptr_t address, size_t bytes)
{
    const lg__area *area = lg__area_at(areas, address);
    const lg__area *end = areas->items + areas->count;
    while (area != NULL && bytes > area->end - address) {
        bytes -= area->end - address;
        address = area->end;
        area = area + 1 < end && area[1].start == address ? area + 1 : NULL;
    }
    return area != NULL;
}

/** Lists the ring of arenas from one on. False: it is no ring. */
static bool
follow_ring(lg__malloc_heaps *self, uintptr_t first)
{
    uintptr_t at = first;
    self->arena_count = 0;
    do {
        if (self->arena_count == LG__MALLOC_ARENAS || at % 8 != 0 ||
            !areas_have(self->areas, at, state_size(self)))
            return false;
        self->arenas[self->arena_count++] = at;
        at = state_word(self, at, BINS_NEXT);
    } while (at != first);
    return true;
}

/** An empty bin is a list that has only the bin itself, as if the bin's two
 *  links lay in a chunk. So many of them are hardly anything else's, but they
 *  do not tell which is the first one; the ring does. */
static bool
is_main_arena(lg__malloc_heaps *self, uintptr_t state)
{
    unsigned empty = 0;
    for (unsigned i = 0; i < BINS; i++) {
        uintptr_t bin = state + self->bins + 16 * i;
        uintptr_t as_chunk = bin - 16;
        empty +=
            lg__word_at(bin) == as_chunk && lg__word_at(bin + 8) == as_chunk;
        if (empty == 0 && i > BINS / 2)
            return false;
    }
    return empty >= LEAST_EMPTY_BINS &&
           areas_have(self->areas, state_word(self, state, BINS_TOP), 16) &&
           follow_ring(self, state);
}

/** Finds the main arena, and with it all, among the variables of the C library.
 */
static bool
find_ring(lg__malloc_heaps *self, uintptr_t in_library)
{
    const lg__areas *areas = self->areas;
    const lg__area *code = lg__area_at(areas, in_library);
    for (size_t i = 0; code != NULL && i < areas->count; i++) {
        const lg__area *area = &areas->items[i];
        if (area->kind != LG__AREA_FILE || !area->writable ||
            area->inode != code->inode)
            continue;
        for (uintptr_t at = area->start; at + state_size(self) <= area->end;
             at += 8)
            if (is_main_arena(self, at))
                return true;
    }
    return false;
}

/** Before the bins lie the fast bins, up to 2.42. */
static bool
find_arenas(lg__malloc_heaps *self, uintptr_t in_library)
{
    static const unsigned bins[] = {LG__BINS_BEHIND_FAST_ONES, 24};
    for (size_t i = 0; i < sizeof bins / sizeof *bins; i++) {
        self->bins = bins[i];
        if (find_ring(self, in_library))
            return true;
    }
    return false;
}

static bool
add_heap(lg__malloc_heaps *self, lg__malloc_heap heap)
{
    if (self->count == self->room || heap.start >= heap.end ||
        !areas_have(self->areas, heap.base, heap.end - heap.base))
        return false;
    size_t place = self->count++;
    for (; place > 0 && self->items[place - 1].base > heap.base; place--)
        self->items[place] = self->items[place - 1];
    self->items[place] = heap;
    return true;
}

/** The main arena's heap ends with its top chunk, and has all of its memory as
 *  long as the program's break could move. */
static bool
add_main_heap(lg__malloc_heaps *self)
{
    uintptr_t state = self->arenas[0];
    uintptr_t top = state_word(self, state, BINS_TOP);
    const lg__area *area = lg__area_at(self->areas, top);
    if (area == NULL || area->kind != LG__AREA_HEAP)
        return false;
    uintptr_t end = top + (lg__word_at(top + 8) & ~(uintptr_t)7);
    uintptr_t bytes = state_word(self, state, BINS_SYSTEM_MEM);
    return end > top && bytes < end && bytes % 16 == 0 &&
           add_heap(self, (lg__malloc_heap){.base = end - bytes,
                                            .start = end - bytes,
                                            .end = end,
                                            .top = top});
}

/** The size to which the heaps of an arena are aligned; 0: none fits. */
static uintptr_t
heap_size_of(const lg__malloc_heaps *self, uintptr_t state, uintptr_t top)
{
    for (size_t i = 0; i < sizeof heap_sizes / sizeof *heap_sizes; i++) {
        uintptr_t base = top & ~(heap_sizes[i] - 1);
        if (areas_have(self->areas, base, 64) &&
            lg__word_at(base + INFO_ARENA) == state)
            return heap_sizes[i];
    }
    return 0;
}

/** Adds the heaps of another arena, from the one with its top chunk back. The
 *  first of them begins with the heap_info and the arena. */
static bool
add_heaps(lg__malloc_heaps *self, unsigned arena)
{
    uintptr_t state = self->arenas[arena], bytes = 0;
    uintptr_t top = state_word(self, state, BINS_TOP);
    uintptr_t most = heap_size_of(self, state, top);
    uintptr_t info_size = most ? state & (most - 1) : 0;
    uintptr_t base = most ? top & ~(most - 1) : 0;
    if (info_size < 32 || info_size > 128)
        return false;
    for (size_t i = 0; i < MOST_HEAPS && base != 0; i++) {
        if (!areas_have(self->areas, base, 64) ||
            lg__word_at(base + INFO_ARENA) != state)
            return false;
        uintptr_t size = lg__word_at(base + INFO_SIZE);
        bool first = base == state - info_size;
        uintptr_t start = first
                              ? (state + state_size(self) + 15) & ~(uintptr_t)15
                              : base + info_size;
        if (size > most ||
            !add_heap(self, (lg__malloc_heap){.base = base,
                                              .start = start,
                                              .end = base + size,
                                              .top = i == 0 ? top : 0}))
            return false;
        bytes += size;
        base = lg__word_at(base + INFO_PREVIOUS);
    }
    return base == 0 && bytes == state_word(self, state, BINS_SYSTEM_MEM);
}

static bool
find(lg__malloc_heaps *self, const lg__malloc_facts *facts)
{
    self->failure = "the C library is not glibc";
    if (facts->library == 0)
        return false;
    self->failure =
        "another malloc than glibc's is in use, and nobody can list "
        "its blocks: start the program without it (LD_PRELOAD)";
    if (facts->counted && facts->in_use + facts->mapped == 0)
        return false;
    self->failure = "the arenas of glibc's malloc were not found";
    if (!find_arenas(self, facts->library))
        return false;
    self->failure = "the main heap of glibc's malloc is not in one piece";
    if (!add_main_heap(self))
        return false;
    self->failure = "a thread's heap of glibc's malloc is not as expected";
    for (unsigned i = 1; i < self->arena_count; i++)
        if (!add_heaps(self, i))
            return false;
    self->failure = NULL;
    return true;
}

/* An arena begins with its lock. */
static bool
are_busy(const lg__malloc_heaps *heaps)
{
    bool busy = false;
    for (size_t i = 0; i < heaps->arena_count; i++)
        busy = busy || lg__half_at(heaps->arenas[i]) != 0;
    return busy;
}

bool
lg__malloc_heaps_find(lg__malloc_heaps *out, const lg__areas *areas,
                      const lg__malloc_facts *facts)
{
    const lg_allocator *allocator = areas->allocator;
    *out = (lg__malloc_heaps){.areas = areas};
    out->items = allocator->resize(allocator->context, NULL, 0,
                                   MOST_HEAPS * sizeof *out->items);
    if (out->items == NULL) {
        out->failure = "memory ran out";
        return false;
    }
    out->room = MOST_HEAPS;
    const bool found = find(out, facts);
    out->busy = are_busy(out);
    return found;
}

void
lg__malloc_heaps_free(lg__malloc_heaps *heaps)
{
    const lg_allocator *allocator = heaps->areas->allocator;
    if (heaps->items != NULL)
        allocator->resize(allocator->context, heaps->items,
                          heaps->room * sizeof *heaps->items, 0);
    heaps->items = NULL;
    heaps->count = 0;
}

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

// The block that begins at the address, or NULL. O(log blocks).
static lg_native_block *
block_at(const lg__blocks *blocks, uintptr_t address)
{
    size_t low = 0, high = blocks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lg_block_address(&blocks->items[middle]) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < blocks->count &&
                   lg_block_address(&blocks->items[low]) == address
               ? &blocks->items[low]
               : NULL;
}

/** Calls for each block of a list; false if one is not sound. `size` 0: any. */
static bool
list_is_sound(const links *self, uintptr_t first, size_t size, bool mark)
{
    uintptr_t at = first;
    for (int i = 0; at != 0; i++) {
        lg_native_block *block = block_at(self->blocks, at);
        if (block == NULL || i == MOST_IN_LIST ||
            (size != 0 && lg_block_bytes(block) != size))
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
        if (lg_block_bytes(block) + sizeof(size_t) == lg__cache_block(form) &&
            walk_cache(self, form, lg_block_address(block), false))
            walk_cache(self, form, lg_block_address(block), true);
    }
}

/** The lists of the fast bins lead from header to header, but their links lie
 *  where the program's data did. */
static bool
mark_fast_bin(const links *self, uintptr_t chunk, size_t size, uint64_t *bytes)
{
    for (int i = 0; chunk != 0; i++) {
        uintptr_t at = chunk + 16;
        lg_native_block *block = block_at(self->blocks, at);
        if (block == NULL || i == MOST_IN_LIST || lg_block_bytes(block) != size)
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

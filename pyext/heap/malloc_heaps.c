#include "heap/malloc_heaps.h"

#include <dlfcn.h>
#include <stdlib.h>

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

/** glibc 2.33's struct mallinfo2. */
typedef struct malloc_info {
    size_t arena, ordblks, smblks, hblks, hblkhd;
    size_t usmblks, fsmblks, uordblks, fordblks, keepcost;
} malloc_info;

static struct {
    const char *(*version)(void);
    malloc_info (*account)(void);
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
    malloc_info info = library.account();
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

/** Lists the ring of arenas from one on. False: it is no ring. */
static bool
follow_ring(lg__malloc_heaps *self, uintptr_t first)
{
    uintptr_t at = first;
    self->arena_count = 0;
    do {
        if (self->arena_count == LG__MALLOC_ARENAS || at % 8 != 0 ||
            !lg__areas_have(self->areas, at, state_size(self)))
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
           lg__areas_have(self->areas, state_word(self, state, BINS_TOP), 16) &&
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
        !lg__areas_have(self->areas, heap.base, heap.end - heap.base))
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
        if (lg__areas_have(self->areas, base, 64) &&
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
        if (!lg__areas_have(self->areas, base, 64) ||
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
                                              .top = i == 0 ? top : 0,
                                              .arena = arena}))
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
    self->failure = "another malloc than glibc's is in use";
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
    return find(out, facts);
}

/* An arena begins with its lock. */
bool
lg__malloc_heaps_are_busy(const lg__malloc_heaps *heaps)
{
    bool busy = false;
    for (size_t i = 0; i < heaps->arena_count; i++)
        busy = busy || lg__half_at(heaps->arenas[i]) != 0;
    return busy;
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

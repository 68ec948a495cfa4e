/**
 * The chunks of glibc's malloc. A chunk begins with two words: the size of the
 * chunk before it, if that is free, and its own size, whose low bits say
 * whether the chunk before it is in use (1), and whether it has a mapping of
 * its own (2). What the program gets begins behind these, and reaches into the
 * first word of the next chunk. A heap that an arena has left for a new one
 * ends with two chunks of 16 and 0 bytes.
 */
#include "heap/malloc_heaps.h"

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
add_chunk(uintptr_t chunk, uintptr_t size, unsigned arena, lg__blocks *blocks,
          lg_native_account *account)
{
    uintptr_t next = chunk + size;
    if (lg__word_at(next + 8) & IN_USE_BEFORE) {
        account->in_use += size;
        lg__blocks_add(blocks, chunk + HEADER, size - 8, LG_ALLOCATOR_MALLOC,
                       arena);
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
            !add_chunk(at, size, heap->arena, blocks, account))
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
                   self.size - by - HEADER + self.tail / 2, LG_ALLOCATOR_MAPPED,
                   0);
    return page + whole;
}

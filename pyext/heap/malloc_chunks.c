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

/** Returns whether an aligned allocation has moved the chunk inside its mapping
 *  by so many bytes. The words before it say so. */
static bool
is_moved(uintptr_t page, uintptr_t size, uintptr_t by)
{
    return by + LEAST <= size && lg__word_at(page + by) == by &&
           lg__word_at(page + by + 8) == ((size - by) | MAPPED);
}

/** Where the chunk of a mapping begins. What is aligned to more than a page
 *  begins with one of the next, up to a huge page. */
static uintptr_t
begin_of(uintptr_t page, uintptr_t size)
{
    for (uintptr_t align = 2 * HEADER; align < LG__PAGE; align *= 2)
        if (is_moved(page, size, align - HEADER))
            return page + align - HEADER;
    for (uintptr_t by = LG__PAGE; by <= HUGE && by < size; by += LG__PAGE)
        if (is_moved(page, size, by - HEADER))
            return page + by - HEADER;
    return page;
}

uintptr_t
lg__malloc_mapped_list(const lg__area *area, uintptr_t page, lg__blocks *blocks,
                       lg_native_account *account)
{
    uintptr_t size = size_at(page);
    if ((lg__word_at(page + 8) & FLAGS) != MAPPED || lg__word_at(page) != 0 ||
        size == 0 || size % LG__PAGE != 0 || size > area->end - page)
        return 0;
    uintptr_t chunk = begin_of(page, size);
    account->in_use += size;
    lg__blocks_add(blocks, chunk + HEADER, page + size - chunk - HEADER,
                   LG_ALLOCATOR_MAPPED, 0);
    return page + size;
}

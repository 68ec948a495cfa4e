// The default allocator, and arrays that grow by doubling.
#include "base/base_private.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t page = (size_t)2 << 20;

// Blocks from this size on begin at huge pages.
enum { HUGE_FROM = 1 << 19 };

static size_t
whole_pages(size_t size)
{
    return (size + page - 1) & ~(page - 1);
}

// Maps one page more than needed, and gives back what is before the page at
// which the block begins, and what is behind the block.
void *
lg__huge_map(size_t size)
{
    char *begin = size <= SIZE_MAX - page
                      ? mmap(NULL, size + page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : MAP_FAILED;
    if (begin == MAP_FAILED)
        return NULL;
    size_t before = whole_pages((uintptr_t)begin) - (uintptr_t)begin;
    if (before > 0)
        munmap(begin, before);
    munmap(begin + before + size, page - before);
    // This is only advice, so a refusal does no harm.
    madvise(begin + before, size, MADV_HUGEPAGE);
    return begin + before;
}

void *
lg__huge_calloc(size_t size)
{
    if (size < HUGE_FROM)
        return calloc(size, 1);
    return size <= SIZE_MAX - page ? lg__huge_map(whole_pages(size)) : NULL;
}

void
lg__huge_free(void *block, size_t size)
{
    if (size < HUGE_FROM)
        free(block);
    else if (block != NULL)
        munmap(block, whole_pages(size));
}

static void *
default_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size > 0)
        return lg__wide_resize(old, new_size);
    lg__wide_free(old);
    return NULL;
}

// Resizes a block of functions that make and free them.
static void *
resize_by(void *(*make)(size_t), void (*release)(void *, size_t), void *old,
          size_t old_size, size_t new_size)
{
    void *block = new_size > 0 ? make(new_size) : NULL;
    if (old == NULL || (block == NULL && new_size > 0))
        return block;
    if (block != NULL)
        memcpy(block, old, old_size < new_size ? old_size : new_size);
    release(old, old_size);
    return block;
}

static void *
huge_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    (void)context;
    if (old_size < HUGE_FROM && new_size < HUGE_FROM && new_size > 0)
        return realloc(old, new_size);
    return resize_by(lg__huge_calloc, lg__huge_free, old, old_size, new_size);
}

lg_allocator
lg__allocator_huge(void)
{
    return (lg_allocator){.resize = huge_resize};
}

lg_allocator
lg_allocator_default(void)
{
    return (lg_allocator){.resize = default_resize};
}

bool
lg__column_grow(const lg_allocator *allocator, void *column_pointer,
                size_t element, size_t old_capacity, size_t capacity)
{
    void *old;
    memcpy(&old, column_pointer, sizeof old);
    if (capacity > SIZE_MAX / element)
        return false;
    void *grown = allocator->resize(allocator->context, old,
                                    old_capacity * element, capacity * element);
    if (grown == NULL)
        return false;
    memcpy(column_pointer, &grown, sizeof grown);
    return true;
}

bool
lg__vector_grow(const lg_allocator *allocator, lg__vector *vector, size_t count)
{
    size_t capacity = vector->capacity ? vector->capacity : 32;
    while (capacity - vector->count < count) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    return lg__vector_reserve(allocator, vector, capacity);
}

bool
lg__vector_reserve(const lg_allocator *allocator, lg__vector *vector,
                   size_t capacity)
{
    if (capacity <= vector->capacity)
        return true;
    if (!lg__column_grow(allocator, &vector->data, vector->element,
                         vector->capacity, capacity))
        return false;
    vector->capacity = capacity;
    return true;
}

void
lg__vector_trim(const lg_allocator *allocator, lg__vector *vector)
{
    if (vector->count == 0)
        lg__vector_free(allocator, vector);
    else if (vector->count < vector->capacity &&
             lg__column_grow(allocator, &vector->data, vector->element,
                             vector->capacity, vector->count))
        vector->capacity = vector->count;
}

void
lg__vector_free(const lg_allocator *allocator, lg__vector *vector)
{
    lg__deallocate(allocator, vector->data, vector->capacity * vector->element);
    vector->data = NULL;
    vector->count = vector->capacity = 0;
}

// Moves the array whose pointer lies at that address. Returns false when memory
// ran out.
static bool
resize(void *array, size_t size)
{
    void *items;
    memcpy(&items, array, sizeof items);
    items = lg__wide_resize(items, size);
    if (items != NULL)
        memcpy(array, &items, sizeof items);
    return items != NULL;
}

bool
lg__array_room(void *array, size_t count, size_t item)
{
    return (count & (count - 1)) != 0 ||
           resize(array, (count > 0 ? 2 * count : 1) * item);
}

bool
lg__stack_room(void *array, size_t count, size_t *capacity, size_t item)
{
    const lg__row_array only = {array, item, 0};
    return lg__rows_room(&only, 1, count, capacity);
}

bool
lg__rows_room(const lg__row_array *arrays, size_t array_count, size_t count,
              size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity > 0 ? *capacity * 2 : 32;
    for (size_t i = 0; i < array_count; i++)
        if (!resize(arrays[i].array, arrays[i].head + wanted * arrays[i].item))
            return false;
    *capacity = wanted;
    return true;
}

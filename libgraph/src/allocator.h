/**
 * Memory of a builder and its graph: all of it comes from one lg_allocator,
 * which a capture points at mappings of its own.
 */
#ifndef LG_ALLOCATOR_H
#define LG_ALLOCATOR_H

#include <leakgraph/builder.h>

static inline void *
lg__allocate(const lg_allocator *allocator, size_t size)
{
    return allocator->resize(allocator->context, NULL, 0, size ? size : 1);
}

static inline void
lg__deallocate(const lg_allocator *allocator, void *block, size_t size)
{
    if (block != NULL)
        allocator->resize(allocator->context, block, size ? size : 1, 0);
}

static inline void
lg__allocator_release(const lg_allocator *allocator)
{
    if (allocator->release != NULL)
        allocator->release(allocator->context);
}

/** As malloc and calloc. Asks for huge pages, where the system has them on
 *  request: a large block is then several times as fast to fill, and to look up
 *  at random. */
void *lg__wide_alloc(size_t size);
void *lg__wide_calloc(size_t size);

/** A growing array of equal elements. */
typedef struct lg__vector {
    void *data;
    size_t count;
    size_t capacity;
    size_t element;
} lg__vector;

/** Appends `count` elements and returns where they are to be written, or NULL
 *  when memory ran out. */
void *lg__vector_extend(const lg_allocator *allocator, lg__vector *vector,
                        size_t count);
/** Gives back what lies beyond the last element; keeps it if that fails. */
void lg__vector_trim(const lg_allocator *allocator, lg__vector *vector);
void lg__vector_free(const lg_allocator *allocator, lg__vector *vector);

/** Doubles one column to `capacity` elements. */
bool lg__column_grow(const lg_allocator *allocator, void *column_pointer,
                     size_t element, size_t old_capacity, size_t capacity);

#endif

// The default allocator, and arrays that grow by doubling.
#include "base/base_private.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Blocks that return to the system when they are freed, if they are large. The
// C library would keep them for its next blocks: once a large block has been
// freed, it takes blocks of up to 32 MiB from its heap.

enum {
    MAPPED = 1 << 18, // blocks from this size on are mappings of their own
    HUGE_PAGE = 2 << 20,
    HUGE_BLOCK_FROM = 1 << 20,
    BEFORE = 16,        // bytes before a small block, which keep it aligned
    BEFORE_MAPPED = 64, // bytes before a large block: a line of the cache
};

// The bytes of all blocks: those from malloc, and those that are mappings. Each
// block is counted when it is made, and taken off before it is freed, so the
// sums are what leakgraph has at any moment.
static _Atomic uint64_t in_malloc;
static _Atomic uint64_t in_mappings;

static _Atomic uint64_t *
sum_of(size_t size)
{
    return size < MAPPED ? &in_malloc : &in_mappings;
}

lg_own_bytes
lg_own_bytes_now(void)
{
    const uint64_t small = in_malloc;
    return (lg_own_bytes){.all = small + in_mappings, .malloc = small};
}

// The word before each block holds its size.
static size_t *
size_of(void *block)
{
    return (size_t *)block - 1;
}

static size_t
bytes_before(size_t size)
{
    return size < MAPPED ? BEFORE : BEFORE_MAPPED;
}

static void *
begin_of(void *block)
{
    return (char *)block - bytes_before(*size_of(block));
}

// Finishes a block of that size whose bytes begin there.
static void *
block_at(char *begin, size_t size)
{
    if (begin == NULL)
        return NULL;
    void *block = begin + bytes_before(size);
    *size_of(block) = size;
    *sum_of(size) += size;
    return block;
}

// Finishes a block that had another size before it was moved or resized.
static void *
block_again(char *begin, size_t old, size_t size)
{
    if (begin != NULL)
        *sum_of(old) -= old;
    return block_at(begin, size);
}

// The length of the mapping of a large block.
static size_t
length_of(size_t size)
{
    const size_t mask = (size_t)sysconf(_SC_PAGESIZE) - 1;
    return (size + BEFORE_MAPPED + mask) & ~mask;
}

static const size_t page = (size_t)2 << 20;

static size_t
whole_pages(size_t size)
{
    return (size + page - 1) & ~(page - 1);
}

// Maps one page more than needed, and gives back what is before the page at
// which the block begins, and what is behind the block.
static void *
huge_map(size_t size)
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

static void *
small_map(size_t size)
{
    void *begin = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return begin != MAP_FAILED ? begin : NULL;
}

// From a megabyte on, a block begins at a huge page, because the system then
// has fewer pages to clear.
static void *
map(size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE - BEFORE_MAPPED)
        return NULL;
    return block_at(size >= HUGE_BLOCK_FROM ? huge_map(length_of(size))
                                            : small_map(length_of(size)),
                    size);
}

// How many writers want all blocks mapped. Others' blocks may be mapped as well
// meanwhile, which does no harm: a block's size says how it is freed.
static atomic_uint mapping;

void
lg__map_all_blocks(bool begin)
{
    if (begin)
        mapping++;
    else
        mapping--;
}

// A small block that becomes a mapping gets the size of the smallest mapping,
// because a block's size alone says how it is freed.
void *
lg__alloc(size_t size)
{
    if (size < MAPPED && mapping == 0)
        return block_at(malloc(BEFORE + size), size);
    return map(size < MAPPED ? MAPPED : size);
}

void *
lg__calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    if (total < MAPPED && mapping == 0)
        return block_at(calloc(BEFORE + total, 1), total);
    return map(total < MAPPED ? MAPPED : total);
}

void
lg__pages_drop(void *block, size_t begin, size_t end)
{
    const uintptr_t mask = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
    const uintptr_t at = (uintptr_t)block;
    const uintptr_t first = (at + mask) & ~mask;
    const uintptr_t from = (at + begin) & ~mask;
    const uintptr_t start = from > first ? from : first;
    const uintptr_t behind = (at + end) & ~mask;
    if (start < behind)
        madvise((char *)block + (start - at), behind - start, MADV_DONTNEED);
}

void
lg__drop(const lg_allocator *allocator, void *block, size_t begin, size_t end)
{
    if (allocator->drop == NULL ||
        !allocator->drop(allocator->context, block, begin, end))
        lg__pages_drop(block, begin, end);
}

// A system may make huge pages unasked.
void *
lg__sparse_calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) ||
        total > SIZE_MAX - HUGE_PAGE - BEFORE_MAPPED)
        return NULL;
    if (total < HUGE_BLOCK_FROM)
        return lg__calloc(count, size);
    void *begin = small_map(length_of(total));
    if (begin != NULL)
        madvise(begin, length_of(total), MADV_NOHUGEPAGE);
    return block_at(begin, total);
}

// Resizes a mapping, whose pages may move without being copied. Returns NULL if
// the system cannot, for example where neighbours differ in their advice.
static void *
remap(void *block, size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE - BEFORE_MAPPED)
        return NULL;
    size_t old = *size_of(block);
    void *begin = mremap(begin_of(block), length_of(old), length_of(size),
                         MREMAP_MAYMOVE);
    return begin == MAP_FAILED ? NULL : block_again(begin, old, size);
}

static void *
copy(void *block, size_t size)
{
    size_t old = *size_of(block);
    void *moved = lg__alloc(size);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old < size ? old : size);
    lg__free(block);
    return moved;
}

// Small mappings that grow are copied to huge pages.
static bool
is_same_kind(size_t old, size_t size)
{
    return old >= HUGE_BLOCK_FROM
               ? size >= HUGE_BLOCK_FROM
               : old >= MAPPED && size >= MAPPED && size < HUGE_BLOCK_FROM;
}

void *
lg__realloc(void *block, size_t size)
{
    if (block == NULL)
        return lg__alloc(size);
    size_t old = *size_of(block);
    if (old < MAPPED && size < MAPPED)
        return block_again(realloc(begin_of(block), BEFORE + size), old, size);
    void *moved = is_same_kind(old, size) ? remap(block, size) : NULL;
    return moved != NULL ? moved : copy(block, size);
}

void
lg__free(void *block)
{
    if (block == NULL)
        return;
    size_t size = *size_of(block);
    *sum_of(size) -= size;
    if (size < MAPPED)
        free(begin_of(block));
    else
        munmap(begin_of(block), length_of(size));
}

// Blocks from this size on begin at huge pages.
enum { HUGE_FROM = 1 << 19 };

void *
lg__huge_calloc(size_t size)
{
    if (size < HUGE_FROM)
        return calloc(size, 1);
    void *block = size <= SIZE_MAX - page ? huge_map(whole_pages(size)) : NULL;
    if (block != NULL)
        in_mappings += whole_pages(size);
    return block;
}

void
lg__huge_free(void *block, size_t size)
{
    if (size < HUGE_FROM) {
        free(block);
    } else if (block != NULL) {
        in_mappings -= whole_pages(size);
        munmap(block, whole_pages(size));
    }
}

static void *
default_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old_size;
    if (new_size > 0)
        return lg__realloc(old, new_size);
    lg__free(old);
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
    items = lg__realloc(items, size);
    if (items != NULL)
        memcpy(array, &items, sizeof items);
    return items != NULL;
}

// The room is always a power of two. So it is used up exactly when the count is
// a power of two, or zero, and nobody stores the capacity.
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

// Blocks that return to the system when they are freed, if they are large. The
// C library would keep them for its next blocks: once a large block has been
// freed, it takes blocks of up to 32 MiB from its heap.
#include "base/base_private.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MAPPED = 1 << 18, // blocks from this size on are mappings of their own
    HUGE_PAGE = 2 << 20,
    HUGE_FROM = 1 << 20,
    BEFORE = 16,        // bytes before a small block, which keep it aligned
    BEFORE_MAPPED = 64, // bytes before a large block: a line of the cache
};

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
    return block;
}

// The length of the mapping of a large block.
static size_t
length_of(size_t size)
{
    const size_t mask = (size_t)sysconf(_SC_PAGESIZE) - 1;
    return (size + BEFORE_MAPPED + mask) & ~mask;
}

// From a megabyte on, a block begins at a huge page, because the system then
// has fewer pages to clear.
static void *
map(size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE - BEFORE_MAPPED)
        return NULL;
    if (size >= HUGE_FROM)
        return block_at(lg__huge_map(length_of(size)), size);
    void *begin = mmap(NULL, length_of(size), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return begin == MAP_FAILED ? NULL : block_at(begin, size);
}

// How many writers want all blocks mapped. Others' blocks may be mapped as well
// meanwhile, which does no harm: a block's size says how it is freed.
static atomic_uint mapping;

void
lg__wide_map_all(bool begin)
{
    if (begin)
        mapping++;
    else
        mapping--;
}

void *
lg__wide_alloc(size_t size)
{
    if (size < MAPPED && mapping == 0)
        return block_at(malloc(BEFORE + size), size);
    return map(size < MAPPED ? MAPPED : size);
}

void *
lg__wide_calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        return NULL;
    if (total < MAPPED && mapping == 0)
        return block_at(calloc(BEFORE + total, 1), total);
    return map(total < MAPPED ? MAPPED : total);
}

// Resizes a mapping, whose pages may move without being copied. Returns NULL if
// the system cannot, for example where neighbours differ in their advice.
static void *
remap(void *block, size_t size)
{
    if (size > SIZE_MAX - HUGE_PAGE - BEFORE_MAPPED)
        return NULL;
    void *begin = mremap(begin_of(block), length_of(*size_of(block)),
                         length_of(size), MREMAP_MAYMOVE);
    return begin == MAP_FAILED ? NULL : block_at(begin, size);
}

static void *
copy(void *block, size_t size)
{
    size_t old = *size_of(block);
    void *moved = lg__wide_alloc(size);
    if (moved == NULL)
        return NULL;
    memcpy(moved, block, old < size ? old : size);
    lg__wide_free(block);
    return moved;
}

// Small mappings that grow are copied to huge pages.
static bool
is_same_kind(size_t old, size_t size)
{
    return old >= HUGE_FROM
               ? size >= HUGE_FROM
               : old >= MAPPED && size >= MAPPED && size < HUGE_FROM;
}

void *
lg__wide_resize(void *block, size_t size)
{
    if (block == NULL)
        return lg__wide_alloc(size);
    if (*size_of(block) < MAPPED && size < MAPPED)
        return block_at(realloc(begin_of(block), BEFORE + size), size);
    void *moved =
        is_same_kind(*size_of(block), size) ? remap(block, size) : NULL;
    return moved != NULL ? moved : copy(block, size);
}

void
lg__wide_free(void *block)
{
    if (block == NULL)
        return;
    if (*size_of(block) < MAPPED)
        free(begin_of(block));
    else
        munmap(begin_of(block), length_of(*size_of(block)));
}

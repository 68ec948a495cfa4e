#include "capture/run/child_heap.h"
#include "capture/common/capture_common.h"
#include "capture/memory/capture_memory.h"

#include <string.h>

#define CHILD_BYTES ((size_t)64 << 20)

// The room for a block's size before the block, as much as alignment needs.
#define HEAD ((size_t)16)

typedef struct child_heap {
    char *start;
    size_t used;
    char *last; /**< the newest block; freeing it returns its memory */
} child_heap;

static size_t *
size_before(void *block)
{
    return (size_t *)(void *)((char *)block - HEAD);
}

static bool
is_childs(const child_heap *self, const void *block)
{
    return self->start != NULL && (const char *)block >= self->start &&
           (const char *)block < self->start + CHILD_BYTES;
}

static void *
child_malloc(void *context, size_t size)
{
    child_heap *self = context;
    size_t whole = HEAD + ((size + HEAD - 1) & ~(HEAD - 1));
    if (self->start == NULL || whole < size || whole > CHILD_BYTES - self->used)
        return NULL;
    self->last = self->start + self->used + HEAD;
    self->used += whole;
    *size_before(self->last) = size;
    return self->last;
}

static void *
child_calloc(void *context, size_t count, size_t size)
{
    if (size > 0 && count > CHILD_BYTES / size)
        return NULL;
    void *block = child_malloc(context, count * size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

// Leave the parent's blocks as they are.
static void
child_free(void *context, void *block)
{
    child_heap *self = context;
    if (block == NULL || block != self->last)
        return;
    self->used = (size_t)((char *)block - HEAD - self->start);
    self->last = NULL;
}

static void *
child_realloc(void *context, void *block, size_t size)
{
    child_heap *self = context;
    if (block != NULL && !is_childs(self, block))
        return NULL;
    void *larger = child_malloc(context, size);
    if (larger != NULL && block != NULL) {
        size_t old = *size_before(block);
        memcpy(larger, block, old < size ? old : size);
    }
    return larger;
}

void
lg__child_heap_begin(void)
{
    static child_heap self;
    void *start = lg__pages_map(CHILD_BYTES);
    if (start != NULL) {
        lg__own_ranges_add(start, CHILD_BYTES);
        self.start = start;
    }
    PyMemAllocatorEx allocator = {&self, child_malloc, child_calloc,
                                  child_realloc, child_free};
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &allocator);
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &allocator);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &allocator);
}

/**
 * Memory for the child's calls of Python's API, for which the parent would use
 * pymalloc and malloc.
 */
#include "capture/run/child.h"
#include "capture/memory/capture_memory.h"

#include <string.h>

#define LENT_BYTES ((size_t)64 << 20)

/** The room for a block's size before the block, as much as alignment needs. */
#define HEAD ((size_t)16)

typedef struct lender {
    char *start;
    size_t used;
    char *last; /**< the newest block; freeing it returns its memory */
} lender;

static size_t *
size_before(void *block)
{
    return (size_t *)(void *)((char *)block - HEAD);
}

static bool
is_lent(const lender *self, const void *block)
{
    return self->start != NULL && (const char *)block >= self->start &&
           (const char *)block < self->start + LENT_BYTES;
}

static void *
lend(void *context, size_t size)
{
    lender *self = context;
    size_t whole = HEAD + ((size + HEAD - 1) & ~(HEAD - 1));
    if (self->start == NULL || whole < size || whole > LENT_BYTES - self->used)
        return NULL;
    self->last = self->start + self->used + HEAD;
    self->used += whole;
    *size_before(self->last) = size;
    return self->last;
}

static void *
lend_zeroed(void *context, size_t count, size_t size)
{
    if (size > 0 && count > LENT_BYTES / size)
        return NULL;
    void *block = lend(context, count * size);
    if (block != NULL)
        memset(block, 0, count * size);
    return block;
}

/** Leave the parent's blocks as they are. */
static void
take_back(void *context, void *block)
{
    lender *self = context;
    if (block == NULL || block != self->last)
        return;
    self->used = (size_t)((char *)block - HEAD - self->start);
    self->last = NULL;
}

static void *
lend_more(void *context, void *block, size_t size)
{
    lender *self = context;
    if (block != NULL && !is_lent(self, block))
        return NULL;
    void *larger = lend(context, size);
    if (larger != NULL && block != NULL) {
        size_t old = *size_before(block);
        memcpy(larger, block, old < size ? old : size);
    }
    return larger;
}

void
lg__child_lend_memory(void)
{
    static lender self;
    void *start = lg__pages_map(LENT_BYTES);
    if (start != NULL) {
        lg__own_ranges_add(start, LENT_BYTES);
        self.start = start;
    }
    PyMemAllocatorEx allocator = {&self, lend, lend_zeroed, lend_more,
                                  take_back};
    PyMem_SetAllocator(PYMEM_DOMAIN_RAW, &allocator);
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &allocator);
    PyMem_SetAllocator(PYMEM_DOMAIN_OBJ, &allocator);
}

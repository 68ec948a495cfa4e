#include "shadow.h"

#include <sys/mman.h>

/** A quarter of the address space that the leaves map, for 16 TiB of addresses.
 */
#define POOL_RESERVE ((size_t)1 << 42)
#define TOP_BYTES (LG_SHADOW_TOP * sizeof(uint32_t **))

static void *
reserve(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start == MAP_FAILED ? NULL : start;
}

bool
lg_shadow_open(lg_shadow *shadow, uint64_t max_bytes, bool whole)
{
    shadow->pool_used = 0;
    shadow->top = reserve(TOP_BYTES);
    /* A limit on address space (ulimit -v) may refuse the whole: take less. */
    shadow->pool = NULL;
    for (size_t size = POOL_RESERVE; size >= ((size_t)1 << 28); size /= 4) {
        shadow->pool = reserve(size);
        shadow->pool_size = size;
        if (shadow->pool != NULL)
            break;
    }
    shadow->pool_limit = shadow->pool_size;
    if (max_bytes && max_bytes < shadow->pool_limit)
        shadow->pool_limit = (size_t)max_bytes;
    if (shadow->top != NULL && shadow->pool != NULL) {
        if (whole)
            madvise(shadow->pool, shadow->pool_size, MADV_HUGEPAGE);
        return true;
    }
    lg_shadow_close(shadow);
    return false;
}

void
lg_shadow_close(lg_shadow *shadow)
{
    if (shadow->top != NULL)
        munmap(shadow->top, TOP_BYTES);
    if (shadow->pool != NULL)
        munmap(shadow->pool, shadow->pool_size);
    shadow->top = NULL;
    shadow->pool = NULL;
}

void *
lg_shadow_take(lg_shadow *shadow, size_t size)
{
    if (size > shadow->pool_limit - shadow->pool_used)
        return NULL;
    char *taken = shadow->pool + shadow->pool_used;
    shadow->pool_used += size;
    /* Written first: a page that is read first is mapped to the zero page, and
       faults once more when it is written. */
    *(volatile char *)taken = 0;
    return taken;
}

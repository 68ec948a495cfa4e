/**
 * Pages of a capture's own, which take memory once they are written to, and the
 * memory that pages of anybody take.
 */
#ifndef LEAKGRAPH_PAGES_H
#define LEAKGRAPH_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/** Zeroed pages; NULL without address space. */
static inline void *
lg__pages_map(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start != MAP_FAILED ? start : NULL;
}

/** The pages of a mapped range that are in memory, in bytes. O(pages). */
uint64_t lg__pages_resident(uintptr_t start, uintptr_t end);

#endif

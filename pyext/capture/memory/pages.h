/**
 * Pages of a capture's own. The system takes memory for them when they are
 * written to.
 */
#ifndef LEAKGRAPH_PAGES_H
#define LEAKGRAPH_PAGES_H

#include <stddef.h>
#include <sys/mman.h>

/** Zeroed pages; NULL without address space. */
static inline void *
lg__pages_map(size_t size)
{
    void *start = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return start != MAP_FAILED ? start : NULL;
}

#endif

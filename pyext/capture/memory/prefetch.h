/**
 * Asks for memory before it is read.
 */
#ifndef LEAKGRAPH_PREFETCH_H
#define LEAKGRAPH_PREFETCH_H

/** Brings the line of an address into the cache; any address will do. The empty
 *  statement keeps the calls: GCC takes a function that only prefetches for one
 *  without effect. */
static inline void
lg__prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

#endif

/**
 * How glibc's malloc lays out the freed blocks that it keeps for a thread
 * (malloc.c, tcache_perthread_struct): for each list a number of two bytes,
 * then for each the address of its first block. A block of malloc has them.
 */
#ifndef LEAKGRAPH_THREAD_CACHE_H
#define LEAKGRAPH_THREAD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The layout of a version. */
typedef struct lg__cache_layout {
    size_t lists;
    bool counts_left; /**< the numbers count the blocks that may still come */
} lg__cache_layout;

enum {
    LG__CACHE_LAYOUTS = 2,
    LG__CACHE_MOST_LISTS = 76,
    LG__CACHE_SIZES = 64, /**< lists with blocks of one size; the others are
                               empty unless a setting of malloc asks for them */
    LG__CACHE_STEP = 16,  /**< bytes between two of these sizes */
};

/** From glibc 2.42 on, and before. */
static const lg__cache_layout lg__cache_layouts[LG__CACHE_LAYOUTS] = {
    {LG__CACHE_MOST_LISTS, true}, {64, false}};

/** Where the addresses of first blocks begin. */
static inline size_t
lg__cache_first(const lg__cache_layout *self)
{
    return self->lists * sizeof(uint16_t);
}

/** The bytes of the block that has the cache, with its header. */
static inline size_t
lg__cache_block(const lg__cache_layout *self)
{
    size_t needed = lg__cache_first(self) + self->lists * sizeof(uintptr_t) +
                    sizeof(size_t);
    return (needed + LG__CACHE_STEP - 1) & ~(size_t)(LG__CACHE_STEP - 1);
}

#endif

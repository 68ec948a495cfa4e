/**
 * One pass over the memory of the process, from the lowest address to the
 * highest: its blocks, and the ranges beside them that may refer to blocks.
 */
#ifndef LEAKGRAPH_LISTING_H
#define LEAKGRAPH_LISTING_H

#include "bytes/python/bytes_python.h"
#include "heap/image_list.h"
#include "heap/malloc_heaps.h"
#include "heap/python_pools.h"

/** What the pass finds. */
typedef struct lg__listing {
    const lg__areas *areas;
    const lg__malloc_heaps *heaps;
    lg__image_list *images;
    const lg__stack_pointers *stacks;
    uintptr_t main_thread; /**< its pthread_t, or 0 */
    lg__blocks blocks;
    lg_native_range *ranges;
    size_t range_count, range_room;
    lg_native_account account;
    const char *failure;
} lg__listing;

/** Fills in the members from `blocks` on, given the others and the allocator of
 *  the blocks. False if memory ran out, or with a failure. */
bool lg__listing_run(lg__listing *self);
void lg__listing_free(lg__listing *self);

#endif

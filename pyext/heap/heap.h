/**
 * Lists the native memory of a forked child: every block that the allocators
 * have given out, and the ranges that may refer to them.
 *
 * The parent learns what needs a lock (lg__native_facts_read), then forks. The
 * child is a bare clone, so a thread of the parent may have been in the middle
 * of an allocation; each heap proves itself, and one that does not leads to a
 * failure. Nothing is written or allocated outside of the capture's own memory,
 * and nothing is read that the kernel has not listed.
 */
#ifndef LEAKGRAPH_HEAP_H
#define LEAKGRAPH_HEAP_H

#include "bytes/python/bytes_python.h"
#include "heap/image_symbols.h"
#include "heap/malloc_heaps.h"
#include "heap/blocks.h"

/** What the parent learns for the child. */
typedef struct lg__native_facts {
    lg__malloc_facts malloc;
    lg__stack_pointers stacks;
    uintptr_t main_thread; /**< its pthread_t, or 0 */
} lg__native_facts;

/** Looks up functions of the C library. Call it at import: it takes the
 *  loader's lock. */
void lg__native_open(void);
/** Call it before the fork, with the GIL held. O(free chunks + threads). */
void lg__native_facts_read(lg__native_facts *out);
void lg__native_facts_free(lg__native_facts *facts);

/** What one pass over the memory of the process finds, from the lowest address
 *  to the highest: its blocks, and the ranges beside them that may refer to
 *  blocks. */
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

/** The native memory of this process. */
typedef struct lg__native {
    lg__areas areas;
    lg__malloc_heaps heaps;
    lg__image_list images;
    lg__listing listing;
    lg_native_type *types;
    size_t type_room;
    bool passing; /**< a failure may be due to what other threads did at the
                       instant of the fork */
    char failure[256];
    uint64_t words[1 << 13];
} lg__native;

/** Opens what tells which pages exist; -1: the system does not. Call it first
 *  in the child, which may give up its rights. */
int lg__native_pagemap(void);

/** Fills `self`, for which a zeroed variable of the process will do, and *out,
 *  which refers to it, without types. What cannot be listed leaves *out empty,
 *  with a failure. LG_ENOMEM if the allocator has no more. */
lg_status lg__native_list(lg__native *self, const lg__native_facts *facts,
                          int pagemap, const lg_allocator *allocator,
                          lg_native_memory *out, lg_error *err);
/** Adds what is known of the graph's types. */
lg_status lg__native_add_types(lg__native *self, const lg_graph *graph,
                               lg_native_memory *out, lg_error *err);
/** Frees all that *out refers to. */
void lg__native_free(lg__native *self);

#endif

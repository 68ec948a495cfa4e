/**
 * The heaps of glibc's malloc, versions 2.31 to 2.43.
 *
 * malloc.c and arena.c: an arena (malloc_state) has bins of free chunks, and
 * the chunk `top` from which it cuts new ones. The main arena is a variable of
 * the C library and has one heap, at the program's break. Each other arena lies
 * in the first of its heaps, which are aligned to their largest size and begin
 * with a heap_info. All arenas are in one ring.
 */
#ifndef LEAKGRAPH_MALLOC_HEAPS_H
#define LEAKGRAPH_MALLOC_HEAPS_H

#include "heap/blocks.h"

/** What is learned before the fork, where a thread may hold a lock in the
 *  child. */
typedef struct lg__malloc_facts {
    uintptr_t library; /**< an address in the C library; 0: it is not glibc */
    unsigned minor;    /**< of the version: 36 is 2.36 */
    bool counted;      /**< the next two are known, from 2.33 on */
    uint64_t in_use;   /**< with what threads keep, without mapped chunks */
    uint64_t mapped;   /**< in chunks with a mapping of their own */
} lg__malloc_facts;

/** A contiguous row of chunks. */
typedef struct lg__malloc_heap {
    uintptr_t base;  /**< the heap itself begins there */
    uintptr_t start; /**< of the first chunk */
    uintptr_t end;
    uintptr_t top; /**< the top chunk of its arena; 0: in a later heap */
} lg__malloc_heap;

enum {
    LG__MALLOC_ARENAS = 4096,
    LG__BINS_BEHIND_FAST_ONES = 112, /**< where bins begin in older arenas */
};

typedef struct lg__malloc_heaps {
    const lg__areas *areas;
    lg__malloc_heap *items; /**< ascending */
    size_t count;
    size_t room;
    uintptr_t arenas[LG__MALLOC_ARENAS]; /**< the main one first */
    size_t arena_count;
    bool busy; /**< a thread was in the middle of an allocation in an arena */
    unsigned bins;       /**< where the bins begin in an arena */
    const char *failure; /**< why there are none, or NULL */
} lg__malloc_heaps;

/** Looks up what lg__malloc_facts_read needs. Call it at import: it takes the
 *  loader's lock. */
void lg__malloc_facts_open(void);
/** Asks malloc for its account. O(free chunks); takes malloc's locks. */
void lg__malloc_facts_read(lg__malloc_facts *out);

/** Finds all heaps. False, with a failure, if they are not as this expects. */
bool lg__malloc_heaps_find(lg__malloc_heaps *out, const lg__areas *areas,
                           const lg__malloc_facts *facts);
void lg__malloc_heaps_free(lg__malloc_heaps *heaps);

/** Adds the blocks in use of a heap and counts the others; a failure, or NULL
 *  if the chunks end where the heap does. */
const char *lg__malloc_heap_list(const lg__malloc_heap *heap,
                                 lg__blocks *blocks,
                                 lg_native_account *account);
/** Adds the chunk that begins with this page and has a mapping of its own.
 *  Returns its end, or 0 if there is none. */
uintptr_t lg__malloc_mapped_list(const lg__area *area, uintptr_t page,
                                 lg__blocks *blocks,
                                 lg_native_account *account);
/** Marks the blocks that threads and arenas keep for the next allocations, when
 *  all blocks are listed; a failure, or NULL. Adds the bytes of those that
 *  arenas keep to *fast: malloc's own account does not have them in use. */
const char *lg__malloc_kept_mark(const lg__malloc_heaps *heaps,
                                 const lg__malloc_facts *facts,
                                 lg__blocks *blocks, uint64_t *fast);

#endif

/**
 * What the objects of a forked process share with its parent, in pages.
 *
 * An object is older than the fork if the parent has one of the same type at
 * the same address. Each page on which such objects lie is counted once, for
 * the place in the parent that most of them have: the child may have given them
 * to others. Of an object its first page counts, because that has the reference
 * count; of a buffer all its pages.
 */
#ifndef LEAKGRAPH_PAGE_COUNTS_H
#define LEAKGRAPH_PAGE_COUNTS_H

#include <leakgraph/places.h>

/** Pages of memory that is private and of no file, ascending: the number of the
 *  page, shifted left by one, and 1 if no other process maps it. */
typedef struct page_list {
    const uint64_t *entry;
    size_t count;
    uint64_t page_bytes;
} page_list;

typedef struct page_counts {
    uint64_t *shared; /**< [places] pages older than the fork */
    uint64_t *copied; /**< [places] of those, what is shared no more */
    uint64_t all_shared, all_copied;
} page_counts;

/** Counts the pages of `graph`, a fork of `parent`, whose nodes have these
 *  places; to release with page_counts_free. False when memory ran out.
 *  O(nodes * log nodes), 24 bytes a node of the parent, and 16 for each object
 *  that both have. */
bool page_counts_make(const lg_graph *graph, const lg_graph *parent,
                      const page_list *pages, const uint32_t *place_of,
                      uint32_t places, page_counts *out);
/** Adds what a place has in fewer pages than `least` to the place above it. */
void page_counts_fold(page_counts *counts, const lg_places *places,
                      uint64_t least);
void page_counts_free(page_counts *counts);

#endif

/**
 * What the objects of a forked process share with its parent, in pages.
 *
 * The conventions of leakgraph.h hold. An object is older than the fork if the
 * parent has one of the same type at the same address. Each page on which such
 * objects lie is counted once, for the place in the parent that most of them
 * have: the child may have given them to others. Of an object its first page
 * counts, because that has the reference count; of a buffer all its pages.
 */
#ifndef LEAKGRAPH_PAGE_COUNTS_H
#define LEAKGRAPH_PAGE_COUNTS_H

#include <leakgraph/internal/places.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Pages of memory that is private and of no file, ascending. */
typedef struct lg_page_list {
    const uint64_t *entry; /**< the number of the page, shifted left by one, and
                                1 if no other process maps it */
    size_t count;
    uint64_t page_bytes;
} lg_page_list;

typedef struct lg_page_counts {
    uint64_t *shared; /**< [places] pages older than the fork */
    uint64_t *copied; /**< [places] of those, what is shared no more */
    uint64_t all_shared;
    uint64_t all_copied;
} lg_page_counts;

/**
 * Counts the pages of `child`, a fork of `parent`. `place_of` has the place of
 * each node of the parent, of so many `places`; LG_NONE: of none. LG_ENOMEM.
 * O(nodes * log nodes), 24 bytes a node of the parent, and 16 for each object
 * that both have.
 */
lg_status lg_page_counts_make(const lg_graph *child, const lg_graph *parent,
                              const lg_page_list *pages,
                              const uint32_t *place_of, uint32_t places,
                              lg_page_counts *out, lg_error *err);
/** Adds what a place has in fewer copied pages than `least` to the place above
 *  it. O(places). */
void lg_page_counts_fold(lg_page_counts *counts, const lg_places *places,
                         uint64_t least);
void lg_page_counts_free(lg_page_counts *counts);

#ifdef __cplusplus
}
#endif

#endif

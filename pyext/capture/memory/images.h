/**
 * The addresses that belong to the program and its libraries: variables, not
 * allocated memory. An object there never has a collector's head, even if its
 * type says so.
 */
#ifndef LEAKGRAPH_IMAGES_H
#define LEAKGRAPH_IMAGES_H

#include "capture/common/capture_common.h"

/** The bits of lg__images.near, and how much of the address space each stands
 *  for. */
enum { LG__IMAGES_BITS = 4096, LG__IMAGES_BIT_SHIFT = 20 };

/** The writable segments of everything loaded, by address. */
typedef struct lg__images {
    lg__range *items;
    size_t count;
    size_t capacity;
    /** A bit for each MiB, by the low bits of its number: set if a segment
     *  reaches into it, or into one of the same bits. */
    uint64_t near[LG__IMAGES_BITS / 64];
} lg__images;

/** Fills `images`, whose items and capacity the caller has set. False if there
 *  is no room for all images->count. Takes the loader's lock, so do not call it
 *  in a forked child. */
bool lg__images_read(lg__images *images);

/** Returns the writable segment that a variable lies in; empty if none. Takes
 *  the loader's lock. */
lg__range lg__image_of(const void *variable);

/** Returns whether the address lies in one: in a few instructions for nearly
 *  all addresses of a heap, else O(log images). */
static inline bool
lg__images_have(const lg__images *images, const void *address)
{
    uintptr_t bit = (uintptr_t)address >> LG__IMAGES_BIT_SHIFT;
    uint64_t word = images->near[bit % LG__IMAGES_BITS / 64];
    return (word >> bit % 64 & 1) &&
           lg__ranges_have(images->items, images->count, (uintptr_t)address);
}

#endif

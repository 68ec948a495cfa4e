/**
 * Sorting by a number, in linear time.
 */
#ifndef LG_RADIX_H
#define LG_RADIX_H

#include "allocator.h"

#include <stdbool.h>

/** Sorts items by the uint32_t that each begins with; those of one number stay
 *  in their order. Takes as much memory again for the while. O(count). False,
 *  with the items as they were, when there is none. */
bool lg__radix_sort(const lg_allocator *allocator, void *items, size_t count,
                    size_t size);

#endif

/**
 * Sorted ranges of addresses, and whether an address lies in one.
 */
#ifndef LEAKGRAPH_RANGE_H
#define LEAKGRAPH_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lg__range {
    uintptr_t start;
    uintptr_t end; /**< behind the last */
} lg__range;

/** Returns whether an address lies in one of the ranges, which ascend and do
 *  not overlap. O(log count). */
static inline bool
lg__ranges_have(const lg__range *ranges, size_t count, uintptr_t address)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && ranges[low].start <= address;
}

#endif

/**
 * Addresses: whether one lies in sorted ranges, and what memory there has. The
 * memory may not be mapped, so it is read through the kernel, which returns an
 * error instead of a fault.
 */
#ifndef LEAKGRAPH_ADDRESSES_H
#define LEAKGRAPH_ADDRESSES_H

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

/** Copies bytes; false if they are not readable. Takes about a microsecond, or
 *  ten where the process may not call process_vm_readv(2). */
bool lg__peek(void *to, const void *from, size_t size);

#endif

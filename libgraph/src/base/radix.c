#include "base/base_private.h"

#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS };

static uint32_t
number_of(const char *item)
{
    uint32_t number;
    memcpy(&number, item, sizeof number);
    return number;
}

// Sorts the items by BITS bits of their numbers.
static void
spread(const char *from, char *to, size_t count, size_t size, unsigned shift)
{
    size_t begin[BUCKETS] = {0};
    size_t before = 0;
    for (size_t i = 0; i < count; i++)
        begin[number_of(from + i * size) >> shift & (BUCKETS - 1)]++;
    for (size_t i = 0; i < BUCKETS; i++) {
        size_t here = begin[i];
        begin[i] = before;
        before += here;
    }
    for (size_t i = 0; i < count; i++) {
        const char *item = from + i * size;
        size_t bucket = number_of(item) >> shift & (BUCKETS - 1);
        memcpy(to + begin[bucket]++ * size, item, size);
    }
}

// Returns whether the items are sorted. Sets *bits to the bits in which any two
// numbers differ.
static bool
is_sorted(const char *items, size_t count, size_t size, uint32_t *bits)
{
    bool sorted = true;
    uint32_t last = number_of(items);
    *bits = 0;
    for (size_t i = 1; i < count; i++) {
        uint32_t number = number_of(items + i * size);
        *bits |= number ^ last;
        sorted = sorted && last <= number;
        last = number;
    }
    return sorted;
}

bool
lg__radix_sort(const lg_allocator *allocator, void *items, size_t count,
               size_t size)
{
    uint32_t bits;
    if (count == 0 || is_sorted(items, count, size, &bits))
        return true;
    char *spare = lg__allocate(allocator, count * size);
    if (spare == NULL)
        return false;
    char *from = items;
    char *to = spare;
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        if (!(bits >> shift & (BUCKETS - 1)))
            continue;
        spread(from, to, count, size, shift);
        char *other = from;
        from = to;
        to = other;
    }
    if (from != items)
        memcpy(items, from, count * size);
    lg__deallocate(allocator, spare, count * size);
    return true;
}

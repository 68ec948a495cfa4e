#include "capture/memory/own_ranges.h"
#include "capture/memory/page_cache.h"

#include <leakgraph/internal/lock.h>

#include <string.h>

/** Ascending and disjoint; neighbours that touch are one range. */
static struct {
    lg_lock lock;
    lg__range items[LG__OWN_RANGES];
    size_t count;
} own;

/** The first range that ends at or behind the address. */
static size_t
place_of(uintptr_t address)
{
    size_t low = 0, high = own.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (own.items[middle].end < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** Replaces `removed` ranges at a place by `added` ones, if there is room. */
static void
replace(size_t place, size_t removed, const lg__range *items, size_t added)
{
    if (own.count - removed + added > LG__OWN_RANGES)
        return;
    memmove(own.items + place + added, own.items + place + removed,
            (own.count - place - removed) * sizeof *own.items);
    memcpy(own.items + place, items, added * sizeof *items);
    own.count += added - removed;
}

void
lg__own_ranges_add(const void *start, size_t size)
{
    lg__range range = {(uintptr_t)start, (uintptr_t)start + size};
    lg_lock_take(&own.lock);
    size_t first = place_of(range.start), end = first;
    for (; end < own.count && own.items[end].start <= range.end; end++) {
        if (own.items[end].start < range.start)
            range.start = own.items[end].start;
        if (own.items[end].end > range.end)
            range.end = own.items[end].end;
    }
    replace(first, end - first, &range, 1);
    lg_lock_give(&own.lock);
}

void
lg__own_ranges_remove(const void *start, size_t size)
{
    lg__range range = {(uintptr_t)start, (uintptr_t)start + size};
    lg__range left[2];
    size_t kept = 0;
    lg_lock_take(&own.lock);
    size_t first = place_of(range.start + 1), end = first;
    for (; end < own.count && own.items[end].start < range.end; end++) {
        lg__range item = own.items[end];
        if (item.start < range.start)
            left[kept++] = (lg__range){item.start, range.start};
        if (item.end > range.end)
            left[kept++] = (lg__range){range.end, item.end};
    }
    replace(first, end - first, left, kept);
    lg_lock_give(&own.lock);
}

size_t
lg__own_ranges_copy(lg__range out[LG__OWN_RANGES])
{
    lg_lock_take(&own.lock);
    size_t count = own.count;
    memcpy(out, own.items, count * sizeof *out);
    lg_lock_give(&own.lock);
    return count;
}

uint64_t
lg__own_pages_bytes(void)
{
    lg__range ranges[LG__OWN_RANGES];
    const size_t count = lg__own_ranges_copy(ranges);
    uint64_t bytes = lg__page_cache_resident();
    for (size_t i = 0; i < count; i++)
        bytes += lg__pages_resident(ranges[i].start, ranges[i].end);
    return bytes;
}

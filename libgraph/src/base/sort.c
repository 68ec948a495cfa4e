// Sorts without asking malloc, and by a number in linear time.
#include "base/base_private.h"

#include <stdbool.h>
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
has_sorted_numbers(const char *items, size_t count, size_t size, uint32_t *bits)
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

// Sorts by the lowest digit first. Each pass keeps the order of equal digits,
// so after the last one the items are sorted by all of them, and equal items
// keep their order. A digit in which no two numbers differ needs no pass.
bool
lg__radix_sort(const lg_allocator *allocator, void *items, size_t count,
               size_t size)
{
    uint32_t bits;
    if (count == 0 || has_sorted_numbers(items, count, size, &bits))
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

// Ranges up to this length are sorted by insertion.
enum { FEW = 12 };

typedef struct stretch {
    char *items;
    size_t size;
    int (*compare)(const void *, const void *);
} stretch;

static void
swap(char *a, char *b, size_t size)
{
    char bounce[64];
    while (size > 0) {
        size_t part = size < sizeof bounce ? size : sizeof bounce;
        memcpy(bounce, a, part);
        memcpy(a, b, part);
        memcpy(b, bounce, part);
        a += part;
        b += part;
        size -= part;
    }
}

void
lg__items_reverse(void *items, size_t count, size_t size)
{
    char *bytes = items;
    for (size_t i = 0; i < count / 2; i++)
        swap(bytes + i * size, bytes + (count - 1 - i) * size, size);
}

// Sinks an item below the larger ones among the first `count`.
static void
sink(const stretch *in, size_t at, size_t count)
{
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        char *larger = in->items + child * in->size;
        if (child + 1 < count && in->compare(larger, larger + in->size) < 0) {
            larger += in->size;
            child++;
        }
        char *item = in->items + at * in->size;
        if (in->compare(item, larger) >= 0)
            return;
        swap(item, larger, in->size);
        at = child;
    }
}

static void
sort_as_heap(const stretch *all, size_t count)
{
    for (size_t at = count / 2; at-- > 0;)
        sink(all, at, count);
    for (size_t left = count; left > 1; left--) {
        swap(all->items, all->items + (left - 1) * all->size, all->size);
        sink(all, 0, left - 1);
    }
}

static void
insert_each(const stretch *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (char *at = all->items + i * all->size;
             at > all->items && all->compare(at - all->size, at) > 0;
             at -= all->size)
            swap(at - all->size, at, all->size);
}

// Moves the median of first, middle and last to the front.
static void
choose_pivot(const stretch *all, size_t count)
{
    char *first = all->items;
    char *middle = first + count / 2 * all->size;
    char *last = first + (count - 1) * all->size;
    if (all->compare(middle, last) > 0)
        swap(middle, last, all->size);
    if (all->compare(first, last) > 0)
        swap(first, last, all->size);
    else if (all->compare(first, middle) < 0)
        swap(first, middle, all->size);
}

// Moves items below the pivot before it, and the others behind it. Returns the
// index of the pivot. Both sides stop at an item that equals the pivot and swap
// it. So many equal items still divide into halves.
static size_t
partition(const stretch *all, size_t count)
{
    char *pivot = all->items;
    size_t low = 1;
    size_t high = count - 1;
    choose_pivot(all, count);
    for (;;) {
        while (low <= high && all->compare(pivot + low * all->size, pivot) < 0)
            low++;
        while (low <= high && all->compare(pivot, pivot + high * all->size) < 0)
            high--;
        if (low >= high)
            break;
        swap(pivot + low++ * all->size, pivot + high-- * all->size, all->size);
    }
    swap(pivot, pivot + high * all->size, all->size);
    return high;
}

static bool
is_sorted(const stretch *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (all->compare(all->items + (i - 1) * all->size,
                         all->items + i * all->size) > 0)
            return false;
    return true;
}

// An unsorted range, and how often it may still be cut in two.
typedef struct range {
    stretch part;
    size_t count;
    unsigned cuts;
} range;

// Quicksort, which leaves a range to heapsort after it was cut twice as often
// as halves would need, and short ones to insertion. O(count log count)
// comparisons in the worst case.
void
lg__sort(void *items, size_t count, size_t size,
         int (*compare)(const void *, const void *))
{
    // The smaller part is sorted first, so each waiting range is at most half
    // as long as the one below it.
    range waiting[8 * sizeof count];
    range at = {{items, size, compare}, count, 0};
    size_t height = 0;
    if (is_sorted(&at.part, count))
        return;
    for (size_t left = count; left > 0; left /= 2)
        at.cuts += 2;
    for (;;) {
        if (at.count <= FEW || at.cuts == 0) {
            if (at.count <= FEW)
                insert_each(&at.part, at.count);
            else
                sort_as_heap(&at.part, at.count);
            if (height == 0)
                return;
            at = waiting[--height];
            continue;
        }
        size_t middle = partition(&at.part, at.count);
        range before = {at.part, middle, at.cuts - 1};
        range behind = {at.part, at.count - middle - 1, at.cuts - 1};
        behind.part.items += (middle + 1) * size;
        bool smaller = before.count < behind.count;
        waiting[height++] = smaller ? behind : before;
        at = smaller ? before : behind;
    }
}

int
lg__ascending32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

int
lg__ascending64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

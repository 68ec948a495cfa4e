// Sorts what may gather bytes by its place.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// To sort so many by their hashes is faster than to compare them.
enum { MANY = 256 };

static int
by_place(const void *left, const void *right)
{
    const lg__top_candidate *a = left;
    const lg__top_candidate *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// The end of those that lg__radix_sort takes for the same: by a part of their
// places, so hardly more than those of one place.
static size_t
end_of_hash(const lg__top_candidate *all, size_t at, size_t count)
{
    size_t end = at + 1;
    while (end < count &&
           memcmp(&all[end].place, &all[at].place, sizeof(uint32_t)) == 0)
        end++;
    return end;
}

void
lg__top_candidates_sort(lg__top_candidate *all, size_t count)
{
    const lg_allocator allocator = lg_allocator_default();
    bool is_hashed =
        count >= MANY && lg__radix_sort(&allocator, all, count, sizeof *all);
    for (size_t at = 0, end; at < count; at = end) {
        end = is_hashed ? end_of_hash(all, at, count) : count;
        if (end - at > 1)
            qsort(all + at, end - at, sizeof *all, by_place);
    }
}

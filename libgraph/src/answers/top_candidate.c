// Groups objects that may gather bytes by their place.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// From MANY on, sorting by hashes is faster than comparing. Below FEW,
// insertion is faster than a call for each comparison.
enum { MANY = 256, FEW = 16 };

static int
by_place(const void *left, const void *right)
{
    const lg__top_candidate *a = left;
    const lg__top_candidate *b = right;
    return a->place < b->place ? -1 : a->place > b->place;
}

static void
insert_each(lg__top_candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lg__top_candidate one = all[i];
        size_t at = i;
        for (; at > 0 && one.place < all[at - 1].place; at--)
            all[at] = all[at - 1];
        all[at] = one;
    }
}

static bool
are_of_one_place(const lg__top_candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (all[i].place != all[0].place)
            return false;
    return true;
}

static void
sort(lg__top_candidate *all, size_t count)
{
    if (count <= FEW)
        insert_each(all, count);
    else if (!are_of_one_place(all, count))
        qsort(all, count, sizeof *all, by_place);
}

// Returns the end of the run that lg__radix_sort treats as equal. It looks at a
// part of the hash, so the run has few other places.
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
lg__top_candidates_group(lg__top_candidate *all, size_t count)
{
    const lg_allocator allocator = lg_allocator_default();
    bool is_hashed =
        count >= MANY && lg__radix_sort(&allocator, all, count, sizeof *all);
    for (size_t at = 0, end; at < count; at = end) {
        end = is_hashed ? end_of_hash(all, at, count) : count;
        sort(all + at, end - at);
    }
}

void
lg__top_candidates_lead(lg__top_candidate *run, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (run[i].bytes > run[best].bytes ||
            (run[i].bytes == run[best].bytes && run[i].node < run[best].node))
            best = i;
    lg__top_candidate first = run[0];
    run[0] = run[best];
    run[best] = first;
}

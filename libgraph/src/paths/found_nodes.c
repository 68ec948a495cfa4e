// What every search for nodes shares: the nodes that it found, each once, and
// the patterns that it compares.
#include "paths/selection.h"

#include <stdlib.h>
#include <string.h>

bool
lg_nodes_reserve(lg_nodes *nodes, size_t count)
{
    uint32_t *items =
        count < SIZE_MAX / sizeof *items
            ? lg__realloc(nodes->items, (count + 1) * sizeof *items)
            : NULL;
    if (items != NULL)
        nodes->items = items;
    return items != NULL;
}

void
lg_nodes_free(lg_nodes *nodes)
{
    lg__free(nodes->items);
    *nodes = (lg_nodes){0};
}

// Sorts, and drops repetitions. Returns how many are left.
static size_t
unify(void *data, size_t count, size_t size,
      int (*compare)(const void *, const void *))
{
    char *items = data;
    size_t kept = 0;
    if (count > 1)
        qsort(items, count, size, compare);
    for (size_t i = 0; i < count; i++) {
        const char *item = items + i * size;
        if (kept > 0 && !compare(items + (kept - 1) * size, item))
            continue;
        memmove(items + kept++ * size, item, size);
    }
    return kept;
}

size_t
lg_nodes_unify(uint32_t *nodes, size_t count)
{
    return unify(nodes, count, sizeof *nodes, lg__ascending32);
}

size_t
lg__edges_unify(uint64_t *edges, size_t count)
{
    return unify(edges, count, sizeof *edges, lg__ascending64);
}

lg_status
lg__nodes_one(uint32_t node, lg_nodes *out, lg_error *err)
{
    uint32_t *items = lg__alloc(sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *items = node;
    *out = (lg_nodes){items, 1};
    return LG_OK;
}

lg_status
lg__nodes_take(lg__gathered *found, const char *text, lg_nodes *out,
               lg_error *err)
{
    if (found->count == 0)
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%.100s' leads to no object: write the number "
                            "that reports show with the object, such as #17",
                            text);
    *out = (lg_nodes){found->items, lg_nodes_unify(found->items, found->count)};
    *found = (lg__gathered){0};
    return LG_OK;
}

bool
lg__select_goes_on(const lg_monitor *monitor, uint32_t i, uint32_t count,
                   lg_error *err)
{
    enum { EVERY = 1 << 12 };
    return i % EVERY != 0 || lg__monitor_goes_on(monitor, "looking for objects",
                                                 (double)i / count, err);
}

// The classic two-pointer search. On a mismatch, only the last star takes more
// text, so the time is at most the product of the lengths.
bool
lg__glob_matches(const char *pattern, size_t length, lg_string name)
{
    size_t p = 0;
    size_t n = 0;
    size_t star = SIZE_MAX;
    size_t resume = 0;
    while (n < name.length) {
        if (p < length && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < length && pattern[p] == name.data[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < length && pattern[p] == '*')
        p++;
    return p == length;
}

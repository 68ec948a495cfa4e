// Orders merged paths: parents before children, and the biggest first.
#include "paths/merged_order.h"

#include <stdlib.h>

typedef struct place {
    uint64_t bytes;
    uint64_t targets;
    uint32_t index;
    uint32_t next;  // the next sibling
    uint32_t first; // the first child
} place;

static int
smallest_first(const void *left, const void *right)
{
    const place *a = left;
    const place *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->targets != b->targets)
        return a->targets < b->targets ? -1 : 1;
    return a->index > b->index ? -1 : a->index < b->index;
}

// Makes lists of children, biggest first, by putting each in front of its
// siblings, smallest first. Returns the first root.
static uint32_t
link_places(const lg__merged_tree *paths, place *places, uint32_t *rank)
{
    uint32_t root = LG_NONE;
    for (uint32_t i = 0; i < paths->count; i++) {
        const lg__merged *item = &paths->items[i];
        places[i] = (place){item->total, item->targets, i, LG_NONE, LG_NONE};
    }
    qsort(places, paths->count, sizeof *places, smallest_first);
    for (uint32_t i = 0; i < paths->count; i++)
        rank[places[i].index] = i;
    for (uint32_t i = 0; i < paths->count; i++) {
        uint32_t parent = paths->items[places[i].index].parent;
        uint32_t *head =
            parent == LG_NONE ? &root : &places[rank[parent]].first;
        places[i].next = *head;
        *head = i;
    }
    return root;
}

lg_status
lg__merged_arrange(lg__merged_tree *paths, lg_error *err)
{
    size_t count = paths->count;
    place *places = lg__wide_alloc((count + 1) * sizeof *places);
    uint32_t *rank = lg__wide_alloc((count + 1) * sizeof *rank);
    uint32_t *moved = lg__wide_alloc((count + 1) * sizeof *moved);
    lg__merged *items = lg__wide_alloc((count + 1) * sizeof *items);
    if (!places || !rank || !moved || !items) {
        lg__wide_free(items);
        items = NULL;
        goto done;
    }
    uint32_t at = link_places(paths, places, rank);
    for (uint32_t filled = 0; at != LG_NONE; filled++) {
        lg__merged item = paths->items[places[at].index];
        moved[places[at].index] = filled;
        uint32_t parent = item.parent;
        if (parent != LG_NONE)
            item.parent = moved[parent];
        items[filled] = item;
        if (places[at].first != LG_NONE) {
            at = places[at].first;
            continue;
        }
        while (places[at].next == LG_NONE && parent != LG_NONE) {
            at = rank[parent];
            parent = paths->items[parent].parent;
        }
        at = places[at].next;
    }
    lg__wide_free(paths->items);
    paths->items = items;

done:
    lg__wide_free(places);
    lg__wide_free(rank);
    lg__wide_free(moved);
    return items != NULL ? LG_OK : lg__error_memory(err);
}

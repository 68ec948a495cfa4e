// Keeps the biggest of many items, each with a copy of its nodes.
#include "answers/top_best.h"

#include <stdlib.h>
#include <string.h>

// The smallest kept item is on top. The heap has its biggest on top, so bytes
// and order are inverted.
static lg__weighed_node
turned(const lg__top_item *item, size_t at)
{
    return (lg__weighed_node){UINT64_MAX - item->bytes,
                              UINT32_MAX - item->order, (uint32_t)at};
}

static bool
is_before(const lg__top_item *a, const lg__top_item *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->order < b->order;
}

static bool
keep_at(lg__top_best *best, const lg__top_item *item, size_t at)
{
    uint32_t *nodes = lg__alloc(item->count * sizeof *nodes);
    if (nodes == NULL)
        return false;
    memcpy(nodes, item->nodes, item->count * sizeof *nodes);
    best->items[at] = *item;
    best->items[at].nodes = nodes;
    if (lg__node_heap_push(&best->heap, turned(item, at)))
        return true;
    lg__free(nodes);
    return false;
}

bool
lg__top_best_offer(lg__top_best *best, const lg__top_item *item,
                   uint32_t *left_out)
{
    size_t count = best->heap.count;
    *left_out = 0;
    if (count < best->most)
        return lg__array_room(&best->items, count, sizeof *best->items) &&
               keep_at(best, item, count);
    lg__top_item *last =
        count > 0 ? &best->items[best->heap.items[0].tag] : NULL;
    if (last == NULL || !is_before(item, last)) {
        *left_out = item->count;
        return true;
    }
    *left_out = last->count;
    lg__free((void *)last->nodes);
    return keep_at(best, item, lg__node_heap_pop(&best->heap).tag);
}

static int
by_rank(const void *left, const void *right)
{
    return is_before(left, right) ? -1 : is_before(right, left);
}

size_t
lg__top_best_sort(lg__top_best *best)
{
    if (best->heap.count > 0)
        qsort(best->items, best->heap.count, sizeof *best->items, by_rank);
    return best->heap.count;
}

// An item that is not in the heap had to go for one that there was no memory
// for.
void
lg__top_best_free(lg__top_best *best)
{
    for (size_t i = 0; i < best->heap.count; i++)
        lg__free((void *)best->items[best->heap.items[i].tag].nodes);
    lg__free(best->items);
    lg__node_heap_free(&best->heap);
}

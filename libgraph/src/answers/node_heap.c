// A heap of nodes, the biggest on top.
#include "answers/answers_private.h"

#include <stdlib.h>

static bool
is_before(const lg__weighed_node *a, const lg__weighed_node *b)
{
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes;
    return a->node < b->node;
}

bool
lg__node_heap_push(lg__node_heap *heap, lg__weighed_node one)
{
    if (!lg__stack_room(&heap->items, heap->count, &heap->capacity,
                        sizeof *heap->items))
        return false;
    size_t at = heap->count++;
    for (; at > 0 && is_before(&one, &heap->items[(at - 1) / 2]);
         at = (at - 1) / 2)
        heap->items[at] = heap->items[(at - 1) / 2];
    heap->items[at] = one;
    return true;
}

lg__weighed_node
lg__node_heap_pop(lg__node_heap *heap)
{
    lg__weighed_node *items = heap->items;
    lg__weighed_node top = items[0];
    lg__weighed_node last = items[--heap->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->count)
            break;
        if (child + 1 < heap->count &&
            is_before(&items[child + 1], &items[child]))
            child++;
        if (!is_before(&items[child], &last))
            break;
        items[at] = items[child];
        at = child;
    }
    items[at] = last;
    return top;
}

void
lg__node_heap_free(lg__node_heap *heap)
{
    lg__free(heap->items);
    *heap = (lg__node_heap){0};
}

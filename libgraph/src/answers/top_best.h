/** The biggest of many items, which come in no order. */
#ifndef LEAKGRAPH_TOP_BEST_H
#define LEAKGRAPH_TOP_BEST_H

#include "answers/node_heap.h"
#include "answers/top_parts.h"

/** It begins as {0}, but for `most`. */
typedef struct lg__top_best {
    size_t most;         /**< how many to keep at most */
    lg__top_item *items; /**< their nodes are copies */
    lg__node_heap heap;
} lg__top_best;

/** Keeps an item if it is one of the biggest. *left_out: how many objects are
 *  in the item that is not kept. Returns false when memory ran out. */
bool lg__top_best_offer(lg__top_best *best, const lg__top_item *item,
                        uint32_t *left_out);
/** Sorts the items, the biggest first. Returns how many there are. */
size_t lg__top_best_sort(lg__top_best *best);
void lg__top_best_free(lg__top_best *best);

#endif

/** A heap of nodes with the biggest on top. Of nodes of equal size, the one
 * with the lower number comes first. */
#ifndef LEAKGRAPH_NODE_HEAP_H
#define LEAKGRAPH_NODE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lg__weighed_node {
    uint64_t bytes;
    uint32_t node;
    uint32_t tag; /**< chosen by the caller who pushes the part */
} lg__weighed_node;

typedef struct lg__node_heap {
    lg__weighed_node *items;
    size_t count;
    size_t capacity;
} lg__node_heap;

/** Returns false when memory ran out. */
bool lg__node_heap_push(lg__node_heap *heap, lg__weighed_node one);
/** Takes the top off a heap that is not empty. */
lg__weighed_node lg__node_heap_pop(lg__node_heap *heap);
void lg__node_heap_free(lg__node_heap *heap);

#endif

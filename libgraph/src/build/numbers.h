/**
 * A column of numbers of which nearly all are small, while a builder fills it:
 * see lg_narrow. The elements lie elsewhere; here are the numbers that do not
 * fit. The last number that a node gets counts.
 */
#ifndef LEAKGRAPH_NUMBERS_H
#define LEAKGRAPH_NUMBERS_H

#include "graph/graph_private.h"

typedef struct lg__node_number {
    uint64_t number;
    uint32_t node;
} lg__node_number;

/** Returns the index of the first of ascending lg__node_number that is not
 * below the node; their count if there is none. O(log count), but O(1) for a
 * node behind all. */
size_t lg__node_number_at(const lg__vector *ascending, uint32_t node);

typedef struct lg__numbers {
    size_t width;      /**< bytes of an element: one or two */
    uint64_t usual;    /**< as in lg_narrow; 0: not known yet */
    lg__vector listed; /**< lg__node_number, ascending. An entry whose element
                            says something else has been replaced. */
} lg__numbers;

/** The least number that has no element of its own. */
static inline uint32_t
lg__numbers_limit(const lg__numbers *numbers)
{
    return lg__narrow_limit(numbers->width);
}

/** An empty column. Without a `usual` number, the first one that no count of a
 *  program comes to is usual. */
static inline lg__numbers
lg__numbers_open(size_t width, bool usual)
{
    lg__numbers numbers = {.width = width,
                           .listed.element = sizeof(lg__node_number)};
    if (usual)
        numbers.usual = lg__numbers_limit(&numbers);
    return numbers;
}

/** Sets the number of a node. O(1), but O(listed) for a large number of a node
 *  before others that are listed. Returns false when memory ran out. */
bool lg__numbers_set(const lg_allocator *allocator, lg__numbers *numbers,
                     void *elements, uint32_t node, uint64_t number);
/** Any number for a node that has none, also because memory ran out.
 *  O(log listed). */
uint64_t lg__numbers_get(const lg__numbers *numbers, const void *elements,
                         uint32_t node);

/** Makes the column of a graph, of a block that has `count` elements, and takes
 *  the block over. Returns false when memory ran out, and takes nothing then.
 */
bool lg__numbers_finish(const lg_allocator *allocator, lg__numbers *numbers,
                        lg__vector *elements, lg__made_column *out);

#endif

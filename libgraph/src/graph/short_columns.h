/**
 * Types and first edges of a graph in fewer bytes than files have: see
 * lg_type_ids and lg_first_edges.
 */
#ifndef LEAKGRAPH_SHORT_COLUMNS_H
#define LEAKGRAPH_SHORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include <leakgraph/internal/columns.h>

#include "base/base_private.h"

/** Returns `count` types from one on, where they are or in the room. */
const uint32_t *lg__type_ids_some(const lg_type_ids *types, uint64_t from,
                                  size_t count, uint32_t *room);

/** Returns `count` first edges from one on, where they are or in the room. */
const uint32_t *lg__first_edges_some(const lg_first_edges *first, uint64_t from,
                                     size_t count, uint32_t *room);

/** Returns the index of the last number that is at most `edge`, if it is none
 *  before `low` and none behind `high`, of numbers that are wide or of which
 *  those between are far. */
uint32_t lg__first_edges_find_far(const lg_first_edges *first, uint64_t edge,
                                  uint32_t low, uint32_t high)
    __attribute__((cold));

/** Returns the block of the last number that is at most `edge`. */
static inline uint32_t
lg__first_edges_block(const lg_first_edges *first, uint64_t edge, uint32_t low,
                      uint32_t high)
{
    uint32_t block = low / LG_FIRST_EDGES_BLOCK;
    uint32_t last = high / LG_FIRST_EDGES_BLOCK;
    while (block < last) {
        const uint32_t middle = last - (last - block) / 2;
        if (first->base[middle] <= edge)
            block = middle;
        else
            last = middle - 1;
    }
    return block;
}

/** Returns the index of the last number that is at most `edge`, if it is none
 *  before `low` and none behind `high`. */
static inline uint32_t
lg__first_edges_find(const lg_first_edges *first, uint64_t edge, uint32_t low,
                     uint32_t high)
{
    if (first->wide != NULL)
        return lg__first_edges_find_far(first, edge, low, high);
    const uint32_t block = lg__first_edges_block(first, edge, low, high);
    const uint32_t begin = block * LG_FIRST_EDGES_BLOCK;
    const uint32_t end = begin + (LG_FIRST_EDGES_BLOCK - 1);
    const uint16_t *above = first->above + block;
    const uint64_t most = edge - first->base[block];
    low = low > begin ? low : begin;
    high = high < end ? high : end;
    if (above[begin] == UINT16_MAX)
        return lg__first_edges_find_far(first, edge, low, high);
    while (low < high) {
        const uint32_t middle = high - (high - low) / 2;
        if (above[middle] <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/** Makes the types shorter if the graph owns them, in their own block. Returns
 *  false when memory ran out. */
bool lg__type_ids_shorten(lg_graph *graph);

/** Gives the graph types of two bytes each. The block has room for one more;
 *  without one, the graph has its types already. */
void lg__type_ids_give(lg_graph *graph, const lg__vector *words);

/** The same for first edges. */
bool lg__first_edges_shorten(lg_graph *graph);

/** Puts the kinds of edges into the words of their targets, if the graph owns
 *  both and targets leave room, also before the graph is bound. */
void lg__edges_pack(lg_graph *graph);

/** Says that the words of targets have the kinds. */
void lg__edges_are_packed(lg_graph *graph);

/** The parts of lg_first_edges. */
typedef struct lg__first_edges_made {
    lg__vector above;
    lg__vector base;
    lg__vector far_block;
    lg__vector far_number;
} lg__first_edges_made;

/** Gives the graph first edges of that form, and frees what is left. Returns
 *  false when memory ran out. */
bool lg__first_edges_give(lg_graph *graph, lg__first_edges_made *made);

#endif

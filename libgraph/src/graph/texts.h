/** The index of texts, with which lg__node_text_id need not search. */
#ifndef LEAKGRAPH_TEXTS_H
#define LEAKGRAPH_TEXTS_H

#include <leakgraph/graph.h>

/** Which of 64 nodes have a text, and where in the column their texts begin. */
typedef struct lg__text_block {
    uint64_t has;
    uint32_t first;
} lg__text_block;

/** Makes the index if necessary, which the graph keeps. O(nodes) the first
 * time. Returns NULL when memory ran out. */
const lg__text_block *lg__graph_texts(const lg_graph *graph);

/** Counts bits, in pairs, fours and bytes. For processors that may not have an
 *  instruction for it, GCC calls a slower function. */
static inline uint32_t
lg__count_bits(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/** The place of a node's text in the column of texts, if it has one. */
static inline uint32_t
lg__text_place(const lg__text_block *texts, uint32_t node)
{
    const lg__text_block *block = &texts[node / 64];
    uint64_t before = (UINT64_C(1) << node % 64) - 1;
    return block->first + lg__count_bits(block->has & before);
}

/** Returns what lg__node_text_id returns, by the index and the column of
 *  texts. */
static inline uint32_t
lg__text_of(const lg__text_block *texts, const uint32_t *text_string,
            uint32_t node)
{
    return texts[node / 64].has >> node % 64 & 1
               ? text_string[lg__text_place(texts, node)]
               : LG_NONE;
}

#endif

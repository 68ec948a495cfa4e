/**
 * Which blocks of the allocators an object takes.
 */
#ifndef LG_SPENT_H
#define LG_SPENT_H

#include <leakgraph/graph.h>

/** The bytes of an object in two blocks; `rest` is 0 of one block. */
typedef struct lg__blocks {
    uint64_t first;
    uint64_t rest;
    bool native; /**< malloc has the rest, however small */
} lg__blocks;

/** Of objects that have blocks of their own for their items: the bytes of the
 *  first block, or else of each block of items. 0: not so. */
typedef struct lg__block_parts {
    uint32_t first;
    uint32_t each;
    bool native; /**< malloc has the rest, however small */
} lg__block_parts;

/** What the allocators spend on a block of so many bytes. */
uint64_t lg__block_spent(uint64_t bytes);
/** The number of a type's parts among those known; 0: one block. */
uint8_t lg__parts_number(lg_string type);
/** How objects of that type lie in blocks. */
lg__block_parts lg__parts_of(lg_string type);
/** The blocks of an object of that size; those of items are told as one. */
lg__blocks lg__blocks_of(uint64_t bytes, lg__block_parts parts);
/** What pymalloc spends on those blocks that are small enough for it. */
uint64_t lg__blocks_small(lg__blocks blocks);
/** The bytes of those that malloc has, which are larger. */
uint64_t lg__blocks_large(lg__blocks blocks);

#endif

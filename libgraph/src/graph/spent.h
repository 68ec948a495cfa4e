/** How the allocators lay out an object in blocks. */
#ifndef LEAKGRAPH_SPENT_H
#define LEAKGRAPH_SPENT_H

#include <leakgraph/graph.h>

/** The bytes of an object in two blocks; `rest` is 0 if there is one block. */
typedef struct lg__blocks {
    uint64_t first;
    uint64_t rest;
    bool native; /**< malloc has the rest, however small it is */
} lg__blocks;

/** Block sizes of objects whose items are in blocks of their own: the bytes of
 *  the first block, or else of each block of items. 0: not so. */
typedef struct lg__block_parts {
    uint32_t first;
    uint32_t each;
    bool native; /**< malloc has the rest, however small it is */
} lg__block_parts;

/** Returns what the allocators spend on a block of that many bytes. */
uint64_t lg__block_spent(uint64_t bytes);
/** Returns the number of a type's entry among the known parts; 0: one block. */
uint8_t lg__parts_number(lg_string type);
/** Returns how objects of that type lie in blocks. */
lg__block_parts lg__parts_of(lg_string type);
/** Returns the blocks of an object of that size. Blocks of items count as
 *  one. */
lg__blocks lg__blocks_of(uint64_t bytes, lg__block_parts parts);
/** Returns what pymalloc spends on those blocks that are small enough for
 *  it. */
uint64_t lg__blocks_small(lg__blocks blocks);
/** Returns the bytes of the larger blocks, which malloc has. */
uint64_t lg__blocks_large(lg__blocks blocks);

#endif

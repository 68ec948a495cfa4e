/** Blocks that CPython itself keeps for its next objects. */
#ifndef LEAKGRAPH_FREE_LISTS_H
#define LEAKGRAPH_FREE_LISTS_H

#include <stdint.h>

/**
 * The bytes of the blocks that wait in the free lists of tuples, which pymalloc
 * counts as allocated. CPython keeps up to 2,000 tuples of each size up to 20,
 * 5 MB in all; its other free lists keep less than 200 KB. 0 if the interpreter
 * does not say. Call with the GIL held.
 */
uint64_t lg__free_list_bytes(void);

#endif

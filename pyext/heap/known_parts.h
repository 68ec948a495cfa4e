/**
 * What is known of the address space before it is searched: malloc's heaps, the
 * variables of libraries that no file has, and the stacks of threads.
 */
#ifndef LEAKGRAPH_KNOWN_PARTS_H
#define LEAKGRAPH_KNOWN_PARTS_H

#include "heap/listing.h"

typedef enum lg__known_kind {
    LG__KNOWN_HEAP = 0,
    LG__KNOWN_RANGE, /**< what may refer to blocks */
    LG__KNOWN_DEAD,  /**< below a stack pointer: nobody reads it */
} lg__known_kind;

typedef struct lg__known_part {
    uintptr_t start, end;
    uint8_t kind;     /**< lg__known_kind */
    uint8_t range;    /**< lg_range_kind */
    const char *name; /**< of the range */
    const lg__malloc_heap *heap;
} lg__known_part;

/** Ascending by their starts; they may overlap. */
typedef struct lg__known_parts {
    lg__known_part *items;
    size_t count, room;
} lg__known_parts;

/** False if memory ran out. O(n log n). */
bool lg__known_parts_collect(const lg__listing *listing, lg__known_parts *out);
void lg__known_parts_free(const lg__listing *listing, lg__known_parts *parts);

#endif

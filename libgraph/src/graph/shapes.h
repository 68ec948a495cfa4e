/**
 * Numbers of shapes, and the columns of types, sizes and flags that become one
 * column of such numbers: see lg_shapes.
 */
#ifndef LEAKGRAPH_SHAPES_H
#define LEAKGRAPH_SHAPES_H

#include <stdbool.h>

#include <leakgraph/internal/columns.h>

#include "base/base_private.h"

/** The shapes that are known so far. All zeros at first, but for `most`. */
typedef struct lg__shape_table {
    size_t most;    /**< shapes, up to LG__SHAPES */
    lg__vector key; /**< u64: see lg__shape_key, by number */
    uint16_t *slot; /**< by open addressing: a number plus 1, or 0 */
    uint32_t bits;  /**< there are 1 << bits slots; 0: none */
} lg__shape_table;

enum {
    LG__SHAPES = UINT16_MAX,
    LG__SHAPE_TYPES = 1 << 16, /**< types of shapes are below */
    LG__SHAPED = 8, /**< a shape takes as much as so many nodes save at most,
                         so a graph has none if it has fewer for each */
};

/** What tells a shape from others. */
static inline uint64_t
lg__shape_key(uint32_t type, uint32_t size, unsigned flags)
{
    return (uint64_t)type << 48 | (uint64_t)flags << 32 | size;
}

/** The parts of a key. */
static inline uint32_t
lg__shape_type(uint64_t key)
{
    return (uint32_t)(key >> 48);
}

static inline uint32_t
lg__shape_size(uint64_t key)
{
    return (uint32_t)key;
}

static inline uint16_t
lg__shape_flags(uint64_t key)
{
    return (uint16_t)(key >> 32);
}

void lg__shape_table_free(const lg_allocator *allocator,
                          lg__shape_table *table);

/** Stores the number of a shape, which is a new one if the shape is; LG_NONE if
 *  there is none for it. Returns false when memory ran out. */
bool lg__shape_number(const lg_allocator *allocator, lg__shape_table *table,
                      uint64_t key, uint32_t *out);

/** Replaces the types, sizes and flags of a graph that owns them by the numbers
 *  of shapes, if there are enough of these. Returns false when memory ran out.
 */
bool lg__shapes_make(lg_graph *graph);

#endif

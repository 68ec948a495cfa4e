/**
 * The shapes of nodes. Nodes of one type and with equal flags have one shape if
 * their references have the same labels, in the same order.
 */
#ifndef LEAKGRAPH_SHAPE_H
#define LEAKGRAPH_SHAPE_H

#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>

#include "column.h"

/** References that have a column each: at most so many, or the references of a
 *  node that has more but no items. */
enum { PACKED_SLOTS = 32 };

/** References to a node that have columns each. */
enum { PACKED_IN = 4 };

/** The numbers of a node that a shape may have a usual one for. */
enum {
    PACKED_SIZE = 0,
    PACKED_FOUND,
    PACKED_REFCOUNT, /**< less those found */
    PACKED_DEGREE,   /**< items */
    PACKED_IN_DEGREE,
    PACKED_RANK,                           /**< of each reference to it */
    PACKED_SLOT = PACKED_RANK + PACKED_IN, /**< the target of the first */
};

/** The kind, a packed_mode from bit 8 on, and a number from bit 32 on. */
typedef uint64_t packed_label;

/** What a payload is. */
typedef enum packed_mode {
    PACKED_CONSTANT = 0, /**< the label's number */
    PACKED_NEXT,         /**< the next target */
    PACKED_RISING,       /**< the label's number and the index of the item */
} packed_mode;

/** Long containers have items, whose labels repeat, between some slots. */
typedef struct packed_shape {
    uint64_t hash;
    uint32_t type;
    uint32_t slots;
    uint16_t flags;
    uint8_t unit;         /**< labels that the items repeat; 0: no items */
    uint8_t behind;       /**< slots behind the items */
    uint32_t first_label; /**< of the slots, then of the unit */
    uint32_t first_usual; /**< PACKED_SLOT and one for each slot */
} packed_shape;

/** All zeros at first. */
typedef struct shapes {
    packed_shape *shape;
    uint32_t *table; /**< number of a shape from 1 on, by its hash */
    uint32_t count;
    uint32_t room; /**< of the table, a power of 2 */
    bytes labels;  /**< packed_label */
    bytes usual;   /**< uint64_t: COLUMN_NONE, until it is known */
    bytes scratch;
} shapes;

/** Returns the shape of a node, and adds it if it is new. O(edges). */
uint32_t shapes_find(shapes *in, const lg_columns *columns, uint32_t node);
void shapes_free(shapes *in);

static inline const packed_label *
shapes_labels(const shapes *in, const packed_shape *shape)
{
    return (const packed_label *)(const void *)in->labels.data +
           shape->first_label;
}

static inline uint64_t *
shapes_usual(const shapes *in, const packed_shape *shape)
{
    return (uint64_t *)(void *)in->usual.data + shape->first_usual;
}

#endif

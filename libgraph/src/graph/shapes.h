/**
 * One column of numbers in place of those of types, sizes and flags: see
 * lg_shapes.
 */
#ifndef LEAKGRAPH_SHAPES_H
#define LEAKGRAPH_SHAPES_H

#include <stdbool.h>

#include <leakgraph/internal/columns.h>

enum {
    LG__SHAPES = UINT16_MAX,   /**< that there are numbers for */
    LG__SHAPE_TYPES = 1 << 16, /**< types of a graph with shapes */
    LG__SHAPED = 8, /**< nodes for each shape, at least: a shape takes as much
                         as two to three nodes save */
};

/** Replaces the types, sizes and flags of a graph that owns them by the numbers
 *  of shapes, if there are enough of these. Types are sound. Returns false when
 *  memory ran out. O(nodes). */
bool lg__shapes_make(lg_graph *graph);

#endif

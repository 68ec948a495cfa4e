/** The heaps that pictures are judged by: each a shape that people meet. */
#ifndef LEAKGRAPH_TEST_SHAPES_H
#define LEAKGRAPH_TEST_SHAPES_H

#include "heap.h"

typedef struct test_shape {
    const char *name;
    lg_graph *(*make)(uint32_t *subject);
    unsigned direction; /* lg_direction to draw it in */
} test_shape;

extern const test_shape shapes[];
extern const size_t shape_count;

const test_shape *shape_find(const char *name);

#endif

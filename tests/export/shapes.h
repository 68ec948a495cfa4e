/** The heaps by which people judge pictures. Each has a common shape. */
#ifndef LEAKGRAPH_SHAPES_H
#define LEAKGRAPH_SHAPES_H

#include "heap.h"

#include <leakgraph/view.h>

typedef struct test_shape {
    const char *name;
    lg_graph *(*make)(uint32_t *subject);
    unsigned direction; /* the picture's lg_direction */
} test_shape;

extern const test_shape shapes[];
extern const size_t shape_count;

const test_shape *shape_find(const char *name);

/** Calls lg_view_why with the answer about one node. */
lg_status view_why(const lg_analysis *analysis, uint32_t node,
                   const lg_view_options *options, lg_view **out);

#endif

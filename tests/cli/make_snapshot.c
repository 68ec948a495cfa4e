// Saves a small made-up heap, or a big one that is one component: make_snapshot
// SHAPE FILE, or make_snapshot COUNT FILE.

#include "shapes.h"
#include "suite.h"

#include <leakgraph/file.h>

#include <stdio.h>
#include <stdlib.h>

// Objects that refer to three others each, to whichever it may be.
static lg_graph *
make_component(uint32_t count)
{
    test_heap heap;
    uint64_t state = 1;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "app");
    uint32_t first = heap_add(&heap, "app.Node", 48);
    heap_attribute(&heap, module, first, "first");
    for (uint32_t i = 1; i < count; i++)
        heap_add(&heap, "app.Node", 48);
    for (uint32_t i = 0; i < count; i++) {
        heap_index(&heap, first + i, first + (i + 1) % count, 0);
        for (uint32_t edge = 1; edge < 3; edge++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            heap_index(&heap, first + i,
                       first + (uint32_t)(state >> 33) % count, edge);
        }
    }
    return heap_close(&heap);
}

SUITE(make_snapshot)
{
    uint32_t subject;
    lg_error error = {0};
    if (argc != 3)
        return 2;
    const test_shape *shape = shape_find(argv[1]);
    uint32_t count = (uint32_t)strtoul(argv[1], NULL, 10);
    if (!shape && count == 0)
        return 2;
    lg_graph *graph = shape ? shape->make(&subject) : make_component(count);
    lg_status status = lg_graph_save(graph, argv[2], NULL, NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_graph_free(graph);
    return status != LG_OK;
}

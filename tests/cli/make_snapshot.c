// Saves a small made-up heap, or a big one: make_snapshot SHAPE FILE,
// make_snapshot COUNT FILE for one component, or make_snapshot list:COUNT FILE.

#include "shapes.h"
#include "suite.h"

#include <leakgraph/file.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// A list of objects.
static lg_graph *
make_list(uint32_t count)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t module = heap_add_module(&heap, "app");
    uint32_t list = heap_add(&heap, "list", 56);
    heap_attribute(&heap, module, list, "items");
    for (uint32_t i = 0; i < count; i++)
        heap_index(&heap, list, heap_add(&heap, "app.Item", 48), i);
    return heap_close(&heap);
}

// Makes a heap of a shape by that name; NULL: there is none.
static lg_graph *
make(const char *name)
{
    static const char list[] = "list:";
    uint32_t subject;
    bool is_list = !strncmp(name, list, sizeof list - 1);
    const test_shape *shape = shape_find(name);
    uint32_t count =
        (uint32_t)strtoul(is_list ? name + sizeof list - 1 : name, NULL, 10);
    if (shape)
        return shape->make(&subject);
    if (count == 0)
        return NULL;
    return is_list ? make_list(count) : make_component(count);
}

SUITE(make_snapshot)
{
    lg_error error = {0};
    if (argc != 3)
        return 2;
    lg_graph *graph = make(argv[1]);
    if (!graph)
        return 2;
    lg_status status = lg_graph_save(graph, argv[2], NULL, NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_graph_free(graph);
    return status != LG_OK;
}

// Saves a small made-up heap: make_snapshot SHAPE FILE

#include "shapes.h"

#include <stdio.h>

int
main(int argc, char **argv)
{
    uint32_t subject;
    lg_error error = {0};
    const test_shape *shape = argc == 3 ? shape_find(argv[1]) : NULL;
    if (!shape)
        return 2;
    lg_graph *graph = shape->make(&subject);
    lg_status status = lg_graph_save(graph, argv[2], NULL, NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    lg_graph_free(graph);
    return status != LG_OK;
}

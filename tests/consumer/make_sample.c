// Saves the sample graph, for the example to load.
#include <stdio.h>

#include <leakgraph/file.h>

#include "sample.h"
#include "suite.h"

SUITE(make_sample)
{
    lg_graph *graph;
    lg_error err;
    if (argc != 2)
        return 2;
    if (sample_new(NULL, &graph, &err) != LG_OK ||
        lg_graph_save(graph, argv[1], NULL, NULL, &err) != LG_OK) {
        fprintf(stderr, "make_sample: %s\n", err.message);
        return 1;
    }
    lg_graph_free(graph);
    return 0;
}

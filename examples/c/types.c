/* Prints the ten types with the most bytes in a snapshot.
 *
 *     cc types.c $(pkg-config --cflags --libs leakgraph) -o types
 *     ./types run.lgs
 */
#include <stdio.h>

#include <leakgraph/leakgraph.h>

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: types SNAPSHOT\n");
        return 2;
    }

    lg_error err;
    lg_graph *graph;
    if (lg_graph_load(argv[1], 0, NULL, &graph, &err) != LG_OK) {
        fprintf(stderr, "types: %s\n", err.message);
        return 3;
    }

    lg_types types;
    lg_type_options options = LG_TYPE_OPTIONS_INIT;
    options.limit = 10;
    if (lg_graph_types(graph, &options, &types, &err) != LG_OK) {
        fprintf(stderr, "types: %s\n", err.message);
        lg_graph_free(graph);
        return 4;
    }
    for (size_t i = 0; i < types.count; i++) {
        const lg_type_row *row = &types.rows[i];
        lg_text size = {0};
        lg_text_add_size(&size, row->bytes);
        printf("%10llu  %10s  %.*s\n", (unsigned long long)row->count,
               size.data ? size.data : "?", (int)row->name.length,
               row->name.data);
        lg_text_free(&size);
    }
    lg_types_free(&types);
    lg_graph_free(graph);
    return 0;
}

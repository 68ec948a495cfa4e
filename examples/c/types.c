/* Prints the ten types with the most bytes in a snapshot.
 *
 *     cc types.c $(pkg-config --cflags --libs leakgraph) -o types
 *     ./types run.lgs
 */
#include <stdio.h>
#include <stdlib.h>

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

    lg_type_row *rows;
    size_t count;
    if (lg_graph_type_rows(graph, LG_SORT_BYTES, &rows, &count, &err) !=
        LG_OK) {
        fprintf(stderr, "types: %s\n", err.message);
        lg_graph_free(graph);
        return 4;
    }
    for (size_t i = 0; i < count && i < 10; i++) {
        lg_string name = lg_graph_type(graph, rows[i].type).name;
        lg_text size = {0};
        lg_text_add_size(&size, rows[i].bytes);
        printf("%10llu  %10s  %.*s\n", (unsigned long long)rows[i].count,
               size.data ? size.data : "?", (int)name.length, name.data);
        lg_text_free(&size);
    }
    free(rows);
    lg_graph_free(graph);
    return 0;
}

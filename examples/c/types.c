/* Prints the ten types with the most bytes in a snapshot.
 *
 *     cc types.c $(pkg-config --cflags --libs leakgraph) -o types
 *     ./types run.lgs
 */
#include <inttypes.h>
#include <stdio.h>

#include <leakgraph/leakgraph.h>

static void
print(const lg_table *table)
{
    size_t type = lg_table_column_find(table, "type");
    size_t count = lg_table_column_find(table, "count");
    size_t sizes = lg_table_column_find(table, "size");
    for (size_t i = 0; i < lg_table_row_count(table); i++) {
        lg_string name = lg_table_text_at(table, i, type);
        lg_text size = {0};
        lg_text_add_size(&size, lg_table_count_at(table, i, sizes));
        printf("%10" PRIu64 "  %10s  %.*s\n",
               lg_table_count_at(table, i, count), size.data ? size.data : "?",
               (int)name.length, name.data);
        lg_text_free(&size);
    }
}

int
main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: types SNAPSHOT\n");
        return 2;
    }

    lg_error err;
    lg_graph *graph = NULL;
    lg_table *table = NULL;
    const lg_question *types = lg_question_find("types");
    const char *const options[] = {"limit=10", NULL};
    lg_status status = lg_graph_load(argv[1], 0, NULL, &graph, &err);
    if (status == LG_OK)
        status =
            lg_question_table(types, graph, NULL, options, NULL, &table, &err);
    if (status == LG_OK)
        print(table);
    else
        fprintf(stderr, "types: %s\n", err.message);

    lg_table_free(table);
    lg_graph_free(graph);
    return status == LG_OK ? 0 : 3;
}

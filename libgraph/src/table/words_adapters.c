// Writes what a capture could not inspect.
#include "table/table_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

#define KEY "adapter."
#define NOT "not inspected: "

// Reads the library and the reason from an info text that has them.
static bool
is_uninspected(const lg_graph *graph, uint32_t index, lg_string *library,
               lg_string *reason)
{
    enum { KEY_LENGTH = sizeof KEY - 1, NOT_LENGTH = sizeof NOT - 1 };
    lg_graph_info(graph, index, library, reason);
    if (library->length < KEY_LENGTH || reason->length < NOT_LENGTH ||
        memcmp(library->data, KEY, KEY_LENGTH) != 0 ||
        memcmp(reason->data, NOT, NOT_LENGTH) != 0)
        return false;
    library->data += KEY_LENGTH;
    library->length -= KEY_LENGTH;
    reason->data += NOT_LENGTH;
    reason->length -= NOT_LENGTH;
    return true;
}

void
lg__format_uninspected(const lg_graph *graph, lg_text *out)
{
    const char *before = "\n";
    for (uint32_t i = 0; i < lg_graph_info_count(graph); i++) {
        lg_string library, reason;
        if (!is_uninspected(graph, i, &library, &reason))
            continue;
        lg_text_add(out, before);
        lg_text_add(out, "memory of ");
        lg__text_add_string(out, library);
        lg_text_add(out, " was not inspected: ");
        lg__text_add_string(out, reason);
        lg_text_add(out, "\n");
        before = "";
    }
}

void
lg__put_uninspected(const lg_ask *ask, const void *answer, const void *row,
                    const lg_field *field, lg_table *table, size_t column)
{
    const lg_graph *graph = ask->graph;
    uint32_t count = lg_graph_info_count(graph);
    size_t used = 0;
    (void)answer, (void)row, (void)field;
    lg_string *pairs = lg__alloc((2 * (size_t)count + 1) * sizeof *pairs);
    for (uint32_t i = 0; pairs != NULL && i < count; i++)
        used +=
            is_uninspected(graph, i, &pairs[2 * used], &pairs[2 * used + 1]);
    lg__put_pairs(table, column, pairs, used);
    lg__free(pairs);
}

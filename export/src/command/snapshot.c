// Opening a snapshot and finding what a selector names in it.

#include "command.h"

#include <stdio.h>

bool
lg__open(const char *path, lg_graph **out, int *code)
{
    lg_error error = {0};
    if (!lg_graph_load(path, LG_LOAD_MAPPED, lg__monitor(), out, &error))
        return true;
    *code = lg__fail(&error);
    if (*code == EXIT_USAGE)
        *code = EXIT_UNREADABLE;
    return false;
}

bool
lg__select(const lg_graph *graph, const char *selector, lg_nodes *out,
           int *code)
{
    lg_error error = {0};
    if (lg_graph_select(graph, selector, out, &error)) {
        *code = lg__fail(&error);
        return false;
    }
    if (out->count > MOST_SUBJECTS) {
        lg_text count = {0};
        lg_text_add_count(&count, out->count);
        fprintf(stderr,
                "leakgraph: %s matches %s objects: here are the "
                "first %u\n",
                selector, count.data ? count.data : "many", MOST_SUBJECTS);
        lg_text_free(&count);
        out->count = MOST_SUBJECTS;
    }
    return true;
}

// What the modules hold that an answer is about: the program's own, or those
// with a name.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

static bool
is_wanted(const lg__scope *scope, uint32_t module)
{
    if (scope->mine && lg__module_is_library(scope->graph, module))
        return false;
    return scope->glob == NULL ||
           lg__glob_matches(scope->glob, strlen(scope->glob),
                            lg_node_text(scope->graph, module));
}

static lg_status
check_name(const lg__scope *scope, lg_error *err)
{
    const lg_graph *graph = scope->graph;
    lg__guess guess = lg__guess_new(scope->glob, strlen(scope->glob));
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind != LG_ROOT_MODULE)
            continue;
        if (lg__glob_matches(scope->glob, strlen(scope->glob), root.name))
            return LG_OK;
        lg__guess_offer(&guess, root.name);
    }
    if (guess.best.length > 0)
        return lg_error_set(
            err, LG_ENOTFOUND, "no module matches '%s'; did you mean '%.*s'?",
            scope->glob, (int)guess.best.length, guess.best.data);
    return lg_error_set(err, LG_ENOTFOUND, "no module matches '%s'",
                        scope->glob);
}

lg_status
lg__scope_begin(lg__scope *scope, const lg_graph *graph, bool mine,
                const char *glob, const lg_monitor *monitor, lg_error *err)
{
    *scope = (lg__scope){.graph = graph, .mine = mine, .glob = glob};
    if (!mine && glob == NULL)
        return LG_OK;
    lg_status status = glob != NULL ? check_name(scope, err) : LG_OK;
    if (status != LG_OK)
        return status;
    scope->known = calloc((size_t)graph->columns.node_count + 1, 1);
    if (scope->known == NULL)
        return lg__error_memory(err);
    return lg__keepers_find(graph, monitor, &scope->keeper, err);
}

void
lg__scope_end(lg__scope *scope)
{
    free(scope->known);
    free(scope->keeper);
    *scope = (lg__scope){0};
}

// Of what no module holds its class must tell: the module is all but the last
// part of its name.
static bool
is_of_wanted_class(const lg__scope *scope, uint32_t node)
{
    const lg_graph *graph = scope->graph;
    lg_string name = lg_graph_type(graph, graph->columns.type[node]).name;
    if (scope->mine && lg__node_origin(graph, node, NULL) != LG__ORIGIN_PROGRAM)
        return false;
    while (name.length > 0 && name.data[name.length - 1] != '.')
        name.length--;
    name.length -= name.length > 0;
    return scope->glob == NULL ||
           lg__glob_matches(scope->glob, strlen(scope->glob), name);
}

enum { NO = 1, YES = 2 };

bool
lg__scope_has(lg__scope *scope, uint32_t node)
{
    if (scope->keeper == NULL)
        return true;
    uint32_t keeper = scope->keeper[node];
    if (keeper == LG_NONE)
        return is_of_wanted_class(scope, node);
    if (keeper == LG__KEPT_BY_INTERPRETER)
        return false;
    if (keeper == LG__KEPT_BY_PROGRAM)
        return scope->glob == NULL;
    if (scope->known[keeper] == 0)
        scope->known[keeper] = is_wanted(scope, keeper) ? YES : NO;
    return scope->known[keeper] == YES;
}

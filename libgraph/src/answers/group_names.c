// Groups types by name, or by the module that defines them.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

static bool
begins_with(lg_string name, lg_string module)
{
    return module.length > 0 && module.length < name.length &&
           name.data[module.length] == '.' &&
           memcmp(name.data, module.data, module.length) == 0;
}

lg_string
lg__type_module(const lg_graph *graph, lg_string name)
{
    lg_string best = {name.data, 0};
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_root root = lg_graph_root(graph, i);
        if (root.kind == LG_ROOT_MODULE && root.name.length > best.length &&
            begins_with(name, root.name))
            best.length = root.name.length;
    }
    uint32_t dot = name.length;
    while (best.length == 0 && dot > 0 && name.data[dot - 1] != '.')
        dot--;
    if (best.length == 0 && dot > 1)
        best.length = dot - 1;
    return best.length > 0 ? best : (lg_string){"builtins", 8};
}

typedef struct named {
    lg_string name;
    uint32_t type;
} named;

static int
compare_names(lg_string a, lg_string b)
{
    int order =
        memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int
by_name(const void *left, const void *right)
{
    const named *a = left;
    const named *b = right;
    int order = compare_names(a->name, b->name);
    return order != 0 ? order : (a->type > b->type) - (a->type < b->type);
}

void
lg__group_names_free(lg__group_names *all)
{
    lg__wide_free(all->name);
    lg__wide_free(all->of_type);
}

// Types with equal names form one group.
lg_status
lg__group_names_list(const lg_graph *graph, lg_group by, lg__group_names *out,
                     lg_error *err)
{
    size_t types = (size_t)graph->type_count + 1;
    lg__group_names all = {lg__wide_alloc(types * sizeof(lg_string)),
                           lg__wide_alloc(types * sizeof(uint32_t)), 0};
    named *names = lg__wide_alloc(types * sizeof *names);
    if (!all.name || !all.of_type || !names) {
        lg__wide_free(names);
        lg__group_names_free(&all);
        return lg__error_memory(err);
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        names[type] = (named){
            by == LG_GROUP_TYPE
                ? lg_graph_type(graph, type).name
                : lg__type_module(graph, lg_graph_type(graph, type).name),
            type};
    qsort(names, graph->type_count, sizeof *names, by_name);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        if (i == 0 || compare_names(names[i].name, names[i - 1].name) != 0)
            all.name[all.count++] = names[i].name;
        all.of_type[names[i].type] = all.count - 1;
    }
    lg__wide_free(names);
    *out = all;
    return LG_OK;
}

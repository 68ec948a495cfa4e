#include "wasted.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
insist(bool condition)
{
    if (!condition)
        abort();
}

uint32_t
wasted_type(heap *to, const char *name, uint32_t node, uint32_t base)
{
    return lg_builder_add_type(to->builder, name, strlen(name), node, &base,
                               base != LG_NONE);
}

heap
wasted_begin(void)
{
    static const char *const names[] = {
        "module",   "list",  "tuple",        "dict",   "set",
        "int",      "float", "str",          "object", "type",
        "function", "bytes", "numpy.ndarray"};
    heap made;
    insist(lg_builder_new(&made.builder, NULL) == LG_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        insist(wasted_type(&made, names[i], LG_NONE, LG_NONE) == i + 1);
    made.app = wasted_add(&made, MODULE, 72);
    lg_builder_add_root(made.builder, made.app, LG_ROOT_MODULE, "app", 3);
    return made;
}

uint32_t
wasted_add(heap *to, uint32_t type, uint64_t size)
{
    uint32_t node = to->builder->node_count;
    lg_builder_add_node(to->builder, 4096 + 64 * (uint64_t)node);
    lg_builder_put_type(to->builder, node, type);
    lg_builder_set_size(to->builder, node, size);
    return node;
}

void
wasted_refer(heap *to, uint32_t from, uint32_t target, unsigned kind,
             uint32_t payload)
{
    lg_builder_add_late_edge(to->builder, from, target, kind, payload);
    lg_builder_put_refcount(to->builder, target,
                            lg_builder_refcount(to->builder, target) + 1);
}

uint32_t
wasted_intern(const heap *to, const char *text)
{
    return lg_builder_intern(to->builder, text, strlen(text));
}

void
wasted_name(heap *to, const char *text, uint32_t target)
{
    wasted_refer(to, to->app, target, LG_EDGE_ATTRIBUTE,
                 wasted_intern(to, text));
}

uint32_t
wasted_str(heap *to, const char *text)
{
    uint32_t node = wasted_add(to, STR, 50);
    lg_builder_set_text(to->builder, node, text, strlen(text));
    return node;
}

uint32_t
wasted_list(heap *to, uint64_t room, uint32_t items, uint32_t type,
            uint64_t size)
{
    uint32_t list = wasted_add(to, LIST, WASTED_LIST + 8 * room);
    for (uint32_t i = 0; i < items; i++)
        wasted_refer(to, list, wasted_add(to, type, size), LG_EDGE_INDEX, i);
    return list;
}

void
wasted_put(heap *to, uint32_t dict, uint32_t key, uint32_t value, uint32_t rank)
{
    wasted_refer(to, dict, key, LG_EDGE_KEY, rank);
    wasted_refer(to, dict, value, LG_EDGE_VALUE, key);
}

answer
wasted_asked(lg_graph *graph, const lg_waste_options *options)
{
    answer made = {.graph = graph, .analysis = analysed(graph)};
    insist(lg_analysis_waste(made.analysis, options, NULL, &made.waste, NULL) ==
           LG_OK);
    return made;
}

lg_graph *
wasted_graph(heap *to)
{
    lg_graph *graph = NULL;
    insist(lg_builder_finish(to->builder, &graph, NULL) == LG_OK);
    return graph;
}

answer
wasted_end(heap *to)
{
    return wasted_asked(wasted_graph(to), NULL);
}

void
wasted_free(answer *made)
{
    lg_waste_free(&made->waste);
    lg_analysis_free(made->analysis);
    lg_graph_free(made->graph);
}

bool
wasted_says(const answer *made, lg_waste_kind kind, uint32_t node,
            uint64_t waste, uint64_t used, uint64_t of)
{
    for (size_t i = 0; i < made->waste.count; i++) {
        const lg_waste_row *row = &made->waste.rows[i];
        if (row->kind != kind || row->node != node)
            continue;
        if (row->weight != waste)
            fprintf(stderr, "%llu bytes could be saved\n",
                    (unsigned long long)row->weight);
        return row->waste[0] == waste && row->weight == waste &&
               row->used == used && row->of == of;
    }
    return false;
}

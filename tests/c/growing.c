// Makes the snapshots.
#include "growing.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

#include "test.h"

typedef struct making {
    lg_builder *builder;
    uint32_t type[10];
    uint32_t from[4096]; // references to add: source, target, kind, payload
    uint32_t to[4096];
    unsigned kind[4096];
    uint32_t payload[4096];
    uint32_t count;
} making;

enum {
    MODULE,
    LIST,
    DICT,
    BYTES,
    STR,
    ITEM,
    REQUEST,
    BYTEARRAY,
    REFERENCE,
    OLD_REFERENCE
};

static uint32_t
add(making *to, uint32_t type, uint32_t size)
{
    uint32_t node = lg_builder_add_node(
        to->builder, 64 * ((uint64_t)to->builder->node_count + 1));
    lg_builder_put_type(to->builder, node, to->type[type]);
    lg_builder_set_size(to->builder, node, size);
    return node;
}

static void
refer(making *to, uint32_t source, uint32_t target, unsigned kind,
      uint32_t payload)
{
    REQUIRE(to->count < 4096);
    to->from[to->count] = source;
    to->to[to->count] = target;
    to->kind[to->count] = kind;
    to->payload[to->count++] = payload;
}

static uint32_t
attribute(making *to, uint32_t source, const char *name, uint32_t type,
          uint32_t size)
{
    uint32_t node = add(to, type, size);
    refer(to, source, node, LG_EDGE_ATTRIBUTE,
          lg_builder_intern(to->builder, name, strlen(name)));
    return node;
}

static void
add_references(making *to)
{
    for (uint32_t node = 0; node < to->builder->node_count; node++) {
        lg_builder_open(to->builder, node);
        for (uint32_t i = 0; i < to->count; i++)
            if (to->from[i] == node)
                lg_builder_add_edge(to->builder, to->to[i], to->kind[i],
                                    to->payload[i]);
    }
}

static void
fill_deep(making *to, uint32_t from, uint32_t items)
{
    char name[16];
    for (uint32_t i = 0; i < GROWING_DEPTH; i++) {
        snprintf(name, sizeof name, "level%u", i);
        from = attribute(to, from, name, REQUEST, 40);
    }
    uint32_t list = attribute(to, from, "list", LIST, 100);
    for (uint32_t i = 0; i < items; i++)
        refer(to, list, add(to, ITEM, 1000), LG_EDGE_INDEX, i);
}

static void
fill_batches(making *to, uint32_t app, uint32_t items)
{
    uint32_t list = attribute(to, app, "batches", LIST, 100);
    uint32_t device = lg_builder_add_device(to->builder, "cuda:0");
    for (uint32_t i = 0; i < items; i++) {
        uint32_t node = add(to, ITEM, 1 << 20);
        lg_builder_set_device(to->builder, node, device);
        refer(to, list, node, LG_EDGE_INDEX, i);
    }
}

// Adds further lists of the shared objects, which are the last ones so far.
static void
fill_sharers(making *to, uint32_t app, const growing_heap *of)
{
    uint32_t first = to->builder->node_count - of->shared;
    for (uint32_t n = 0; n < of->sharers; n++) {
        char name[20];
        snprintf(name, sizeof name, "sharer%u", n);
        uint32_t list = attribute(to, app, name, LIST, 100);
        for (uint32_t i = 0; i < of->shared; i++)
            refer(to, list, first + i, LG_EDGE_INDEX, i);
    }
}

static void
fill_handle(making *to, uint32_t app, const growing_heap *of)
{
    uint32_t handle = attribute(to, app, "handle", REQUEST, of->handle);
    for (uint32_t i = 0; i < of->blocks; i++)
        refer(to, handle, app, LG_EDGE_INDEX, i);
}

static void
fill(making *to, const growing_heap *of)
{
    uint32_t app = add(to, MODULE, 100 + of->module);
    lg_builder_set_text(to->builder, app, "app", 3);
    lg_builder_add_root(to->builder, app, LG_ROOT_MODULE, "app", 3);
    uint32_t list = attribute(to, app, "items", LIST, 56 + 8 * of->items);
    for (uint32_t i = 0; i < of->items; i++)
        refer(to, list, add(to, ITEM, 1000), LG_EDGE_INDEX, i);
    uint32_t names = attribute(to, app, "names", LIST, 56);
    for (uint32_t i = 0; i < of->names; i++)
        refer(to, names, add(to, STR, 60), LG_EDGE_INDEX, i);
    uint32_t table = attribute(to, app, "table", DICT, 64 + 16 * of->entries);
    for (uint32_t i = 0; i < of->entries; i++) {
        uint32_t key = add(to, STR, 50);
        refer(to, table, key, LG_EDGE_KEY, i);
        refer(to, table, add(to, BYTES, 500), LG_EDGE_VALUE, key);
    }
    attribute(to, app, "blob", BYTEARRAY, of->blob);
    if (of->batches > 0)
        fill_batches(to, app, of->batches);
    uint32_t counts =
        attribute(to, app, "counts", DICT,
                  (of->numbers > 100 ? 9000 : 4000) + of->padding);
    for (uint32_t i = 0; i < of->numbers; i++)
        refer(to, counts, app, LG_EDGE_INDEX, i);
    if (of->handle > 0)
        fill_handle(to, app, of);
    for (uint32_t i = 0; i < of->garbage; i++) {
        uint32_t node = add(to, ITEM, of->dead > 0 ? of->dead : 300);
        to->builder->node_flags[node] =
            LG_NODE_TRACKED | (of->thresholds ? 0 : LG_NODE_FROZEN);
        to->builder->refcount[node] = 1;
        refer(to, node, node,
              LG_EDGE_ATTRIBUTE | (of->thresholds ? LG_EDGE_TRAVERSED : 0u), 0);
    }
    uint32_t left = attribute(to, app, "left", LIST, 100);
    uint32_t right = attribute(to, app, "right", LIST, 100);
    for (uint32_t i = 0; i < of->shared; i++) {
        uint32_t node = add(to, ITEM, 700);
        refer(to, left, node, LG_EDGE_INDEX, i);
        refer(to, right, node, LG_EDGE_INDEX, i);
    }
    fill_sharers(to, app, of);
    if (of->deep > 0)
        fill_deep(to, app, of->deep);
    uint32_t requests = attribute(to, app, "requests", LIST, 100);
    uint32_t first = to->builder->node_count;
    for (uint32_t i = 0; i < of->requests; i++) {
        uint32_t request = add(to, REQUEST, 40);
        refer(to, requests, request, LG_EDGE_INDEX, i);
        REQUIRE(of->parts == 0 || request == first + i);
        if (of->parts > 0)
            continue;
        if (i >= of->without)
            attribute(to, request, "item", ITEM, 60);
    }
    for (uint32_t i = 0; i < of->parts; i++)
        attribute(to, first + i % of->requests, "part", ITEM, 60);
    uint32_t weak = attribute(to, app, "weak", LIST, 100);
    for (uint32_t i = 0; i < of->weak; i++)
        refer(to, weak, add(to, of->old ? OLD_REFERENCE : REFERENCE, 72),
              LG_EDGE_INDEX, i);
}

// Adds what a module of leakgraph itself has.
static void
fill_own(making *to, uint32_t items)
{
    uint32_t module = add(to, MODULE, 100);
    lg_builder_set_text(to->builder, module, "leakgraph.text", 14);
    lg_builder_add_root(to->builder, module, LG_ROOT_MODULE, "leakgraph.text",
                        14);
    uint32_t list = attribute(to, module, "texts", LIST, 100);
    for (uint32_t i = 0; i < items; i++)
        refer(to, list, add(to, ITEM, 1000), LG_EDGE_INDEX, i);
}

static void
add_bytes(making *to, const char *key, uint32_t bytes)
{
    char text[16];
    snprintf(text, sizeof text, "%u", bytes);
    if (bytes > 0)
        lg_builder_set_info(to->builder, key, text);
}

static void
add_names(making *to, const growing_heap *of)
{
    char rank[16];
    char time[] = "2026-01-01T12:00:00Z";
    snprintf(rank, sizeof rank, "%u", of->rank - 1);
    snprintf(time + 17, 4, "%02uZ", of->second % 60);
    if (of->second > 0)
        lg_builder_set_info(to->builder, "time", time);
    add_bytes(to, "pid", of->pid);
    if (of->rank > 0)
        lg_builder_set_info(to->builder, "rank", rank);
    if (of->native)
        lg_builder_set_info(to->builder, "native", "inspected");
    if (of->thresholds) {
        lg_builder_set_info(to->builder, "gc.enabled", "yes");
        lg_builder_set_info(to->builder, "gc.thresholds", of->thresholds);
    }
}

static lg_graph *
make(const growing_heap *of)
{
    static const char *const names[] = {
        "module",      "list",      "dict",
        "bytes",       "str",       "app.Item",
        "app.Request", "bytearray", "weakref.ReferenceType",
        "weakref"};
    static making made;
    lg_graph *graph;
    made.count = 0;
    REQUIRE(lg_builder_new(&made.builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < 10; i++)
        made.type[i] = lg_builder_add_type(made.builder, names[i],
                                           strlen(names[i]), LG_NONE, NULL, 0);
    fill(&made, of);
    if (of->own_list > 0)
        fill_own(&made, of->own_list);
    add_references(&made);
    add_bytes(&made, "memory.malloc", of->malloc);
    add_bytes(&made, "memory.leakgraph_malloc", of->own);
    add_bytes(&made, "memory.leakgraph", of->own);
    add_bytes(&made, "memory.tracemalloc", of->traced);
    add_bytes(&made, "memory.python_used", of->pymalloc);
    add_bytes(&made, "memory.jit", of->code);
    add_bytes(&made, "memory.malloc_free", of->freed);
    add_bytes(&made, "memory.stacks", of->stacks);
    add_bytes(&made, "memory.rss", of->rss);
    add_names(&made, of);
    REQUIRE(lg_builder_finish(made.builder, &graph, NULL) == LG_OK);
    return graph;
}

static growing_series
compare(lg_graph *const *graphs, uint32_t count,
        const lg_growth_options *options)
{
    growing_series made = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        made.graph[i] = graphs[i];
        REQUIRE(lg_analysis_new(made.graph[i], NULL, &made.analysis[i], NULL) ==
                LG_OK);
        REQUIRE(lg_summary_new(made.analysis[i], NULL, &made.summary[i],
                               NULL) == LG_OK);
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, count,
                           made.analysis[count - 1], options, NULL,
                           &made.growth, NULL) == LG_OK);
    return made;
}

growing_series
growing_compare(const growing_heap *heaps, uint32_t count,
                const lg_growth_options *options)
{
    lg_graph *graphs[GROWING_MOST];
    for (uint32_t i = 0; i < count; i++)
        graphs[i] = make(&heaps[i]);
    return compare(graphs, count, options);
}

growing_series
growing_of_graphs(lg_graph *const *graphs, uint32_t count)
{
    return compare(graphs, count, NULL);
}

void
growing_forget(growing_series *made)
{
    lg_growth_free(&made->growth);
    for (uint32_t i = 0; i < made->count; i++) {
        lg_summary_free(made->summary[i]);
        lg_analysis_free(made->analysis[i]);
        lg_graph_free(made->graph[i]);
    }
}

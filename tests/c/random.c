// Random graphs with many objects that paths fold: namespaces, closures, cells.
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

enum { TYPE_COUNT = 11 };

static const char *const type_names[TYPE_COUNT] = {
    "module", "type",  "dict", "function", "tuple",  "cell",
    "list",   "Thing", "str",  "frame",    "thread",
};

enum { MODULE, TYPE, DICT, FUNCTION, TUPLE, CELL, LIST, THING, STR, FRAME };

typedef struct maker {
    lg_builder *builder;
    uint64_t state;
    uint32_t type[TYPE_COUNT];
    uint32_t closure;
    uint32_t name;
    uint8_t *what; // [node] index into type_names
} maker;

static uint32_t
below(maker *to, uint32_t limit)
{
    return test_random(&to->state) % limit;
}

// Returns a node of that type near a random place, or any node.
static uint32_t
pick(maker *to, uint8_t what)
{
    uint32_t count = to->builder->node_count;
    uint32_t start = below(to, count);
    for (uint32_t i = 0; i < count && i < 40; i++)
        if (to->what[(start + i) % count] == what)
            return (start + i) % count;
    return start;
}

static unsigned
flags(maker *to)
{
    unsigned dice = below(to, 20);
    return dice == 0   ? LG_EDGE_WEAK
           : dice == 1 ? LG_EDGE_UNCOUNTED
                       : LG_EDGE_TRAVERSED;
}

static void
add_any(maker *to)
{
    static const unsigned kinds[] = {LG_EDGE_INDEX,     LG_EDGE_ELEMENT,
                                     LG_EDGE_REFERENCE, LG_EDGE_TYPE,
                                     LG_EDGE_CELL,      LG_EDGE_DICT};
    uint32_t target = below(to, to->builder->node_count);
    unsigned kind = kinds[below(to, 6)];
    lg_builder_add_edge(to->builder, target, kind | flags(to), below(to, 4));
}

static void
add_usual(maker *to, uint32_t node)
{
    lg_builder *builder = to->builder;
    uint32_t any = below(to, builder->node_count);
    uint32_t rank = below(to, 4);
    switch (to->what[node]) {
    case MODULE:
    case TYPE:
    case THING:
        lg_builder_add_edge(builder, pick(to, DICT), LG_EDGE_DICT | flags(to),
                            0);
        break;
    case DICT:
        lg_builder_add_edge(builder, pick(to, STR), LG_EDGE_KEY, rank);
        lg_builder_add_edge(builder, any, LG_EDGE_VALUE | flags(to),
                            pick(to, STR));
        break;
    case FUNCTION:
        lg_builder_add_edge(builder, pick(to, TUPLE),
                            LG_EDGE_ATTRIBUTE | flags(to), to->closure);
        lg_builder_add_edge(builder, pick(to, DICT), LG_EDGE_GLOBALS, 0);
        break;
    case TUPLE:
        lg_builder_add_edge(builder, pick(to, CELL), LG_EDGE_INDEX | flags(to),
                            rank);
        break;
    case CELL:
        lg_builder_add_edge(builder, any, LG_EDGE_CELL | flags(to), 0);
        break;
    case FRAME:
        lg_builder_add_edge(builder, any, LG_EDGE_LOCAL, to->name);
        break;
    default:
        lg_builder_add_edge(builder, any, LG_EDGE_INDEX | flags(to), rank);
    }
}

static void
add_nodes(maker *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node =
            lg_builder_add_node(to->builder, 4096 + 16 * (uint64_t)i);
        uint8_t what = (uint8_t)below(to, TYPE_COUNT);
        to->what[node] = what;
        lg_builder_put_type(to->builder, node, to->type[what]);
        lg_builder_put_refcount(to->builder, node, below(to, 3));
        lg_builder_put_size(to->builder, node, below(to, 500));
        if (what == STR)
            lg_builder_set_text(to->builder, node, "key", 3);
    }
}

static void
add_edges(maker *to)
{
    uint32_t count = to->builder->node_count;
    for (uint32_t node = 0; node < count; node++) {
        lg_builder_open(to->builder, node);
        for (uint32_t i = below(to, 3); i > 0; i--)
            add_usual(to, node);
        if (below(to, 4) == 0)
            add_any(to);
    }
    for (uint32_t i = 0; i < count / 10; i++)
        lg_builder_add_late_edge(to->builder, below(to, count),
                                 below(to, count), LG_EDGE_INDEX, i);
}

lg_graph *
sample_random(uint64_t seed, uint32_t nodes, bool partial)
{
    maker to = {.state = seed * 7919 + 1, .what = malloc(nodes)};
    lg_graph *graph = NULL;
    lg_error err;
    REQUIRE(to.what != NULL);
    REQUIRE(lg_builder_new(&to.builder, &err) == LG_OK);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        to.type[i] = lg_builder_add_type(
            to.builder, type_names[i], strlen(type_names[i]), LG_NONE, NULL, 0);
    to.closure = lg_builder_intern(to.builder, "__closure__", 11);
    to.name = lg_builder_intern(to.builder, "x", 1);
    add_nodes(&to, nodes);
    add_edges(&to);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t node = below(&to, nodes);
        lg_builder_add_root(to.builder, node,
                            partial                   ? LG_ROOT_GIVEN
                            : to.what[node] == MODULE ? LG_ROOT_MODULE
                                                      : LG_ROOT_STATIC,
                            "root", 4);
    }
    if (partial)
        lg_builder_set_partial(to.builder, "a test");
    REQUIRE(lg_builder_finish(to.builder, &graph, &err) == LG_OK);
    free(to.what);
    return graph;
}

lg_graph *
sample_chain(uint32_t nodes)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t module =
        lg_builder_add_type(builder, "module", 6, LG_NONE, NULL, 0);
    uint32_t list = lg_builder_add_type(builder, "list", 4, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_put_type(builder, i, i == 0 ? module : list);
    }
    for (uint32_t i = 0; i + 1 < nodes; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 1, LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "chain", 5);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

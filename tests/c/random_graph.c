// Graphs with all that an analysis looks at: classes, modules, immortal
// objects, devices, weak references.
#include "random_graph.h"
#include "oracle.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

enum { MOST_NODES = 40, CLASSES = 6 };

static uint64_t state;

uint32_t
random_below(uint32_t limit)
{
    return test_random(&state) % limit;
}

// Some classes have a node; their bases are earlier classes.
static void
add_types(lg_builder *builder, uint32_t nodes, uint32_t *types)
{
    static const char *const names[] = {"module", "type", "dict", "list"};
    for (uint32_t i = 0; i < 4; i++)
        types[i] = lg_builder_add_type(builder, names[i], strlen(names[i]),
                                       LG_NONE, NULL, 0);
    for (uint32_t i = 4; i < 4 + CLASSES; i++) {
        uint32_t node = random_below(3) ? random_below(nodes) : LG_NONE;
        uint32_t base = types[random_below(i)];
        types[i] = lg_builder_add_type(builder, "Class", 5, node, &base,
                                       random_below(2));
    }
}

static void
add_nodes(lg_builder *builder, uint32_t nodes, const uint32_t *types)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = lg_builder_add_node(builder, 16 * (uint64_t)i + 16);
        lg_builder_put_type(builder, node, types[random_below(4 + CLASSES)]);
        builder->node_flags[node] = random_below(12) == 0 ? LG_NODE_IMMORTAL
                                    : random_below(15) == 0
                                        ? LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC
                                        : 0;
        lg_builder_put_refcount(builder, node, random_below(10) == 0 ? 100 : 0);
        lg_builder_set_size(builder, node, 1 + random_below(1000));
        if (random_below(8) == 0)
            lg_builder_set_device(builder, node, random_below(ORACLE_DEVICES));
    }
}

static void
add_edges(lg_builder *builder, uint32_t nodes)
{
    static const unsigned kinds[] = {LG_EDGE_DICT, LG_EDGE_VALUE, LG_EDGE_INDEX,
                                     LG_EDGE_TYPE, LG_EDGE_INDEX};
    uint32_t density = 1 + random_below(4);
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_open(builder, node);
        for (uint32_t i = random_below(2 * density); i > 0; i--) {
            unsigned kind = kinds[random_below(5)];
            unsigned weak = random_below(10) == 0 ? LG_EDGE_WEAK : 0;
            // Most edges are short, so components have all sizes.
            uint32_t target = random_below(3) ? (node + random_below(6)) % nodes
                                              : random_below(nodes);
            lg_builder_add_edge(builder, target, kind | weak,
                                kind == LG_EDGE_VALUE ? LG_NONE : 0);
        }
    }
}

lg_graph *
random_graph(uint64_t seed)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    uint32_t types[4 + CLASSES];
    state = seed;
    uint32_t nodes = 1 + random_below(MOST_NODES);
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 1; i < ORACLE_DEVICES; i++)
        lg_builder_add_device(builder, i == 1 ? "cuda:0" : "cuda:1");
    add_types(builder, nodes, types);
    add_nodes(builder, nodes, types);
    add_edges(builder, nodes);
    for (uint32_t i = random_below(4); i > 0; i--)
        lg_builder_add_root(builder, random_below(nodes),
                            random_below(2)
                                ? LG_ROOT_MODULE
                                : (lg_root_kind)random_below(LG_ROOT_GIVEN),
                            "", 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

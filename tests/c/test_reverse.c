// References back: each node has those that lead to it, in their order.
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/columns.h>

enum { NODES = 5000, EDGES = 200000, HUB = 17 };

// Makes a graph of random edges, of which one in `often` leads to the hub, and
// none to the first nodes or the last.
static lg_graph *
make(uint32_t edges, uint32_t often)
{
    lg_builder *builder = NULL;
    lg_graph *graph = NULL;
    uint64_t seed = edges + often;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < NODES; node++)
        lg_builder_add_node(builder, 16 * (uint64_t)node + 16);
    for (uint32_t node = 0; node < NODES; node++) {
        lg_builder_open(builder, node);
        for (uint32_t i = 0; i < edges / NODES; i++) {
            const uint32_t target = 10 + test_random(&seed) % (NODES - 20);
            const bool to_hub = test_random(&seed) % often == 0;
            lg_builder_add_edge(builder, to_hub ? HUB : target,
                                LG_EDGE_REFERENCE, 0);
        }
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

// Compares the references back with all edges, in their order.
static void
check(const lg_graph *graph)
{
    static lg_edge in[EDGES];
    static uint32_t begin[NODES + 1], met[NODES];
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t count = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        begin[node] = (uint32_t)count;
        met[node] = 0;
        count += lg_node_referrers(graph, node, in + count, EDGES - count);
        REQUIRE(count <= columns->edge_count);
    }
    begin[NODES] = (uint32_t)count;
    CHECK(count == columns->edge_count);
    for (uint64_t edge = 0; edge < count; edge++) {
        const uint32_t target = lg_columns_target(columns, edge);
        const uint32_t place = begin[target] + met[target]++;
        CHECK(place < begin[target + 1] && in[place] == edge);
    }
}

// Few edges, many, and many of which most lead to one node.
static void
of_each_node(void)
{
    static const uint32_t edges[] = {0, 3 * NODES, EDGES};
    static const uint32_t often[] = {1, 2, 50};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (size_t k = 0; k < sizeof often / sizeof *often; k++) {
            lg_graph *graph = make(edges[i], often[k]);
            check(graph);
            lg_graph_free(graph);
        }
}

SUITE(reverse)
{
    RUN(of_each_node);
    return test_result();
}

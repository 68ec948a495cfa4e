// Compares graphs of medium size with igraph's answer for the whole policy
// graph, which here consists of the graph itself and a super-root that refers
// to its roots.
#include <igraph.h>

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>

#include "drawn.h"
#include "test.h"

enum { GRAPHS = 3000, LARGE_GRAPHS = 60, NODES = 3000 };

static void
add_edge(igraph_vector_int_t *edges, uint32_t source, uint32_t target)
{
    REQUIRE(igraph_vector_int_push_back(edges, source) == 0);
    REQUIRE(igraph_vector_int_push_back(edges, target) == 0);
}

static uint32_t
node_count(const lg_analysis *analysis)
{
    return lg_graph_columns(lg_analysis_graph(analysis))->node_count;
}

// Keeps only the edges of live nodes: garbage does not change those.
static void
make(const lg_analysis *analysis, igraph_t *out)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    igraph_vector_int_t edges;
    REQUIRE(igraph_vector_int_init(&edges, 0) == 0);
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        add_edge(&edges, columns->node_count, lg_graph_root(graph, i).node);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t source = lg_edge_source(graph, edge);
        if (lg_node_is_reachable(analysis, source))
            add_edge(&edges, source, lg_columns_target(columns, edge));
    }
    REQUIRE(igraph_create(out, &edges, (long)columns->node_count + 1,
                          IGRAPH_DIRECTED) == 0);
    igraph_vector_int_destroy(&edges);
}

static void
compare_dominators(const lg_analysis *analysis, const igraph_t *whole)
{
    igraph_vector_int_t found;
    uint32_t root = node_count(analysis);
    REQUIRE(igraph_vector_int_init(&found, 0) == 0);
    REQUIRE(igraph_dominator_tree(whole, root, &found, NULL, NULL,
                                  IGRAPH_OUT) == 0);
    for (uint32_t node = 0; node < root; node++) {
        uint32_t ours = lg_node_dominator(analysis, node);
        bool reached = VECTOR(found)[node] >= 0;
        CHECK(reached == lg_node_is_reachable(analysis, node));
        if (reached)
            CHECK(VECTOR(found)[node] == (ours == LG_NONE ? root : ours));
    }
    igraph_vector_int_destroy(&found);
}

static void
compare_components(const lg_analysis *analysis, const igraph_t *whole)
{
    igraph_vector_int_t found;
    igraph_vector_int_t sizes;
    REQUIRE(igraph_vector_int_init(&found, 0) == 0);
    REQUIRE(igraph_vector_int_init(&sizes, 0) == 0);
    REQUIRE(igraph_connected_components(whole, &found, &sizes, NULL,
                                        IGRAPH_STRONG) == 0);
    for (uint32_t i = 0; i < lg_analysis_component_count(analysis); i++) {
        lg_component component = lg_analysis_component(analysis, i);
        if (!component.reachable)
            continue;
        CHECK(VECTOR(sizes)[VECTOR(found)[component.nodes[0]]] ==
              component.count);
        for (uint32_t j = 1; j < component.count; j++)
            CHECK(VECTOR(found)[component.nodes[j]] ==
                  VECTOR(found)[component.nodes[0]]);
    }
    for (uint32_t node = 0; node < node_count(analysis); node++)
        if (lg_node_is_reachable(analysis, node) &&
            VECTOR(sizes)[VECTOR(found)[node]] > 1)
            CHECK(lg_node_component(analysis, node) != LG_NONE);
    igraph_vector_int_destroy(&found);
    igraph_vector_int_destroy(&sizes);
}

// A component retains what the set of its members retains.
static void
compare_retained(const lg_analysis *analysis)
{
    for (uint32_t i = 0; i < lg_analysis_component_count(analysis); i++) {
        lg_component component = lg_analysis_component(analysis, i);
        lg_bytes bytes;
        REQUIRE(lg_nodes_retained(analysis, component.nodes, component.count,
                                  NULL, &bytes, NULL) == LG_OK);
        CHECK(component.retained.host == bytes.host);
    }
}

static void
compare(uint64_t seed, uint32_t nodes)
{
    lg_graph *graph = draw_random(seed, nodes);
    lg_analysis *analysis = analysed(graph);
    igraph_t whole;
    make(analysis, &whole);
    compare_dominators(analysis, &whole);
    compare_components(analysis, &whole);
    if (nodes < NODES)
        compare_retained(analysis);
    if (test_failures > 0)
        fprintf(stderr, "seed %u, %u nodes\n", (unsigned)seed, nodes);
    igraph_destroy(&whole);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Sizes near the limit above which igraph computes a component.
static void
graphs(void)
{
    for (uint32_t seed = 0; seed < GRAPHS && test_failures == 0; seed++)
        compare(seed, 40 + seed % 300);
}

static void
large_graphs(void)
{
    for (uint32_t seed = 0; seed < LARGE_GRAPHS && test_failures == 0; seed++)
        compare(seed, NODES);
}

int
main(void)
{
    RUN(graphs);
    RUN(large_graphs);
    return test_result();
}

// Shapes that make a careless analysis overflow its stack or run forever.
#include "drawn.h"
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/retained.h>

enum { CHAIN = 10000000, MANY = 1000000 };

static lg_builder *
begin(uint32_t nodes)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        builder->size[node] = 1;
    }
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "", 0);
    return builder;
}

static lg_analysis *
end(lg_builder *builder, lg_graph **graph)
{
    REQUIRE(lg_builder_finish(builder, graph, NULL) == LG_OK);
    return analysed(*graph);
}

static void
chain(void)
{
    lg_graph *graph = sample_chain(CHAIN);
    lg_analysis *analysis = analysed(graph);
    CHECK(lg_node_dominator(analysis, CHAIN - 1) == CHAIN - 2);
    CHECK(lg_node_is_reachable(analysis, CHAIN - 1));
    CHECK(lg_analysis_component_count(analysis) == 0);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The last node refers to the first: one component.
static void
picture(void)
{
    lg_graph *graph = draw_cycle(MANY);
    lg_analysis *analysis = analysed(graph);
    CHECK(lg_node_dominator(analysis, MANY - 1) == MANY - 2);
    CHECK(lg_node_retained(analysis, 1).host == MANY - 1);
    CHECK(lg_analysis_component_count(analysis) == 1);
    CHECK(lg_analysis_component(analysis, 0).count == MANY);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
list_with_one_child(void)
{
    lg_graph *graph;
    lg_builder *builder = begin(MANY + 2);
    lg_builder_open(builder, 0);
    for (uint32_t node = 1; node <= MANY; node++)
        lg_builder_add_edge(builder, node, LG_EDGE_INDEX, node - 1);
    for (uint32_t node = 1; node <= MANY; node++) {
        lg_builder_open(builder, node);
        lg_builder_add_edge(builder, MANY + 1, LG_EDGE_INDEX, 0);
    }
    lg_analysis *analysis = end(builder, &graph);
    CHECK(lg_node_dominator(analysis, MANY + 1) == 0);
    CHECK(lg_node_retained(analysis, 0).host == MANY + 2);
    CHECK(lg_node_dominated(analysis, 0, NULL, 0) == MANY + 1);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A linked list whose elements share one string: the analysis finds the nearest
// common ancestor of distant nodes a million times.
static void
linked_list_with_one_string(void)
{
    lg_graph *graph;
    lg_builder *builder = begin(MANY + 1);
    for (uint32_t node = 0; node < MANY; node++) {
        lg_builder_open(builder, node);
        if (node > 0)
            lg_builder_add_edge(builder, MANY, LG_EDGE_INDEX, 0);
        if (node + 1 < MANY)
            lg_builder_add_edge(builder, node + 1, LG_EDGE_INDEX, 1);
    }
    lg_analysis *analysis = end(builder, &graph);
    CHECK(lg_node_dominator(analysis, MANY) == 1);
    CHECK(lg_node_dominator(analysis, MANY - 1) == MANY - 2);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Every node of a binary tree refers to its parent.
static void
tree_with_parents(void)
{
    lg_graph *graph;
    lg_builder *builder = begin(MANY);
    for (uint32_t node = 0; node < MANY; node++) {
        lg_builder_open(builder, node);
        for (uint32_t child = 2 * node + 1; child <= 2 * node + 2; child++)
            lg_builder_add_edge(builder, child < MANY ? child : LG_NONE,
                                LG_EDGE_INDEX, 0);
        if (node > 0)
            lg_builder_add_edge(builder, (node - 1) / 2, LG_EDGE_INDEX, 2);
    }
    lg_analysis *analysis = end(builder, &graph);
    for (uint32_t node = 1; node < MANY; node++)
        CHECK(lg_node_dominator(analysis, node) == (node - 1) / 2);
    CHECK(lg_node_retained(analysis, 0).host == MANY);
    CHECK(lg_analysis_component_count(analysis) == 1);
    CHECK(lg_analysis_component(analysis, 0).count == MANY);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Each element refers to the next and to the previous one, and both ends are
// held: every element has two disjoint paths from the roots, so none dominates
// another.
static void
linked_list_with_two_ends(void)
{
    enum { ELEMENTS = MANY / 4 };
    lg_graph *graph;
    lg_builder *builder = begin(ELEMENTS);
    lg_builder_add_root(builder, ELEMENTS - 1, LG_ROOT_THREAD, "", 0);
    for (uint32_t node = 0; node < ELEMENTS; node++) {
        lg_builder_open(builder, node);
        if (node + 1 < ELEMENTS)
            lg_builder_add_edge(builder, node + 1, LG_EDGE_INDEX, 0);
        if (node > 0)
            lg_builder_add_edge(builder, node - 1, LG_EDGE_INDEX, 1);
    }
    lg_analysis *analysis = end(builder, &graph);
    for (uint32_t node = 0; node < ELEMENTS; node++)
        CHECK(lg_node_dominator(analysis, node) == LG_NONE);
    CHECK(lg_analysis_component_count(analysis) == 1);
    CHECK(lg_analysis_component(analysis, 0).retained.host == ELEMENTS);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// The members of each pair refer to each other, and each to its counterpart in
// the next pair. No node dominates another, and every pair retains all later
// pairs.
static void
pairs(void)
{
    lg_graph *graph;
    lg_builder *builder = begin(MANY);
    lg_builder_add_root(builder, 1, LG_ROOT_THREAD, "", 0);
    for (uint32_t node = 0; node < MANY; node++) {
        lg_builder_open(builder, node);
        lg_builder_add_edge(builder, node ^ 1, LG_EDGE_INDEX, 0);
        if (node + 2 < MANY)
            lg_builder_add_edge(builder, node + 2, LG_EDGE_INDEX, 1);
    }
    lg_analysis *analysis = end(builder, &graph);
    CHECK(lg_analysis_component_count(analysis) == MANY / 2);
    for (uint32_t i = 0; i < MANY / 2; i++) {
        lg_component component = lg_analysis_component(analysis, i);
        CHECK(component.nodes[0] == 2 * i &&
              component.retained.host == MANY - 2 * i);
        CHECK(lg_node_dominator(analysis, 2 * i) == LG_NONE);
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(analysis_deep)
{
    RUN(chain);
    RUN(picture);
    RUN(list_with_one_child);
    RUN(linked_list_with_one_string);
    RUN(tree_with_parents);
    RUN(linked_list_with_two_ends);
    RUN(pairs);
    return test_result();
}

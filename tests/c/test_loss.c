// Compares the analysis of a graph that has lost references, made from that of
// the whole graph, with one made from scratch.
#include "analysis/analysis_private.h"
#include "build/build_private.h"
#include "drawn.h"
#include "paths/paths_private.h"
#include "random_graph.h"
#include "test.h"

#include <leakgraph/analysis.h>

enum { GRAPHS = 20000, DRAWN = 2000, MOST_CUTS = 8 };

// Some cut references are adjacent, as those of a selector are.
static size_t
choose(const lg_graph *graph, uint64_t *state, uint64_t *cut)
{
    uint64_t edges = lg_graph_columns(graph)->edge_count;
    size_t count = edges > 0 ? 1 + test_random(state) % MOST_CUTS : 0;
    bool near = test_random(state) % 2;
    for (size_t i = 0; i < count; i++)
        cut[i] = near && i > 0 ? (cut[i - 1] + 1) % edges
                               : test_random(state) % edges;
    return lg__edges_unify(cut, count);
}

static void
compare_node(const lg_analysis *changed, const lg_analysis *expected,
             uint32_t node)
{
    uint32_t devices = lg_analysis_graph(expected)->device_count;
    CHECK(lg__dominator_of(changed, node) == lg__dominator_of(expected, node));
    for (uint32_t device = 0; device <= devices; device++)
        CHECK(lg_node_retained_on(changed, node, device) ==
              lg_node_retained_on(expected, node, device));
    const lg__children children = lg__children_of(changed, node);
    const lg__children known = lg__children_of(expected, node);
    CHECK(children.end - children.begin == known.end - known.begin);
}

static void
compare(const lg_analysis *before, const uint64_t *cut, size_t count)
{
    const lg_graph *graph = lg_analysis_graph(before);
    lg_graph *rest;
    lg_analysis *changed, *expected;
    REQUIRE(lg__graph_without(graph, cut, count, &rest, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(rest, NULL, &expected, NULL) == LG_OK);
    REQUIRE(lg__analysis_without(before, rest, cut, count, NULL, &changed,
                                 NULL) == LG_OK);
    for (uint32_t node = 0; node < lg_graph_columns(graph)->node_count;
         node++) {
        bool reachable = lg_node_is_reachable(expected, node);
        CHECK(lg_node_is_reachable(changed, node) == reachable);
        if (reachable)
            compare_node(changed, expected, node);
    }
    lg_analysis_free(changed);
    lg_analysis_free(expected);
    lg_graph_free(rest);
}

static void
lose_some(lg_graph *graph, uint64_t seed)
{
    uint64_t cut[MOST_CUTS];
    lg_analysis *before = analysed(graph);
    size_t count = choose(graph, &seed, cut);
    compare(before, cut, count);
    lg_analysis_free(before);
    lg_graph_free(graph);
}

static void
test_random_graphs(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++)
        lose_some(random_graph(seed), seed);
    for (uint64_t seed = 0; seed < DRAWN; seed++)
        lose_some(draw_random(seed, 10 + (uint32_t)(seed % 90)), seed);
}

// The letters of the ends of an edge.
static uint64_t
edge_of(const lg_graph *graph, const char *ends)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t source = (uint32_t)(ends[0] - 'a');
    uint64_t edge = lg_columns_first_edge(columns, source);
    while (lg_columns_target(columns, edge) != (uint32_t)(ends[1] - 'a'))
        edge++;
    return edge;
}

static void
lose(const char *edges, const char *first, const char *second)
{
    lg_graph *graph = draw("a", edges, "");
    lg_analysis *before = analysed(graph);
    uint64_t cut[2] = {edge_of(graph, first), edge_of(graph, second)};
    compare(before, cut, lg__edges_unify(cut, 2));
    lg_analysis_free(before);
    lg_graph_free(graph);
}

static void
test_shapes(void)
{
    // b and c hold d together, and also each other.
    lose("ab ac bd cd bc cb", "ab", "ac");
    lose("ab ac bd cd bc cb", "ab", "bd");
    // d gets below c, and what it shares with b below both.
    lose("ab ac bd cd de be", "bd", "be");
    // A chain below what moves, and a cycle that two paths enter.
    lose("ab ac bd cd de ef fd ce", "bd", "ce");
    lose("ab ac bd ce de ed df", "bd", "df");
    // Nothing changes: the dominator refers to it.
    lose("ab ac bc cd", "bc", "bc");
}

// The analysis in a damaged file may be that of another graph: here the only
// reference to c counted when the graph was analysed, and does not any more.
static void
test_analysis_of_another_graph(void)
{
    lg_graph *graph = draw("a", "ab bc", "");
    lg_analysis *before = analysed(graph);
    uint64_t cut = edge_of(graph, "ab");
    const lg_edge_kinds *kinds = &lg_graph_columns(graph)->kind;
    uint8_t *bytes = (uint8_t *)kinds->byte;
    bytes[edge_of(graph, "bc") << kinds->shift] |= LG_EDGE_WEAK;
    compare(before, &cut, 1);
    lg_analysis_free(before);
    lg_graph_free(graph);
}

SUITE(loss)
{
    RUN(test_random_graphs);
    RUN(test_shapes);
    RUN(test_analysis_of_another_graph);
    return test_result();
}

// Analyses of graphs that were solved by hand, and many analyses of one graph.
#include <pthread.h>

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>

#include "drawn.h"
#include "test.h"

// Checks the dominators as letters, in the order of the nodes; '-' is the
// super-root.
static void
check_dominators(const lg_analysis *analysis, const char *expected)
{
    for (uint32_t node = 0; expected[node]; node++) {
        uint32_t dominator = lg_node_dominator(analysis, node);
        char got = dominator == LG_NONE ? '-' : (char)('a' + dominator);
        if (got != expected[node])
            fprintf(stderr, "dominator of %c: %c\n", 'a' + (char)node, got);
        CHECK(got == expected[node]);
    }
}

// Checks the components as words of letters, in any order.
static void
check_components(const lg_analysis *analysis, const char *expected)
{
    uint32_t count = *expected != '\0';
    for (const char *at = expected; *at; at++)
        count += *at == ' ';
    CHECK(lg_analysis_component_count(analysis) == count);
    for (uint32_t i = 0; i < lg_analysis_component_count(analysis); i++) {
        lg_component component = lg_analysis_component(analysis, i);
        char word[32] = " ";
        char padded[64];
        for (uint32_t j = 0; j < component.count; j++)
            word[j + 1] = (char)('a' + component.nodes[j]);
        word[component.count + 1] = ' ';
        word[component.count + 2] = '\0';
        snprintf(padded, sizeof padded, " %s ", expected);
        CHECK(strstr(padded, word) != NULL);
    }
}

static void
check_solved(const char *roots, const char *edges, const char *dominators,
             const char *components)
{
    lg_graph *graph = draw(roots, edges, NULL);
    lg_analysis *analysis = analysed(graph);
    check_dominators(analysis, dominators);
    check_components(analysis, components);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Lengauer and Tarjan, "A fast algorithm for finding dominators in a
// flowgraph", 1979, figure 1. Its R is m here.
static void
lengauer_and_tarjan(void)
{
    check_solved("m",
                 "ma mb mc ad ba bd be cf cg dl eh fi gi gj he hk ik ji ki km "
                 "lh",
                 "mmmmmccmmgmd-", "abcdefghijklm");
}

// Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm", figure 4,
// an irreducible graph. Its 6 is a, its 1 is f.
static void
cooper_harvey_kennedy(void)
{
    check_solved("a", "ab ac bf ce cd fe ef ed de", "-aaaaa", "def");
}

// Cormen and others, "Introduction to algorithms", figure 22.9.
static void
cormen(void)
{
    check_solved("a", "ab bc be bf cd cg dc dh ea ef fg gf gh hh", "-abcbbbb",
                 "abe cd fg h");
}

// Sedgewick and Wayne, "Algorithms", the graph of tinyDG; its 0 is a.
static void
sedgewick_and_wayne(void)
{
    check_solved("h",
                 "ec cd dc ga ab ca lm mj jk jl hj km le ed df gi ig fe af ge "
                 "gj hg",
                 "haeehhh-ghjjj", "acdef jklm gi");
}

// The usual example for Tarjan's algorithm for components; its 8 is h.
static void
tarjan(void)
{
    check_solved("h", "ab bc ca db dc de ed ef fc fg gf he hg hh", "chhehhh-",
                 "abc de fg h");
}

static void
holder(void)
{
    lg_graph *graph = draw("r", "ra ah hx xy yx", "y");
    lg_analysis *analysis = analysed(graph);
    uint32_t h = 'h' - 'a';
    uint32_t x = 'x' - 'a';
    CHECK(lg_node_retained(analysis, h).host == DRAWN_BIG + 2 * DRAWN_SIZE);
    CHECK(lg_node_retained(analysis, x).host == DRAWN_BIG + DRAWN_SIZE);
    CHECK(lg_node_retained(analysis, x + 1).host == DRAWN_BIG);
    CHECK(lg_analysis_component(analysis, 0).retained.host ==
          DRAWN_BIG + DRAWN_SIZE);
    CHECK(lg_analysis_graph(analysis) == graph);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
shared(void)
{
    lg_graph *graph = draw("a", "ab ac bd cd de", "d");
    lg_analysis *analysis = analysed(graph);
    check_dominators(analysis, "-aaad");
    CHECK(lg_node_retained(analysis, 1).host == DRAWN_SIZE);
    CHECK(lg_node_retained(analysis, 0).host == DRAWN_BIG + 4 * DRAWN_SIZE);
    uint32_t both[] = {1, 2};
    lg_bytes bytes = {7, 7};
    CHECK(lg_nodes_retained(analysis, both, 2, NULL, &bytes, NULL) == LG_OK);
    CHECK(bytes.host == DRAWN_BIG + 3 * DRAWN_SIZE && bytes.devices == 0);
    uint32_t none = 5;
    CHECK(lg_nodes_retained(analysis, &none, 1, NULL, &bytes, NULL) ==
          LG_EINVAL);
    CHECK(bytes.host == DRAWN_BIG + 3 * DRAWN_SIZE);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Garbage that refers to reachable nodes does not change them.
static void
garbage(void)
{
    lg_graph *graph = draw("a", "ab bc dc de ed ec ef gf", "c");
    lg_analysis *analysis = analysed(graph);
    check_dominators(analysis, "-ab----");
    check_components(analysis, "de");
    lg_component component = lg_analysis_component(analysis, 0);
    CHECK(!component.reachable && component.retained.host == 2 * DRAWN_SIZE);
    CHECK(lg_node_is_reachable(analysis, 2));
    CHECK(!lg_node_is_reachable(analysis, 3));
    CHECK(lg_analysis_reachable_bytes(analysis).host ==
          DRAWN_BIG + 2 * DRAWN_SIZE);
    CHECK(lg_analysis_garbage_bytes(analysis).host == 4 * DRAWN_SIZE);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
nothing(void)
{
    lg_graph *graph = draw("", "", NULL);
    lg_analysis *analysis = analysed(graph);
    CHECK(lg_analysis_component_count(analysis) == 0);
    CHECK(lg_node_dominated(analysis, LG_NONE, NULL, 0) == 0);
    CHECK(lg_analysis_reachable_bytes(analysis).host == 0);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    lg_analysis_free(NULL);
}

typedef struct count {
    unsigned ticks;
    unsigned limit;
} count;

static bool
tick(void *context, const char *phase, double done)
{
    count *state = context;
    CHECK(phase != NULL && done >= 0 && done <= 1);
    return state->ticks++ < state->limit;
}

// The callback stops the analysis at each tick in turn; the caller gets only
// the error.
static void
cancel(lg_graph *graph)
{
    lg_status status = LG_ECANCELLED;
    unsigned limit = 0;
    for (; status == LG_ECANCELLED && limit < 1000; limit++) {
        count state = {0, limit};
        lg_monitor monitor = {tick, &state};
        lg_analysis *analysis = NULL;
        lg_error err;
        status = lg_analysis_new(graph, &monitor, &analysis, &err);
        CHECK((status == LG_OK) == (analysis != NULL));
        if (status != LG_OK) {
            CHECK(status == LG_ECANCELLED && err.status == status);
            CHECK(strstr(err.message, "cancelled while ") == err.message);
            CHECK(state.ticks == limit + 1);
        }
        lg_analysis_free(analysis);
    }
    CHECK(status == LG_OK && limit > 10);
    lg_graph_free(graph);
}

// igraph computes one component, and the other does not need it.
static void
cancelled(void)
{
    cancel(draw_random(3, 200000));
    cancel(draw_cycle(200000));
}

static void *
analyse_again(void *context)
{
    lg_analysis *analysis = NULL;
    REQUIRE(lg_analysis_new(context, NULL, &analysis, NULL) == LG_OK);
    return analysis;
}

static void
by_threads(void)
{
    lg_graph *graph = draw_random(11, 50000);
    pthread_t threads[4];
    lg_analysis *analyses[4];
    void *result;
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, analyse_again, graph) == 0);
    for (int i = 0; i < 4; i++) {
        REQUIRE(pthread_join(threads[i], &result) == 0);
        analyses[i] = result;
    }
    for (uint32_t node = 0; node < 50000; node++)
        for (int i = 1; i < 4; i++)
            CHECK(lg_node_dominator(analyses[i], node) ==
                  lg_node_dominator(analyses[0], node));
    for (int i = 0; i < 4; i++)
        lg_analysis_free(analyses[i]);
    lg_graph_free(graph);
}

static void
partial(void)
{
    lg_builder *builder;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_error err;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_set_partial(builder, "a test");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_analysis_new(graph, NULL, &analysis, &err) == LG_EPARTIAL);
    CHECK(strstr(err.message, "partial") != NULL && analysis == NULL);
    lg_graph_free(graph);
}

// What a graph and its analysis take counts as leakgraph's own.
static void
memory(void)
{
    enum { NODES = 1000 };
    lg_builder *builder;
    lg_graph *graph;
    lg_analysis *analysis;
    const uint64_t before = lg_own_bytes_now().all;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++)
        lg_builder_add_node(builder, i);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const uint64_t alone = lg_own_bytes_now().all - before;
    CHECK(alone > 6 * NODES && alone < 1000 * NODES);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    const uint64_t both = lg_own_bytes_now().all - before;
    CHECK(both - alone > NODES && both - alone < 200 * NODES);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    CHECK(lg_own_bytes_now().all == before);
}

// Sums of 4 GiB and more are as exact as others: along a chain of objects of 3
// GiB, for one that has 4 GiB, and beside one that has little.
static void
large_sums(void)
{
    enum { CHAIN = 5 };
    const uint64_t gib = UINT64_C(1) << 30;
    lg_builder *builder;
    lg_graph *graph;
    lg_analysis *analysis;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < CHAIN + 3; i++) {
        lg_builder_add_node(builder, i);
        lg_builder_set_size(builder, i, i < CHAIN ? 3 * gib : 10);
    }
    lg_builder_set_size(builder, CHAIN, 4 * gib);
    lg_builder_set_size(builder, CHAIN + 1, (UINT64_C(1) << 40) + 1);
    lg_builder_add_root(builder, 0, LG_ROOT_GIVEN, "", 0);
    lg_builder_add_root(builder, CHAIN, LG_ROOT_GIVEN, "", 0);
    lg_builder_add_root(builder, CHAIN + 2, LG_ROOT_GIVEN, "", 0);
    for (uint32_t i = 0; i + 1 < CHAIN; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 1, LG_EDGE_INDEX, 0);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    for (uint32_t i = 0; i < CHAIN; i++)
        CHECK(lg_node_retained(analysis, i).host == (CHAIN - i) * 3 * gib);
    CHECK(lg_node_retained(analysis, CHAIN).host == 4 * gib);
    CHECK(lg_node_retained(analysis, CHAIN + 1).host == 1024 * gib + 1);
    CHECK(lg_node_retained(analysis, CHAIN + 2).host == 10);
    CHECK(lg_analysis_reachable_bytes(analysis).host == 19 * gib + 10);
    CHECK(lg_analysis_garbage_bytes(analysis).host == 1024 * gib + 1);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(analysis)
{
    RUN(memory);
    RUN(large_sums);
    RUN(lengauer_and_tarjan);
    RUN(cooper_harvey_kennedy);
    RUN(cormen);
    RUN(sedgewick_and_wayne);
    RUN(tarjan);
    RUN(holder);
    RUN(shared);
    RUN(garbage);
    RUN(nothing);
    RUN(cancelled);
    RUN(by_threads);
    RUN(partial);
    return test_result();
}

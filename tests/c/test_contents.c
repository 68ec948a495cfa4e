// Equal contents become groups, and nothing of them is kept.
#include <unistd.h>

#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/facts.h>

#include "graph/graph_private.h"
#include "lgs.h"
#include "test.h"
#include "twins.h"

static lg_graph *
made_with(const lg_comparison *options)
{
    lg_graph *graph = NULL;
    REQUIRE(twins_made(NULL, options, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    return graph;
}

static bool
same(const lg_graph *graph, uint32_t a, uint32_t b)
{
    return lg_node_equal(graph, a) != LG_NONE &&
           lg_node_equal(graph, a) == lg_node_equal(graph, b);
}

static void
test_groups(void)
{
    lg_comparison options = twins_options();
    lg_graph *graph = made_with(&options);
    CHECK(same(graph, TWIN_TEXT, TWIN_SAME));
    CHECK(lg_node_equal(graph, TWIN_TEXT) == 0);
    // The first holder of the memory stands for it.
    CHECK(same(graph, TWIN_COPY, TWIN_ALIAS) !=
          same(graph, TWIN_COPY, TWIN_ARRAY));
    CHECK(lg_node_equal(graph, TWIN_COPY) == 1);
    CHECK(graph->equal_count == 4);
    static const uint32_t alone[] = {TWIN_APP,     TWIN_OTHER,  TWIN_BYTES,
                                     TWIN_CHANGED, TWIN_TYPED,  TWIN_DOUBLE,
                                     TWIN_MAPPED,  TWIN_DEVICE, TWIN_GONE};
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        CHECK(lg_node_equal(graph, alone[i]) == LG_NONE);
    CHECK(lg_node_equal(graph, TWIN_COUNT + 100) == LG_NONE);
    CHECK(lg_graph_info_find(graph, "contents").length == 3);
    CHECK(lg_graph_info_find(graph, "contents.left_out").length == 0);
    lg_graph_free(graph);
}

static void
test_not_asked_for(void)
{
    lg_graph *graph = made_with(NULL);
    CHECK(graph->equal_count == 0);
    CHECK(lg_node_equal(graph, TWIN_TEXT) == LG_NONE);
    CHECK(lg_graph_info_find(graph, "contents").length == 0);
    lg_graph_free(graph);
}

// Contents that are too much to read are left out, and the graph says so: first
// the rest of arrays, then all arrays.
static void
test_limit(void)
{
    static const struct {
        uint64_t most, arrays; // at least
    } cases[] = {{4 * 4096 + 1000, 3}, {1, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_comparison options = twins_options();
        options.most = cases[i].most;
        lg_graph *graph = made_with(&options);
        CHECK(same(graph, TWIN_TEXT, TWIN_SAME));
        CHECK(lg_node_equal(graph, TWIN_COPY) == LG_NONE);
        uint64_t left = 0;
        CHECK(lg__decimal_read(lg_graph_info_find(graph, "contents.left_out"),
                               &left));
        CHECK(left >= cases[i].arrays * TWIN_MEMORY);
        lg_graph_free(graph);
    }
}

static bool
refuse(void *context, const char *phase, double done)
{
    (void)context;
    CHECK(strcmp(phase, "comparing contents") == 0 && done >= 0 && done <= 1);
    return false;
}

static void
test_cancel(void)
{
    lg_comparison options = twins_options();
    lg_monitor monitor = {refuse, NULL};
    lg_graph *graph = NULL;
    options.monitor = &monitor;
    CHECK(twins_made(NULL, &options, &graph, NULL) == LG_ECANCELLED);
    CHECK(graph == NULL);
}

static bytes
saved_with_seed(uint64_t seed)
{
    lg_comparison options = twins_options();
    options.seed = seed;
    lg_graph *graph = made_with(&options);
    bytes file = saved(graph, 0);
    lg_graph_free(graph);
    return file;
}

// A file that depended on the seed would hold something of the hashes, and so
// of the contents.
static void
test_nothing_is_kept(void)
{
    bytes one = saved_with_seed(1);
    bytes other = saved_with_seed(UINT64_C(0x123456789abcdef));
    CHECK(one.length == other.length &&
          memcmp(one.data, other.data, one.length) == 0);
    CHECK(memmem(one.data, one.length, "horse", 5) == NULL);
    free(one.data);
    free(other.data);
}

static void
test_file(void)
{
    lg_graph *graph;
    lg_graph *loaded;
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    for (int level = 0; level < 2; level++) {
        bytes file = saved(graph, level);
        REQUIRE(lg_graph_load_memory(file.data, file.length, &loaded, NULL) ==
                LG_OK);
        for (uint32_t node = 0; node < TWIN_COUNT; node++)
            CHECK(lg_node_equal(loaded, node) == lg_node_equal(graph, node));
        lg_graph_free(loaded);
        free(file.data);
    }
    lg_graph_free(graph);
}

static void
test_strip(void)
{
    lg_graph *graph;
    lg_graph *stripped;
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(lg_graph_check(stripped, NULL) == LG_OK);
    CHECK(stripped->equal_count == 0);
    CHECK(lg_graph_info_find(stripped, "contents").length == 2);
    lg_graph_free(graph);
    lg_graph_free(stripped);
}

// A node that is given twice would be equal to itself.
static void
test_misuse(void)
{
    lg_comparison options = twins_options();
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_compare_contents(builder, &options);
    lg_builder_add_node(builder, 64);
    lg_builder_add_contents(builder, 1, 0, "abc", 3);
    lg_builder_add_contents(builder, 0, 0, "abc", 3);
    lg_builder_add_contents(builder, 0, 0, "abc", 3);
    CHECK(lg_builder_finish(builder, &graph, NULL) == LG_EINVAL);
    CHECK(graph == NULL);
}

SUITE(contents)
{
    folder_make();
    RUN(test_groups);
    RUN(test_not_asked_for);
    RUN(test_limit);
    RUN(test_cancel);
    RUN(test_nothing_is_kept);
    RUN(test_file);
    RUN(test_strip);
    RUN(test_misuse);
    folder_remove();
    return test_result();
}

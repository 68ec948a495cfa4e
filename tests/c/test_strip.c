// Stripping removes the user's text everywhere, and nothing else.
#include <unistd.h>

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/facts.h>

#include "sample.h"
#include "stored.h"
#include "test.h"

static bool
has_text(const lg_graph *graph, uint32_t node)
{
    return lg_node_text(graph, node).length > 0;
}

static void
texts(void)
{
    lg_graph *graph;
    lg_graph *stripped;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(lg_graph_check(stripped, NULL) == LG_OK);
    for (uint32_t node = 0; node < SAMPLE_COUNT; node++) {
        bool users = node == SAMPLE_STEP_KEY || node == SAMPLE_NUMBER;
        CHECK(has_text(stripped, node) == (has_text(graph, node) && !users));
    }
    lg_string keys = lg_graph_info_find(stripped, "keys");
    CHECK(keys.length == 2 && memcmp(keys.data, "no", 2) == 0);
    CHECK(lg_graph_info_find(stripped, "python").length == 6);
    CHECK(lg_node_size(stripped, SAMPLE_HUGE) ==
          lg_node_size(graph, SAMPLE_HUGE));
    lg_graph_free(graph);
    lg_graph_free(stripped);
}

// The bytes of a file do not contain it either.
static bool
file_contains(const lg_graph *graph, const char *needle)
{
    char path[] = "/tmp/leakgraph-XXXXXX";
    static char bytes[65536];
    int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    REQUIRE(lg_graph_save(graph, path, NULL, NULL, NULL) == LG_OK);
    close(descriptor);
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(path);
    return memmem(bytes, length, needle, strlen(needle)) != NULL;
}

static void
bytes_of_file(void)
{
    lg_graph *graph;
    lg_graph *stripped;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(file_contains(graph, "it's"));
    CHECK(!file_contains(stripped, "it's"));
    CHECK(file_contains(stripped, "losses"));
    CHECK(file_contains(stripped, "all_losses"));
    lg_graph_free(graph);
    lg_graph_free(stripped);
}

// Leakgraph's own facts about a node stay; other facts may contain the user's
// text.
static void
facts(void)
{
    lg_graph *graph;
    lg_graph *stripped;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(lg_graph_check(stripped, NULL) == LG_OK);
    CHECK(lg_node_fact_text(graph, STORED_LOSS, "remark").length > 0);
    CHECK(lg_node_fact_text(stripped, STORED_LOSS, "remark").length == 0);
    CHECK(lg_node_fact_bool(stripped, STORED_LOSS, "requires_grad", false));
    CHECK(lg_node_fact_number(stripped, STORED_SLICE, "bytes", 0) == 4096);
    CHECK(!file_contains(stripped, "the user's own words"));
    CHECK(file_contains(stripped, "float32[512, 512]"));
    CHECK(file_contains(stripped, "load train.py:3"));
    lg_graph_free(graph);
    lg_graph_free(stripped);
}

// No number that leakgraph wrote tells a user's text.
static void
numbers(void)
{
    lg_builder *builder;
    lg_graph *graph;
    lg_graph *stripped;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_add_fact(builder, 0, "maxsize", "8", 1);
    lg_builder_add_fact(builder, 0, "hits", "5", 1);
    lg_builder_add_fact(builder, 0, "misses", "9", 1);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(lg_node_fact_number(stripped, 0, "maxsize", 0) == 8);
    CHECK(lg_node_fact_number(stripped, 0, "hits", 0) == 5);
    CHECK(lg_node_fact_number(stripped, 0, "misses", 0) == 9);
    lg_graph_free(graph);
    lg_graph_free(stripped);
}

SUITE(strip)
{
    RUN(texts);
    RUN(bytes_of_file);
    RUN(facts);
    RUN(numbers);
    return test_result();
}

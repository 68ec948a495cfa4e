// Facts: the last value counts, and getters find it.
#include "stored.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/facts.h>

static bool
says(lg_string string, const char *expected)
{
    return string.length == strlen(expected) &&
           memcmp(string.data, expected, string.length) == 0;
}

static void
getters(void)
{
    lg_graph *graph;
    lg_fact fact;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    CHECK(says(lg_node_fact_text(graph, STORED_WEIGHT, "shape"), "512, 512"));
    CHECK(lg_node_fact_bool(graph, STORED_LOSS, "requires_grad", false));
    CHECK(lg_node_fact_text(graph, STORED_LOSS, "shape").length == 0);
    CHECK(lg_node_fact_text(graph, STORED_TRAIN, "shape").length == 0);
    CHECK(lg_node_fact_text(graph, LG_NONE, "shape").length == 0);
    CHECK(lg_node_fact_number(graph, STORED_SLICE, "bytes", 9) == 4096);
    CHECK(lg_node_fact_number(graph, STORED_SLICE, "dtype", 9) == 9);
    CHECK(lg_node_fact_number(graph, STORED_LOSS, "shape", 9) == 9);
    CHECK(lg_node_fact_number(graph, STORED_TRAIN, "bytes", 9) == 9);
    REQUIRE(lg_node_fact_at(graph, STORED_MUL, 0, &fact));
    CHECK(says(fact.key, "saved") && says(fact.text, "1"));
    CHECK(fact.type == LG_FACT_NUMBER && fact.number == 1);
    CHECK(!lg_node_fact_at(graph, STORED_MUL, 1, &fact));
    CHECK(!lg_node_fact_at(graph, STORED_TRAIN, 0, &fact));
    CHECK(!lg_node_fact_at(graph, STORED_COUNT, UINT32_MAX, &fact));
    uint32_t count = 0, bools = 0, texts = 0;
    for (; lg_node_fact_at(graph, STORED_LOSS, count, &fact); count++) {
        bools += fact.type == LG_FACT_BOOL && fact.number == 1;
        texts += fact.type == LG_FACT_TEXT;
    }
    CHECK(count == 6 && bools == 1 && texts == 4);
    lg_graph_free(graph);
}

// The key says the type of a fact, whatever its value looks like.
static void
types(void)
{
    lg_builder *builder;
    lg_graph *graph;
    lg_fact fact;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_add_fact(builder, 0, "bytes", "18446744073709551615", 20);
    lg_builder_add_fact(builder, 0, "canvas", "18446744073709551616", 20);
    lg_builder_add_fact(builder, 0, "number", "-1", 2);
    lg_builder_add_fact_number(builder, 0, "axes", 0);
    lg_builder_add_fact_number(builder, 0, "blocks", UINT64_MAX);
    lg_builder_add_fact_number(builder, 0, "remark", 12);
    lg_builder_add_fact(builder, 0, "shape", "12", 2);
    lg_builder_add_fact(builder, 0, "closed", "no", 2);
    lg_builder_add_fact(builder, 0, "requires_grad", "maybe", 5);
    lg_builder_add_fact(builder, 1, "nobody", "x", 1);
    lg_builder_add_fact(builder, LG_NONE, "nobody", "x", 1);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_node_fact_number(graph, 0, "bytes", 5) == UINT64_MAX);
    CHECK(lg_node_fact_number(graph, 0, "canvas", 5) == 5);
    CHECK(lg_node_fact_number(graph, 0, "number", 5) == 5);
    CHECK(lg_node_fact_number(graph, 0, "axes", 5) == 0);
    CHECK(lg_node_fact_number(graph, 0, "blocks", 5) == UINT64_MAX);
    CHECK(lg_node_fact_number(graph, 0, "shape", 5) == 5);
    CHECK(lg_node_fact_number(graph, 0, "remark", 5) == 5);
    CHECK(lg_node_fact_number(graph, 0, "closed", 5) == 5);
    CHECK(says(lg_node_fact_text(graph, 0, "shape"), "12"));
    CHECK(says(lg_node_fact_text(graph, 0, "remark"), "12"));
    CHECK(says(lg_node_fact_text(graph, 0, "number"), "-1"));
    CHECK(lg_node_fact_text(graph, 0, "bytes").length == 0);
    CHECK(!lg_node_fact_bool(graph, 0, "closed", true));
    CHECK(lg_node_fact_bool(graph, 0, "requires_grad", true));
    CHECK(!lg_node_fact_bool(graph, 0, "requires_grad", false));
    CHECK(says(lg_node_fact_text(graph, 0, "requires_grad"), "maybe"));
    CHECK(lg_node_fact_bool(graph, 0, "axes", true));
    CHECK(lg_node_fact_bool(graph, 0, "bytes", true));
    REQUIRE(lg_node_fact(graph, 0, "closed", &fact));
    CHECK(fact.type == LG_FACT_BOOL && fact.number == 0);
    CHECK(says(fact.key, "closed") && says(fact.text, "no"));
    CHECK(!lg_node_fact(graph, 0, "open", &fact));
    lg_graph_free(graph);
}

// Compares facts with a separate table.
static void
last_one_counts(void)
{
    enum { NODES = 20, KEYS = 5 };
    static const char *const keys[KEYS] = {"axes", "bytes", "canvas", "hits",
                                           "used"};
    uint64_t state = 3;
    unsigned expected[NODES][KEYS] = {{0}};
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++)
        lg_builder_add_node(builder, 16);
    for (unsigned i = 1; i < 150; i++) {
        char digits[8];
        uint32_t node = test_random(&state) % NODES;
        uint32_t key = test_random(&state) % KEYS;
        snprintf(digits, sizeof digits, "%u", i);
        lg_builder_add_fact(builder, node, keys[key], digits, strlen(digits));
        expected[node][key] = i;
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t key = 0; key < KEYS; key++)
            CHECK(lg_node_fact_number(graph, node, keys[key], 0) ==
                  expected[node][key]);
    lg_graph_free(graph);
}

SUITE(fact)
{
    RUN(getters);
    RUN(types);
    RUN(last_one_counts);
    return test_result();
}

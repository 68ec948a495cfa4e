// What a second thread adds to a builder, and graphs that two threads finish.
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/second_thread.h>
#include <leakgraph/internal/draft.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 60, LARGE = 1 << 17 };

static void
fill_node(lg_builder *builder, uint32_t node)
{
    lg_builder_put_type(builder, node, 0);
    builder->size[node] = 16;
    builder->refcount[node] = 100;
}

static lg_builder *
builder_of(uint32_t nodes)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < nodes; i++) {
        REQUIRE(lg_builder_number_node(builder, 16 * (uint64_t)(i + 1)) == i);
        fill_node(builder, i);
    }
    return builder;
}

static lg_graph *
finish(lg_builder *builder)
{
    lg_graph *graph = NULL;
    lg_error err = {.message = ""};
    REQUIRE(lg_builder_finish(builder, &graph, &err) == LG_OK);
    CHECK(lg_graph_check(graph, &err) == LG_OK);
    return graph;
}

// Kinds of edges of which one is not counted.
static unsigned
kind_of(uint64_t *state)
{
    return LG_EDGE_INDEX |
           (test_random(state) % 4 == 0 ? LG_EDGE_UNCOUNTED : 0u);
}

static void
set_text(lg_builder *builder, bool as_addition, uint32_t node, const char *text)
{
    if (as_addition)
        CHECK(lg_additions_set_text(lg_builder_additions(builder), node, text,
                                    strlen(text)));
    else
        lg_builder_set_text(builder, node, text, strlen(text));
}

// Half of the nodes get texts, some twice, and some of these other ones from
// the producer.
static void
give_texts(lg_builder *builder, bool as_addition, uint32_t node,
           uint64_t *state)
{
    char text[32];
    snprintf(text, sizeof text, "text %u", (unsigned)node);
    if (test_random(state) % 2 == 0)
        set_text(builder, as_addition, node, text);
    if (test_random(state) % 8 == 0)
        set_text(builder, as_addition, node, "the second text");
    if (test_random(state) % 8 == 0)
        set_text(builder, false, node / 2, "the producer's text");
}

static void
count_some(lg_builder *builder, uint64_t most)
{
    lg_additions *additions = lg_builder_additions(builder);
    const lg_reached reached = lg_builder_reached(builder);
    const uint64_t before = lg_additions_counted_edges(additions);
    const uint64_t left = reached.edges - before;
    CHECK(lg_additions_count_edges(additions, builder, &reached, most) ==
          (left > 0 && most > 0));
    CHECK(lg_additions_counted_edges(additions) ==
          before + (left < most ? left : most));
}

// The same graph with and without additions. The producer's texts come last,
// as those of a node that the second thread has left do.
static lg_graph *
random_graph(uint64_t seed, bool as_addition)
{
    uint64_t state = seed;
    uint64_t other = seed + 1;
    lg_builder *builder = builder_of(NODES / 2);
    for (uint32_t node = 0; node < NODES; node++) {
        if (as_addition && test_random(&other) % 4 == 0)
            count_some(builder, test_random(&other) % 40);
        if (node >= NODES / 2) {
            REQUIRE(lg_builder_number_node(builder, 16 * (node + 1)) == node);
            fill_node(builder, node);
        }
        if (test_random(&state) % 3 == 0)
            continue;
        lg_builder_open(builder, node);
        for (uint32_t i = test_random(&state) % 6; i > 0; i--) {
            uint32_t target = test_random(&state) % builder->node_count;
            lg_builder_add_edge(builder, target, kind_of(&state), i);
        }
    }
    for (uint32_t i = 0; i < 8; i++)
        lg_builder_weaken(builder, test_random(&state) % builder->edge_count);
    for (uint32_t i = 0; i < 5; i++)
        lg_builder_add_late_edge(builder, test_random(&state) % NODES,
                                 test_random(&state) % NODES, kind_of(&state),
                                 i);
    for (uint32_t node = 0; node < NODES; node++)
        give_texts(builder, as_addition, node, &state);
    return finish(builder);
}

static bool
text_is(lg_string text, const char *expected)
{
    return text.length == strlen(expected) &&
           memcmp(text.data, expected, text.length) == 0;
}

static bool
same_text(const lg_graph *one, const lg_graph *other, uint32_t node)
{
    lg_string a = lg_node_text(one, node), b = lg_node_text(other, node);
    return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static void
agrees(void)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        lg_graph *one = random_graph(seed, false);
        lg_graph *other = random_graph(seed, true);
        const lg_columns *a = lg_graph_columns(one);
        const lg_columns *b = lg_graph_columns(other);
        REQUIRE(a->edge_count == b->edge_count);
        for (uint32_t node = 0; node < NODES; node++) {
            CHECK(lg_columns_found(a, node) == lg_columns_found(b, node));
            CHECK(lg_columns_first_edge(a, node) ==
                  lg_columns_first_edge(b, node));
            CHECK(same_text(one, other, node));
        }
        lg_graph_free(one);
        lg_graph_free(other);
    }
}

// Each node but the last refers to the next, which has its number as text.
static lg_builder *
chain(bool as_addition)
{
    char text[16];
    lg_builder *builder = builder_of(LARGE);
    for (uint32_t node = 0; node < LARGE; node++) {
        snprintf(text, sizeof text, "%u", (unsigned)node);
        set_text(builder, as_addition, node, text);
        lg_builder_open(builder, node);
        lg_builder_add_edge(builder, (node + 1) % LARGE, LG_EDGE_INDEX, 0);
    }
    return builder;
}

// Two threads finish a large graph with additions. There is one on one
// processor.
static void
large(void)
{
    for (int as_addition = 0; as_addition < 2; as_addition++) {
        lg_builder *builder = chain(as_addition);
        if (as_addition)
            count_some(builder, LARGE / 2);
        for (uint32_t i = 0; i < 1000; i++)
            lg_builder_add_late_edge(builder, 7 * i, i, LG_EDGE_INDEX, 1);
        lg_graph *graph = finish(builder);
        const lg_columns *columns = lg_graph_columns(graph);
        char text[16];
        for (uint32_t node = 0; node < LARGE; node++) {
            snprintf(text, sizeof text, "%u", (unsigned)node);
            CHECK(text_is(lg_node_text(graph, node), text));
            CHECK(lg_columns_found(columns, node) == (node < 1000 ? 2u : 1u));
        }
        CHECK(columns->edge_count == LARGE + 1000);
        lg_graph_free(graph);
    }
}

static void
fails_to_finish(lg_builder *builder, const char *words)
{
    lg_error err = {.message = ""};
    lg_graph *graph = NULL;
    CHECK(lg_builder_finish(builder, &graph, &err) == LG_EINVAL);
    CHECK(graph == NULL && strstr(err.message, words) != NULL);
}

// The error of either thread is reported.
static void
large_and_wrong(void)
{
    lg_builder *builder = chain(true);
    lg_builder_add_late_edge(builder, LARGE, 1, LG_EDGE_INDEX, 1);
    fails_to_finish(builder, "late edge");
    builder = chain(true);
    lg_builder_put_type(builder, LARGE - 1, 9);
    fails_to_finish(builder, "type");
    builder = chain(true);
    builder->first_above[5000 + 5000 / LG_FIRST_EDGES_BLOCK] = UINT16_MAX - 1;
    fails_to_finish(builder, "edge");
}

// An unsound edge is not counted. Whoever finishes the graph reports it.
static void
unsound(void)
{
    lg_builder *builder = builder_of(3);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    lg_builder_add_edge(builder, 3, LG_EDGE_INDEX, 1);
    lg_builder_add_edge(builder, 2, LG_EDGE_INDEX, 2);
    lg_additions *additions = lg_builder_additions(builder);
    const lg_reached reached = lg_builder_reached(builder);
    CHECK(lg_additions_count_edges(additions, builder, &reached, 10));
    CHECK(lg_additions_counted_edges(additions) == 1);
    CHECK(!lg_additions_count_edges(additions, builder, &reached, 10));
    fails_to_finish(builder, "edge");
    builder = builder_of(2);
    lg_builder_open(builder, 0);
    lg_builder_add_late_edge(builder, 0, 5, LG_EDGE_INDEX, 0);
    fails_to_finish(builder, "edge");
}

// Counts of one byte, and what goes beyond them: 1,000 references to one node,
// and 256 to another, of which some are weak in the end.
static void
many_references(void)
{
    enum { TO_FIRST = 1000, TO_SECOND = 256 };
    lg_builder *builder = builder_of(3);
    lg_builder_open(builder, 2);
    for (uint32_t i = 0; i < TO_FIRST + TO_SECOND; i++)
        lg_builder_add_edge(builder, i < TO_FIRST ? 0 : 1, LG_EDGE_INDEX, i);
    count_some(builder, TO_FIRST / 2);
    count_some(builder, TO_FIRST + TO_SECOND);
    lg_builder_weaken(builder, TO_FIRST);
    lg_builder_weaken(builder, TO_FIRST + 1);
    lg_graph *graph = finish(builder);
    CHECK(lg_columns_found(lg_graph_columns(graph), 0) == TO_FIRST);
    CHECK(lg_columns_found(lg_graph_columns(graph), 1) == TO_SECOND - 2);
    CHECK(lg_columns_found(lg_graph_columns(graph), 2) == 0);
    lg_graph_free(graph);
}

// Edges to namespaces, of which some are flagged, in any place of a block of
// eight.
static void
namespaces(void)
{
    enum { COUNT = 100 };
    size_t count;
    lg_edge end;
    CHECK(lg_additions_namespaces(NULL, &count, &end) == NULL);
    CHECK(count == 0 && end == 0);
    lg_builder *builder = builder_of(COUNT);
    lg_builder_open(builder, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        lg_builder_add_edge(builder, i,
                            i % 7 == 3    ? LG_EDGE_DICT
                            : i % 11 == 5 ? LG_EDGE_DICT | LG_EDGE_WEAK
                                          : LG_EDGE_INDEX | LG_EDGE_TRAVERSED,
                            0);
    count_some(builder, 13);
    lg_additions_namespaces(lg_builder_additions(builder), &count, &end);
    CHECK(count == 3 && end == 13); /* 3, 5 and 10 */
    count_some(builder, COUNT);
    const lg_node *nodes =
        lg_additions_namespaces(lg_builder_additions(builder), &count, &end);
    CHECK(end == COUNT);
    size_t i = 0;
    for (uint32_t node = 0; node < COUNT; node++)
        if (node % 7 == 3 || node % 11 == 5)
            CHECK(i < count && nodes[i++] == node);
    CHECK(i == count);
    lg_graph_free(finish(builder));
}

// The second thread gave texts to nodes that never got numbers.
static void
texts_of_nobody(void)
{
    lg_builder *builder = builder_of(2);
    set_text(builder, true, 5, "nobody's");
    lg_graph *graph = finish(builder);
    CHECK(text_is(lg_node_text(graph, 0), ""));
    CHECK(text_is(lg_node_text(graph, 1), ""));
    lg_graph_free(graph);
}

// A string that came after the edges that were counted.
static void
newer_strings(void)
{
    lg_builder *builder = builder_of(2);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "one", 3));
    count_some(builder, 9);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, "two", 3));
    count_some(builder, 9);
    lg_graph *graph = finish(builder);
    CHECK(lg_columns_found(lg_graph_columns(graph), 1) == 2);
    lg_graph_free(graph);
}

typedef struct held {
    unsigned begun, ended;
    const lg_builder *builder;
    const void *address; // before a move
    unsigned moved;
} held;

static void
hold(void *context, bool begin)
{
    held *self = context;
    CHECK(self->begun == self->ended + (begin ? 0 : 1));
    if (begin) {
        self->begun++;
        self->address = self->builder->address_low;
        return;
    }
    self->ended++;
    self->moved += self->address != self->builder->address_low;
}

static void
holds(void)
{
    enum { MANY = 100000 };
    lg_builder *builder = builder_of(1);
    held self = {.builder = builder};
    lg_builder_share(builder, hold, &self);
    for (uint32_t i = 0; i < MANY; i++)
        REQUIRE(lg_builder_number_node(builder, 16) != LG_NONE);
    CHECK(self.begun == self.ended && self.moved > 0);
    lg_builder_open(builder, 0);
    unsigned nodes = self.begun;
    for (uint32_t i = 0; i < MANY; i++)
        lg_builder_add_edge(builder, 0, LG_EDGE_INDEX, 0);
    CHECK(self.begun > nodes && self.begun == self.ended);
    lg_builder_share(builder, NULL, NULL);
    unsigned all = self.begun;
    CHECK(lg_builder_reserve(builder, 1 << 20, 1 << 20));
    CHECK(self.begun == all);
    lg_builder_free(builder);
}

static void
lists_texts(void)
{
    lg_builder *builder = builder_of(9);
    size_t count = 7;
    CHECK(lg_additions_texts(NULL, &count) == NULL && count == 0);
    const lg_builder_texts none = lg_builder_count_texts(builder);
    CHECK(none.added_texts == 0 && none.added_bytes == 0);
    lg_additions *additions = lg_builder_additions(builder);
    CHECK(additions == lg_builder_additions(builder));
    CHECK(lg_additions_set_text(additions, 8, "eight", 5));
    CHECK(lg_additions_set_text(additions, 3, "", 0));
    CHECK(lg_additions_set_text(additions, 9, "nobody", 6));
    const lg_node *nodes = lg_additions_texts(additions, &count);
    CHECK(count == 3 && nodes[0] == 8 && nodes[1] == 3);
    const lg_builder_texts some = lg_builder_count_texts(builder);
    CHECK(some.added_texts == 3 && some.added_bytes == 11);
    CHECK(some.strings == none.strings && some.texts == 0);
    CHECK(lg_builder_reserve_texts(builder, &some));
    lg_builder *without = builder_of(1);
    CHECK(lg_builder_reserve_texts(without, &some));
    CHECK(lg_builder_count_texts(without).added_texts == 0);
    lg_builder_free(without);
    const lg_builder_texts many = {.added_texts = UINT64_MAX / 2};
    CHECK(!lg_builder_reserve_texts(builder, &many));
    lg_graph *graph = finish(builder);
    CHECK(text_is(lg_node_text(graph, 8), "eight"));
    CHECK(lg_node_text(graph, 3).length == 0);
    lg_graph_free(graph);
}

SUITE(additions)
{
    RUN(agrees);
    RUN(large);
    RUN(large_and_wrong);
    RUN(unsound);
    RUN(many_references);
    RUN(namespaces);
    RUN(texts_of_nobody);
    RUN(newer_strings);
    RUN(holds);
    RUN(lists_texts);
    return test_result();
}

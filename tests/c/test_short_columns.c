// Types and first edges come back from few bytes, and what is short stays so.
#include "graph/short_columns.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/second_thread.h>

#include "graph/graph_private.h"

#include "lgs.h"
#include "sample.h"
#include "test.h"

#include <stdlib.h>

enum { COUNT = 3 * LG_FIRST_EDGES_BLOCK + 1 };

// Returns a graph whose node has a number of edges, and some beside it.
static lg_graph *
made_with_edges(uint32_t many, uint32_t degree)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < COUNT; i++)
        lg_builder_add_node(builder, 64 * (i + 1));
    for (uint32_t i = 0; i < COUNT; i++) {
        lg_builder_open(builder, i);
        for (uint32_t k = 0; k < (i == many ? degree : 0); k++)
            lg_builder_add_edge(builder, k % COUNT, LG_EDGE_INDEX, k);
        if (i % LG_FIRST_EDGES_BLOCK == 0 && i != many)
            lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static bool
has_edges(const lg_graph *graph, uint32_t many, uint32_t degree)
{
    const lg_columns *columns = lg_graph_columns(graph);
    const uint32_t last = columns->node_count - 1;
    uint32_t room[COUNT + 1];
    const uint32_t *all =
        lg__first_edges_some(&columns->first_edge, 0, COUNT + 1, room);
    uint32_t begin = 0;
    bool same = true;
    for (uint32_t node = 0; node <= last && same; node++) {
        const lg_edge_range edges = lg_columns_edges(columns, node);
        same = edges.begin == begin && all[node] == begin &&
               lg_columns_first_edge(columns, node) == begin;
        begin += node == many                       ? degree
                 : node % LG_FIRST_EDGES_BLOCK == 0 ? 1
                                                    : 0;
        same = same && edges.end == begin;
        for (uint64_t edge = edges.begin; edge < begin && same; edge += 97)
            same = lg__first_edges_find(&columns->first_edge, edge, 0, last) ==
                   node;
    }
    return same && lg_columns_first_edge(columns, last + 1) == begin;
}

// Returns whether a file of the graph has as many far blocks, and the same
// edges.
static bool
is_loaded_alike(const lg_graph *graph, uint32_t many, uint32_t degree)
{
    bytes file = saved(graph, 1);
    lg_graph *again;
    REQUIRE(lg_graph_load_memory(file.data, file.length, &again, NULL) ==
            LG_OK);
    const bool alike = lg_graph_columns(again)->first_edge.far_count ==
                           lg_graph_columns(graph)->first_edge.far_count &&
                       has_edges(again, many, degree);
    lg_graph_free(again);
    free(file.data);
    return alike;
}

// A block of first edges is far when the block behind it begins 65,535 edges
// later: each number is what was given on both sides of that.
static void
far_blocks(void)
{
    folder_make();
    static const uint32_t nodes[] = {0, 63, 64, 100, 127, 128, 192};
    static const uint32_t degrees[] = {65533, 65534, 65535, 200000};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (size_t k = 0; k < sizeof degrees / sizeof *degrees; k++) {
            lg_graph *graph = made_with_edges(nodes[i], degrees[k]);
            const uint32_t rest = nodes[i] % LG_FIRST_EDGES_BLOCK != 0;
            CHECK(lg_graph_columns(graph)->first_edge.far_count ==
                  (degrees[k] + rest >= UINT16_MAX));
            CHECK(has_edges(graph, nodes[i], degrees[k]));
            CHECK(lg__first_edges_shorten(graph));
            CHECK(has_edges(graph, nodes[i], degrees[k]));
            CHECK(lg_graph_check(graph, NULL) == LG_OK);
            CHECK(is_loaded_alike(graph, nodes[i], degrees[k]));
            lg_graph_free(graph);
        }
    folder_remove();
}

typedef struct edges_of {
    uint32_t node;
    uint32_t count;
} edges_of;

// The edges of some nodes, their own and late ones, and how many far blocks
// there are before and with these.
typedef struct plan {
    edges_of own[3];
    edges_of late[3];
    uint32_t far_before;
    uint32_t far_count;
} plan;

static uint32_t
count_of(const edges_of *some, uint32_t node)
{
    uint32_t count = 0;
    for (size_t i = 0; i < 3; i++)
        count += some[i].node == node ? some[i].count : 0;
    return count;
}

// What a builder had when it last let a second thread go on.
typedef struct watch {
    const lg_builder *builder;
    uint32_t far_count;
    bool held;
} watch;

// A second thread is away whenever there is another far block.
static void
look(void *seen, bool begin)
{
    watch *last = seen;
    CHECK(last->held != begin);
    if (begin)
        CHECK(last->builder->far_count == last->far_count);
    last->far_count = last->builder->far_count;
    last->held = begin;
}

static lg_graph *
made_by(const plan *by)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    watch seen = {builder, 0, false};
    lg_builder_share(builder, look, &seen);
    for (uint32_t i = 0; i < COUNT; i++)
        lg_builder_add_node(builder, 64 * (i + 1));
    for (uint32_t i = 0; i < COUNT; i += i % 5 == 0 ? 2 : 1) {
        lg_edge begin, end;
        lg_builder_open(builder, i);
        for (uint32_t k = 0; k < count_of(by->own, i); k++)
            lg_builder_add_edge(builder, i, LG_EDGE_INDEX, k);
        lg_builder_edges(builder, i, &begin, &end);
        CHECK(end - begin == count_of(by->own, i));
    }
    for (uint32_t n = COUNT; n > 0; n--)
        for (uint32_t k = 0; k < count_of(by->late, n - 1); k++)
            lg_builder_add_late_edge(builder, n - 1, n - 1, LG_EDGE_INDEX, k);
    CHECK(seen.far_count == builder->far_count && !seen.held);
    CHECK(builder->far_count == by->far_before);
    lg_builder_share(builder, NULL, NULL);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static void
check_made(const lg_graph *graph, const plan *by)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t begin = 0;
    size_t wrong = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        const lg_edge_range edges = lg_columns_edges(columns, i);
        wrong += edges.begin != begin;
        wrong += lg_columns_first_edge(columns, i) != begin;
        begin += count_of(by->own, i) + count_of(by->late, i);
        wrong += edges.end != begin;
        for (uint64_t edge = edges.begin; edge < begin; edge++)
            wrong += lg_columns_target(columns, edge) != i;
    }
    CHECK(wrong == 0);
    CHECK(columns->edge_count == begin);
    CHECK(columns->first_edge.far_count == by->far_count);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
}

// Late edges make blocks far, before others that are, and behind them, and move
// those.
static void
far_blocks_by_late_edges(void)
{
    static const plan plans[] = {
        {{{3, 65533}}, {{5, 1}}, 0, 0},
        {{{3, 65533}}, {{5, 2}}, 0, 1},
        {{{3, 65533}}, {{63, 2}}, 0, 1},
        {{{3, 65533}}, {{64, 2}}, 0, 0},
        {{{70, 70000}, {150, 65535}}, {{3, 65535}}, 2, 3},
        {{{70, 70000}, {150, 65535}}, {{3, 7}, {192, 5}}, 2, 2},
        {{{70, 70000}, {150, 65535}}, {{71, 7}}, 2, 2},
        {{{3, 65535}, {150, 65535}}, {{3, 1}, {70, 65536}}, 2, 3},
        {{{3, 70000}, {70, 5}}, {{192, 65535}}, 1, 2},
        {{{3, 1}, {70, 5}, {187, 9}}, {{3, 70000}, {127, 70000}}, 0, 2},
    };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        lg_graph *graph = made_by(&plans[i]);
        check_made(graph, &plans[i]);
        lg_graph_free(graph);
    }
}

// Returns whether nodes keep their types if that one has the greatest.
static bool
keeps_types(uint32_t at, uint32_t greatest, uint32_t shift)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i <= greatest; i++)
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < 200; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, node, i == at ? greatest : i);
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    bool same = lg__type_ids_shorten(graph) && columns->type.shift == shift;
    for (uint32_t i = 0; i < 200; i++)
        same = same && lg_columns_type(columns, i) == (i == at ? greatest : i);
    lg_graph_free(graph);
    return same;
}

static void
widths_of_types(void)
{
    static const uint32_t places[] = {0, 1, 2, 3, 64, 190, 191, 192, 199};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        CHECK(keeps_types(places[i], 255, 0));
        CHECK(keeps_types(places[i], 256, 1));
        CHECK(keeps_types(places[i], 65535, 1));
        CHECK(keeps_types(places[i], 65536, 2));
    }
}

static void
hold(void *count, bool begin)
{
    *(unsigned *)count += begin;
}

// Nodes keep types that they got before and after there were more than two
// bytes have.
static void
types_become_wide(void)
{
    enum { MANY = UINT16_MAX + 10, NODES = 2000 };
    lg_builder *builder;
    lg_graph *graph;
    unsigned held = 0;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t count = lg_builder_add_type(builder, "first", 5, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, i, count);
        CHECK(lg_builder_type(builder, i) == count);
        if (i == NODES / 2)
            lg_builder_share(builder, hold, &held);
        while (i == NODES / 2 && count < MANY)
            count = lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    }
    CHECK(held == 1 + (builder->node_capacity > 1024));
    lg_builder_share(builder, NULL, NULL);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++)
        CHECK(lg_columns_type(lg_graph_columns(graph), i) ==
              (i <= NODES / 2 ? 1 : MANY));
    lg_graph_free(graph);
}

static void
unknown_types(void)
{
    static const uint32_t unknown[] = {2, UINT16_MAX, LG_NONE};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        lg_builder *builder;
        lg_graph *graph;
        REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
        lg_builder_add_node(builder, 64);
        lg_builder_put_type(builder, 0, unknown[i]);
        CHECK(lg_builder_finish(builder, &graph, NULL) == LG_EINVAL);
    }
}

SUITE(short_columns)
{
    RUN(types_become_wide);
    RUN(unknown_types);
    RUN(far_blocks);
    RUN(far_blocks_by_late_edges);
    RUN(widths_of_types);
    return test_result();
}

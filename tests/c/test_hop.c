// Compares hops with a full scan: each incoming hop of one node is an outgoing
// hop of another.
#include "base/base_private.h"
#include "sample.h"
#include "stored.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>

static int
compare_hops(const void *left, const void *right)
{
    const lg_hop *a = left;
    const lg_hop *b = right;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    for (size_t i = 0; i < 4; i++)
        if (a->edges[i] != b->edges[i])
            return a->edges[i] < b->edges[i] ? -1 : 1;
    return 0;
}

static lg_hops
all_hops(const lg_graph *graph, bool inward)
{
    lg_hops all = {0};
    for (uint32_t n = 0; n < lg_graph_columns(graph)->node_count; n++) {
        lg_hops some;
        REQUIRE((inward ? lg_node_hops_in : lg_node_hops_out)(graph, n, &some,
                                                              NULL) == LG_OK);
        all.items = lg__realloc(all.items,
                                (all.count + some.count + 1) * sizeof(lg_hop));
        REQUIRE(all.items != NULL);
        for (size_t i = 0; i < some.count; i++) {
            CHECK((inward ? some.items[i].target : some.items[i].source) == n);
            all.items[all.count++] = some.items[i];
        }
        lg_hops_free(&some);
    }
    qsort(all.items, all.count, sizeof *all.items, compare_hops);
    return all;
}

static bool
same_hop(const lg_hop *a, const lg_hop *b)
{
    return a->source == b->source && a->edge_count == b->edge_count &&
           a->weak == b->weak && compare_hops(a, b) == 0;
}

static void
check_hop(const lg_graph *graph, const lg_hop *hop)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t at = hop->source;
    bool weak = false;
    CHECK(hop->edge_count >= 1 && hop->edge_count <= 3);
    for (uint32_t i = 0; i < hop->edge_count; i++) {
        CHECK(lg_edge_source(graph, hop->edges[i]) == at);
        at = lg_columns_target(columns, hop->edges[i]);
        weak |= (lg_columns_kind(columns, hop->edges[i]) & LG_EDGE_WEAK) != 0;
    }
    uint32_t owner = lg_node_folded_into(graph, at);
    CHECK(hop->target == (owner == LG_NONE ? at : owner));
    CHECK(hop->weak == weak);
    CHECK(lg_node_folded_into(graph, hop->source) == LG_NONE);
    CHECK(lg_node_folded_into(graph, hop->target) == LG_NONE);
}

static void
mirrored(const lg_graph *graph)
{
    lg_hops out = all_hops(graph, false);
    lg_hops in = all_hops(graph, true);
    CHECK(out.count == in.count);
    for (size_t i = 0; i < out.count && i < in.count; i++) {
        CHECK(same_hop(&out.items[i], &in.items[i]));
        check_hop(graph, &out.items[i]);
    }
    lg_hops_free(&out);
    lg_hops_free(&in);
}

static bool
is_type(const lg_graph *graph, uint32_t node, const char *name)
{
    lg_string got =
        lg_graph_type(graph, lg_columns_type(lg_graph_columns(graph), node))
            .name;
    return got.length == strlen(name) &&
           memcmp(got.data, name, got.length) == 0;
}

// The rule for the namespace of an ordinary object: it has one DICT edge, no
// other counted strong holder except functions with these globals, and no
// unseen one.
static bool
only_its_owner_holds(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t openers = 0;
    uint32_t holders = 0;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint8_t kind = lg_columns_kind(columns, edge);
        if (lg_columns_target(columns, edge) != node || (kind & LG_EDGE_WEAK))
            continue;
        if ((kind & LG_EDGE_KIND_MASK) == LG_EDGE_DICT &&
            lg_edge_source(graph, edge) != node)
            openers++;
        else if ((kind & LG_EDGE_KIND_MASK) != LG_EDGE_GLOBALS &&
                 !(kind & LG_EDGE_UNCOUNTED))
            holders++;
    }
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++)
        if (lg_graph_root(graph, i).node == node &&
            lg_graph_root(graph, i).kind == LG_ROOT_GIVEN)
            return false;
    return openers == 1 && holders == 0 &&
           (!lg_graph_is_partial(graph) || lg_columns_refcount(columns, node) <=
                                               lg_columns_found(columns, node));
}

static void
rule_of_namespaces(const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint64_t edge = 0; edge < columns->edge_count; edge++) {
        uint32_t owner = lg_edge_source(graph, edge);
        uint32_t node = lg_columns_target(columns, edge);
        uint8_t kind = lg_columns_kind(columns, edge);
        if ((kind & LG_EDGE_KIND_MASK) != LG_EDGE_DICT ||
            (kind & LG_EDGE_WEAK) || !is_type(graph, owner, "Thing") ||
            !is_type(graph, node, "dict"))
            continue;
        if (only_its_owner_holds(graph, node))
            CHECK(lg_node_folded_into(graph, node) == owner);
        else
            CHECK(lg_node_folded_into(graph, node) != owner);
    }
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < 600; seed++) {
        uint32_t nodes = seed % 10 == 9 ? 400 : 3 + (uint32_t)(seed % 60);
        lg_graph *graph = sample_random(seed, nodes, seed % 3 == 0);
        mirrored(graph);
        rule_of_namespaces(graph);
        lg_graph_free(graph);
    }
}

static void
random_graphs_fold(void)
{
    uint32_t folded[3] = {0};
    for (uint64_t seed = 0; seed < 50; seed++) {
        lg_graph *graph = sample_random(seed, 400, false);
        for (uint32_t n = 0; n < 400; n++)
            if (lg_node_folded_into(graph, n) != LG_NONE) {
                folded[0] += is_type(graph, n, "dict");
                folded[1] += is_type(graph, n, "tuple");
                folded[2] += is_type(graph, n, "cell");
            }
        lg_graph_free(graph);
    }
    CHECK(folded[0] > 100 && folded[1] > 100 && folded[2] > 10);
}

static void
sample_folds(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    CHECK(lg_node_folded_into(graph, SAMPLE_TRAIN_DICT) == SAMPLE_TRAIN);
    CHECK(lg_node_folded_into(graph, SAMPLE_TRAINER_DICT) == SAMPLE_TRAINER);
    CHECK(lg_node_folded_into(graph, SAMPLE_CLOSURE) == SAMPLE_STEP);
    CHECK(lg_node_folded_into(graph, SAMPLE_CELL) == SAMPLE_STEP);
    CHECK(lg_node_folded_into(graph, SAMPLE_SHARED_DICT) == LG_NONE);
    CHECK(lg_node_folded_into(graph, SAMPLE_NAMES) == LG_NONE);
    lg_hops hops;
    CHECK(lg_node_hops_out(graph, SAMPLE_COUNT, &hops, NULL) == LG_EINVAL);
    mirrored(graph);
    lg_graph_free(graph);
}

// A buffer with one holder is a part of the holder; one with two holders is a
// node.
static void
buffers(void)
{
    lg_graph *graph;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    mirrored(graph);
    CHECK(lg_node_folded_into(graph, STORED_WEIGHT_DATA) == STORED_WEIGHT);
    CHECK(lg_node_folded_into(graph, STORED_LOSS_DATA) == STORED_LOSS);
    CHECK(lg_node_folded_into(graph, STORED_MAP_DATA) == STORED_MAP);
    CHECK(lg_node_folded_into(graph, STORED_BATCH_DATA) == LG_NONE);
    CHECK(lg_node_folded_into(graph, STORED_ARRAY_DATA) == LG_NONE);
    lg_bytes bytes = lg_node_bytes(graph, STORED_WEIGHT);
    CHECK(bytes.host == 260 && bytes.devices == 1 << 20);
    CHECK(lg_node_bytes_on(graph, STORED_WEIGHT, 1) == 1 << 20);
    CHECK(lg_node_bytes_on(graph, STORED_WEIGHT, LG_NONE) == 260 + (1 << 20));
    bytes = lg_node_bytes(graph, STORED_LOSS);
    CHECK(bytes.host == 100 + 176 && bytes.devices == 0);
    bytes = lg_node_bytes(graph, STORED_BATCH);
    CHECK(bytes.host == 260 && bytes.devices == 0);
    lg_text text = {0};
    lg_node_bytes_format(graph, STORED_WEIGHT, &text);
    lg_text_add(&text, ", ");
    lg_node_bytes_format(graph, STORED_LOSS, &text);
    CHECK_TEXT(text, "1.00 MiB cuda:0 · 260 B host, 276 B");
    lg_text_free(&text);
    lg_hops hops;
    REQUIRE(lg_node_hops_out(graph, STORED_MAP, &hops, NULL) == LG_OK);
    CHECK(hops.count == 0);
    lg_hops_free(&hops);
    REQUIRE(lg_node_hops_out(graph, STORED_BATCH, &hops, NULL) == LG_OK);
    CHECK(hops.count == 1 && hops.items[0].target == STORED_BATCH_DATA);
    lg_hops_free(&hops);
    lg_graph_free(graph);
}

// Pages of hops put together are all hops.
static void
pages(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    uint32_t count = lg_graph_columns(graph)->node_count;
    for (uint32_t i = 0; i < 2 * count; i++) {
        bool inward = i >= count;
        lg_hops all, page;
        REQUIRE((inward ? lg_node_hops_in : lg_node_hops_out)(
                    graph, i % count, &all, NULL) == LG_OK);
        for (size_t first = 0; first <= all.count; first += 2) {
            REQUIRE(lg_node_hops_range(graph, i % count, inward, first, 2,
                                       &page, NULL) == LG_OK);
            size_t left = all.count - first;
            CHECK(page.count == (left < 2 ? left : 2) &&
                  page.more == (left > 2));
            for (size_t k = 0; k < page.count; k++)
                CHECK(same_hop(&page.items[k], &all.items[first + k]));
            lg_hops_free(&page);
        }
        lg_hops_free(&all);
    }
    lg_hops none;
    CHECK(lg_node_hops_range(graph, count, true, 0, 2, &none, NULL) ==
          LG_EINVAL);
    lg_graph_free(graph);
}

// A partial heap that begins with a buffer shows the buffer.
static void
given_buffer(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    const lg_span span = {.address = 4096, .length = 64};
    lg_builder_add_span(builder, &span);
    lg_builder_add_root(builder, 1, LG_ROOT_GIVEN, "", 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_node_folded_into(graph, 1) == LG_NONE);
    lg_graph_free(graph);
}

SUITE(hop)
{
    RUN(buffers);
    RUN(given_buffer);
    RUN(pages);
    RUN(sample_folds);
    RUN(random_graphs_fold);
    RUN(random_graphs);
    return test_result();
}

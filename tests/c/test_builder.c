// The builder and its finish: order, late edges, found counts, native roots.
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/second_thread.h>

static lg_builder *
builder_of(uint32_t nodes)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < nodes; i++)
        CHECK(lg_builder_add_node(builder, 16 * (uint64_t)(i + 1)) == i);
    return builder;
}

static lg_graph *
finish(lg_builder *builder)
{
    lg_graph *graph = NULL;
    lg_error err;
    REQUIRE(lg_builder_finish(builder, &graph, &err) == LG_OK);
    CHECK(lg_graph_check(graph, &err) == LG_OK);
    return graph;
}

static void
empty(void)
{
    lg_graph *graph = finish(builder_of(0));
    CHECK(lg_graph_columns(graph)->node_count == 0);
    CHECK(lg_graph_columns(graph)->edge_count == 0);
    CHECK(lg_graph_columns(graph)->target.word != NULL);
    CHECK(lg_graph_columns(graph)->kind.shift == 0);
    CHECK(lg_graph_type_count(graph) == 1);
    CHECK(!lg_graph_is_partial(graph));
    CHECK(lg_graph_find(graph, 16) == LG_NONE);
    lg_graph_free(graph);
    lg_graph_free(NULL);
    lg_builder_free(NULL);
    lg_builder_free(builder_of(3));
}

// The edges of each node, first its own, then late ones in the order in which
// they were added, compared with a separate list.
static void
late_edges(void)
{
    enum { NODES = 50, EDGES = 4 };
    uint64_t state = 11;
    uint32_t expected[NODES][400];
    size_t count[NODES] = {0};
    lg_builder *builder = builder_of(NODES);
    for (uint32_t node = 0; node < NODES; node++) {
        if (test_random(&state) % 3 == 0)
            continue;
        lg_builder_open(builder, node);
        for (uint32_t i = test_random(&state) % EDGES; i > 0; i--) {
            uint32_t target = test_random(&state) % NODES;
            lg_builder_add_edge(builder, target, LG_EDGE_INDEX, i);
            expected[node][count[node]++] = target;
        }
    }
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t source = test_random(&state) % (NODES / 2) * 2;
        uint32_t target = test_random(&state) % NODES;
        lg_builder_add_late_edge(builder, source, target, LG_EDGE_INDEX, i);
        expected[source][count[source]++] = target;
    }
    lg_builder_add_edge(builder, LG_NONE, LG_EDGE_INDEX, 0);
    lg_graph *graph = finish(builder);
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint32_t node = 0; node < NODES; node++) {
        uint64_t first = lg_columns_first_edge(columns, node);
        CHECK(lg_columns_first_edge(columns, node + 1) - first == count[node]);
        for (uint64_t i = 0; i < count[node]; i++) {
            CHECK(lg_columns_target(columns, first + i) == expected[node][i]);
            CHECK(lg_edge_source(graph, first + i) == node);
        }
    }
    lg_graph_free(graph);
}

static void
edges_so_far(const lg_builder *builder, uint32_t node, uint64_t first,
             uint64_t end)
{
    uint64_t from, to;
    lg_builder_edges(builder, node, &from, &to);
    CHECK(from == first);
    CHECK(to == end);
}

// A node that an edge writer adds has room in every column, even after the
// columns have moved.
static void
edge_writers(void)
{
    enum { EDGES = 3000 };
    lg_builder *builder = builder_of(3);
    lg_edge_writer writer;
    lg_builder_open(builder, 1);
    REQUIRE(lg_builder_write_edges(builder, EDGES, &writer));
    for (uint32_t i = 0; i < EDGES; i++) {
        const lg_node node =
            lg_edge_writer_number(&writer, 4096 + 16 * (uint64_t)i);
        writer.node_flags[node] = LG_NODE_TRACKED;
        lg_edge_writer_add(&writer, node, LG_EDGE_INDEX | LG_EDGE_WEAK, i);
    }
    lg_builder_put(builder, &writer);
    edges_so_far(builder, 0, 0, 0);
    edges_so_far(builder, 1, 0, EDGES);
    edges_so_far(builder, 2, EDGES, EDGES);
    lg_builder_open(builder, 5);
    lg_builder_add_edge(builder, 0, LG_EDGE_INDEX, 0);
    edges_so_far(builder, 1, 0, EDGES);
    edges_so_far(builder, 4, EDGES, EDGES);
    edges_so_far(builder, 5, EDGES, EDGES + 1);
    for (uint32_t node = 3; node < 3 + EDGES; node++)
        lg_builder_put_type(builder, node,
                            builder->size[node] = builder->refcount[node] = 0);
    lg_graph *graph = finish(builder);
    const lg_columns *columns = lg_graph_columns(graph);
    REQUIRE(columns->node_count == 3 + EDGES);
    CHECK(lg_columns_address(columns, 3 + EDGES - 1) ==
          4096 + 16 * (EDGES - 1));
    CHECK(lg_columns_target(columns, EDGES - 1) == 3 + EDGES - 1);
    CHECK(lg_columns_payload(columns, EDGES - 1) == EDGES - 1);
    CHECK(lg_columns_target(columns, EDGES) == 0);
    lg_graph_free(graph);
}

// Programs have addresses below 2^47 on x86-64, and below 2^48 on ARM, where
// most objects lie in the uppermost 4 GiB of these.
static void
highest_addresses(void)
{
    static const uint64_t addresses[] = {
        UINT64_C(0x7fffffffff00), UINT64_C(0x800000000000),
        UINT64_C(0x8000ffffff00), UINT64_C(0xfffeffffff00),
        UINT64_C(0xffff00000000), UINT64_C(0xffff9a3b2c10),
        UINT64_C(0xfffffffffff0)};
    enum { COUNT = sizeof addresses / sizeof *addresses };
    lg_builder *builder = builder_of(1);
    lg_edge_writer writer;
    lg_builder_open(builder, 0);
    REQUIRE(lg_builder_write_edges(builder, COUNT, &writer));
    for (uint32_t i = 0; i < COUNT; i++)
        lg_edge_writer_add(&writer,
                           lg_edge_writer_number(&writer, addresses[i]),
                           LG_EDGE_INDEX, i);
    lg_builder_put(builder, &writer);
    for (uint32_t i = 0; i < COUNT; i++) {
        lg_builder_put_type(builder, 1 + i, 0);
        lg_builder_put_size(builder, 1 + i, 0);
        lg_builder_put_refcount(builder, 1 + i, 1);
        CHECK(lg_builder_address(builder, 1 + i) == addresses[i]);
        CHECK(lg_builder_add_node(builder, addresses[i]) == 1 + COUNT + i);
        CHECK(lg_builder_address(builder, 1 + COUNT + i) == addresses[i]);
    }
    lg_graph *graph = finish(builder);
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint32_t i = 0; i < 2 * COUNT; i++)
        CHECK(lg_columns_address(columns, 1 + i) == addresses[i % COUNT]);
    lg_graph_free(graph);
}

static void
found_and_native_roots(void)
{
    lg_builder *builder = builder_of(6);
    const uint32_t refcounts[] = {0, 3, 3, 1, 7, 1};
    for (uint32_t i = 0; i < 6; i++)
        lg_builder_put_refcount(builder, i, refcounts[i]);
    builder->node_flags[4] = LG_NODE_IMMORTAL;
    builder->node_flags[5] = LG_NODE_SYNTHETIC;
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX | LG_EDGE_WEAK, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX | LG_EDGE_UNCOUNTED, 0);
    lg_builder_add_edge(builder, 2, LG_EDGE_INDEX, 0);
    lg_builder_add_edge(builder, 3, LG_EDGE_INDEX, 0);
    lg_builder_add_edge(builder, 3, LG_EDGE_INDEX, 1);
    lg_builder_add_found(builder, 2, 2);
    lg_graph *graph = finish(builder);
    CHECK(lg_columns_found(lg_graph_columns(graph), 1) == 1);
    CHECK(lg_node_unexplained(graph, 1) == 2);
    CHECK(lg_node_unexplained(graph, 2) == 0);
    CHECK(lg_node_unexplained(graph, 3) == -1);
    CHECK(lg_node_unexplained(graph, 4) == 0);
    CHECK(lg_node_unexplained(graph, 5) == 0);
    REQUIRE(lg_graph_root_count(graph) == 1);
    CHECK(lg_graph_root(graph, 0).node == 1);
    CHECK(lg_graph_root(graph, 0).kind == LG_ROOT_NATIVE);
    lg_graph_free(graph);
}

// Each node has as many references as its number, and one of them is a root.
static void
many_references(void)
{
    enum { NODES = 800, ROOT = 700 };
    for (int ahead = 0; ahead < 2; ahead++) {
        lg_builder *builder = builder_of(NODES);
        for (uint32_t source = 0; source < NODES; source++) {
            lg_builder_put_refcount(builder, source, source + (source == ROOT));
            lg_builder_open(builder, source);
            for (uint32_t target = source + 1; target < NODES; target++)
                lg_builder_add_edge(builder, target, LG_EDGE_INDEX, 0);
        }
        const lg_reached reached = lg_builder_reached(builder);
        if (ahead == 1)
            CHECK(lg_additions_count_edges(lg_builder_additions(builder),
                                           builder, &reached, 200000));
        lg_graph *graph = finish(builder);
        const lg_columns *columns = lg_graph_columns(graph);
        uint32_t node = 0;
        while (node < NODES && lg_columns_found(columns, node) == node)
            node++;
        CHECK(node == NODES);
        REQUIRE(lg_graph_root_count(graph) == 1);
        CHECK(lg_graph_root(graph, 0).node == ROOT);
        lg_graph_free(graph);
    }
}

// A graph of `nodes` nodes with three references each, to which possible edges
// were added, and in which an edge from node 0 to node 2 was found.
static lg_graph *
with_possible(const uint32_t (*edges)[3], size_t count)
{
    lg_builder *builder = builder_of(6);
    for (uint32_t i = 0; i < 6; i++)
        builder->refcount[i] = 2;
    builder->node_flags[4] = LG_NODE_IMMORTAL;
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 2, LG_EDGE_INDEX, 0);
    for (size_t i = 0; i < count; i++)
        lg_builder_add_tentative_edge(builder, edges[i][0], edges[i][1],
                                      LG_EDGE_STACK, edges[i][2]);
    return finish(builder);
}

static bool
has_edge(const lg_graph *graph, uint32_t source, uint32_t target)
{
    const lg_columns *columns = lg_graph_columns(graph);
    const lg_edge_range edges = lg_columns_edges(columns, source);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_target(columns, edge) == target)
            return true;
    return false;
}

// Edges are possible only as far as the target misses references.
static void
possible_edges(void)
{
    const uint32_t edges[][3] = {{5, 1, 7}, {3, 2, 0},       {3, 1, 0},
                                 {1, 3, 2}, {1, 3, 1},       {0, 3, 0},
                                 {5, 4, 0}, {LG_NONE, 5, 0}, {5, LG_NONE, 0}};
    lg_graph *graph = with_possible(edges, sizeof edges / sizeof *edges);
    CHECK(has_edge(graph, 5, 1) && has_edge(graph, 3, 1));
    CHECK(lg_node_unexplained(graph, 1) == 0);
    CHECK(has_edge(graph, 3, 2) && lg_node_unexplained(graph, 2) == 0);
    // Three are possible, two are missing: which ones, nobody knows.
    CHECK(!has_edge(graph, 1, 3) && !has_edge(graph, 0, 3));
    CHECK(lg_node_unexplained(graph, 3) == 2);
    CHECK(!has_edge(graph, 5, 4));
    CHECK(lg_graph_columns(graph)->edge_count == 4);
    lg_graph_free(graph);
    graph = with_possible(edges, 2);
    CHECK(lg_graph_root_count(graph) == 4);
    CHECK(lg_node_unexplained(graph, 1) == 1);
    lg_graph_free(graph);
}

static void
partial(void)
{
    lg_builder *builder = builder_of(1);
    builder->refcount[0] = 5;
    lg_builder_set_partial(builder, "from 1 object");
    lg_graph *graph = finish(builder);
    CHECK(lg_graph_is_partial(graph));
    CHECK(lg_graph_root_count(graph) == 0);
    CHECK(lg_node_unexplained(graph, 0) == 0);
    lg_graph_free(graph);
}

static void
sizes_and_texts(void)
{
    const uint64_t large = (uint64_t)5 << 32;
    lg_builder *builder = builder_of(5);
    lg_builder_set_size(builder, 3, large);
    lg_builder_set_size(builder, 1, large + 1);
    lg_builder_set_size(builder, 3, large + 3);
    lg_builder_set_size(builder, 2, large);
    lg_builder_set_size(builder, 2, 8);
    lg_builder_set_size(builder, 4, UINT32_MAX);
    lg_builder_set_size(builder, 0, UINT32_MAX - 1);
    lg_builder_set_text(builder, 4, "old", 3);
    lg_builder_set_text(builder, 2, "two", 3);
    lg_builder_set_text(builder, 4, "new", 3);
    lg_graph *graph = finish(builder);
    const uint64_t expected[] = {UINT32_MAX - 1, large + 1, 8, large + 3,
                                 UINT32_MAX};
    for (uint32_t i = 0; i < 5; i++)
        CHECK(lg_node_size(graph, i) == expected[i]);
    CHECK(memcmp(lg_node_text(graph, 4).data, "new", 3) == 0);
    CHECK(memcmp(lg_node_text(graph, 2).data, "two", 3) == 0);
    CHECK(lg_node_text(graph, 3).length == 0);
    lg_graph_free(graph);
}

// Few texts among many nodes, then one for every node: the last text of each
// node counts, as in a separate list.
static void
texts_in_any_order(void)
{
    enum { NODES = 2000 };
    uint64_t state = 3;
    for (uint32_t texts = 1; texts <= 2 * NODES; texts *= 3) {
        char expected[NODES][12] = {{0}};
        lg_builder *builder = builder_of(NODES);
        for (uint32_t i = 0; i < texts; i++) {
            uint32_t node = test_random(&state) % (texts < 9 ? 3 : NODES);
            int length = snprintf(expected[node], 12, "text %u", i);
            lg_builder_set_text(builder, node, expected[node], (size_t)length);
        }
        lg_graph *graph = finish(builder);
        for (uint32_t node = 0; node < NODES; node++) {
            lg_string text = lg_node_text(graph, node);
            CHECK(text.length == strlen(expected[node]));
            CHECK(memcmp(text.data, expected[node], text.length) == 0);
        }
        lg_graph_free(graph);
    }
}

static void
room_for_texts(void)
{
    lg_builder *builder = builder_of(2);
    lg_builder_texts before = lg_builder_count_texts(builder);
    const lg_builder_texts some = {
        .strings = 1000, .bytes = 4000, .texts = 1000};
    CHECK(lg_builder_reserve_texts(builder, &some));
    lg_builder_set_text(builder, 1, "four", 4);
    lg_builder_texts after = lg_builder_count_texts(builder);
    CHECK(after.strings == before.strings + 1);
    CHECK(after.bytes == before.bytes + 4);
    CHECK(after.texts == 1 && before.texts == 0);
    const lg_builder_texts too_many = {
        .strings = UINT64_MAX / 2, .bytes = 1, .texts = 1};
    CHECK(!lg_builder_reserve_texts(builder, &too_many));
    lg_graph *graph = finish(builder);
    CHECK(lg_node_text(graph, 1).length == 4);
    lg_graph_free(graph);
}

static lg_status
finish_fails(lg_builder *builder, lg_error *err)
{
    lg_graph *graph = NULL;
    lg_status status = lg_builder_finish(builder, &graph, err);
    CHECK(graph == NULL);
    return status;
}

static void
misuse(void)
{
    lg_error err;
    lg_builder *builder = builder_of(2);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 2, LG_EDGE_INDEX, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_open(builder, 1);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_add_late_edge(builder, 7, 1, LG_EDGE_INDEX, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE, 12345);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_add_tentative_edge(builder, 0, 2, LG_EDGE_STACK, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    builder->refcount[1] = 1;
    lg_builder_add_tentative_edge(builder, 2, 1, LG_EDGE_STACK, 0);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    builder = builder_of(2);
    lg_builder_put_type(builder, 1, 9);
    CHECK(finish_fails(builder, &err) == LG_EINVAL);
    CHECK(err.status == LG_EINVAL);
}

// References have numbers of 32 bits.
static void
too_many_references(void)
{
    lg_error err;
    lg_builder *builder = builder_of(2);
    lg_builder_open(builder, 0);
    const uint64_t room = builder->edge_room;
    const uint64_t capacity = builder->edge_capacity;
    builder->edge_room = builder->edge_capacity = LG_NONE - 1;
    builder->edge_count = LG_NONE - 1;
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    CHECK(builder->edge_count == LG_NONE - 1);
    builder->edge_count = 0;
    builder->edge_room = room;
    builder->edge_capacity = capacity;
    CHECK(finish_fails(builder, &err) == LG_ELIMIT);
    CHECK(strstr(err.message, "references") != NULL);
}

// Edges of the kinds of four nodes. Room for more nodes than a word's target
// has bits for is made before the edge with that index.
static lg_graph *
with_room_at(uint32_t at)
{
    enum { NODES = 4, EDGES = 3000 };
    lg_builder *builder = builder_of(NODES);
    for (uint32_t edge = 0; edge < EDGES; edge++) {
        if (edge == at)
            REQUIRE(lg_builder_reserve(builder, LG_TARGET_MASK + 2, 0));
        CHECK((builder->edge_kind != NULL) == (edge >= at));
        if (edge % (EDGES / NODES) == 0)
            lg_builder_open(builder, edge / (EDGES / NODES));
        lg_builder_add_edge(builder, edge % NODES,
                            edge % LG_EDGE_KIND_COUNT | LG_EDGE_TRAVERSED, 0);
    }
    lg_builder_rename(builder, 7, LG_EDGE_INDEX | LG_EDGE_WEAK, 3);
    lg_builder_weaken(builder, 9);
    lg_builder_add_late_edge(builder, 1, 3, LG_EDGE_DICT, 0);
    return finish(builder);
}

// Words have targets and kinds as long as the nodes are few; the edges are the
// same in any case.
static void
words_of_edges(void)
{
    lg_graph *packed = with_room_at(UINT32_MAX);
    const lg_columns *columns = lg_graph_columns(packed);
    CHECK(columns->target.mask == LG_TARGET_MASK && columns->kind.shift == 2);
    CHECK((const void *)(columns->kind.byte - LG_TARGET_BITS / 8) ==
          columns->target.word);
    CHECK(lg_columns_kind(columns, 7) == (LG_EDGE_INDEX | LG_EDGE_WEAK));
    CHECK(lg_columns_kind(columns, 9) & LG_EDGE_WEAK);
    for (uint32_t at = 0; at < 3000; at += 1499) {
        lg_graph *parted = with_room_at(at);
        CHECK(lg_graph_columns(parted)->target.mask == LG_TARGET_MASK);
        CHECK(sample_equal(packed, parted));
        lg_graph_free(parted);
    }
    lg_graph_free(packed);
}

// A target is a number of 32 bits until the end, which refuses it.
static void
far_targets(void)
{
    lg_error err;
    lg_graph *graph = NULL;
    lg_builder *builder = builder_of(2);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    lg_builder_add_edge(builder, LG_TARGET_MASK + 2, LG_EDGE_INDEX, 0);
    CHECK(lg_builder_finish(builder, &graph, &err) == LG_EINVAL);
    CHECK(strstr(err.message, "the target of an edge") != NULL);
}

SUITE(builder)
{
    RUN(empty);
    RUN(late_edges);
    RUN(edge_writers);
    RUN(highest_addresses);
    RUN(found_and_native_roots);
    RUN(many_references);
    RUN(possible_edges);
    RUN(partial);
    RUN(sizes_and_texts);
    RUN(texts_in_any_order);
    RUN(room_for_texts);
    RUN(words_of_edges);
    RUN(far_targets);
    RUN(misuse);
    RUN(too_many_references);
    return test_result();
}

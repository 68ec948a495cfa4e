// Columns are narrow where their numbers allow it, and give every number back.
#include <unistd.h>

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/second_thread.h>

#include "sample.h"
#include "test.h"

enum { NODES = 4000 };

// The numbers of a graph's nodes.
typedef struct numbers {
    uint64_t address[NODES];
    uint32_t size[NODES];
    uint32_t refcount[NODES];
    uint32_t found[NODES];
} numbers;

static numbers given;

static void
set_small(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        given.address[i] = 0x7f0000000000u + 64 * (uint64_t)i;
        given.size[i] = 28 + i % 300;
        given.refcount[i] = 1 + i % 3;
        given.found[i] = i % 2;
    }
}

// Builds the graph. References found are held by the caller.
static lg_graph *
made(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        lg_node node = lg_builder_add_node(builder, given.address[i]);
        lg_builder_set_size(builder, node, given.size[i]);
        lg_builder_put_refcount(builder, node, given.refcount[i]);
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
        lg_builder_add_found(builder, node, given.found[i]);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    return graph;
}

static bool
is_as_given(const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t node = 0;
    while (node < NODES &&
           lg_columns_address(columns, node) == given.address[node] &&
           lg_columns_size(columns, node) == given.size[node] &&
           lg_columns_refcount(columns, node) == given.refcount[node] &&
           lg_columns_found(columns, node) == given.found[node])
        node++;
    return node == NODES;
}

static bool
writes_as_given(const lg_graph *graph)
{
    static numbers all;
    const lg_columns *columns = lg_graph_columns(graph);
    void *const to[] = {all.address, all.size, all.refcount, all.found};
    for (int i = 0; i <= LG_NARROW_FOUND; i++) {
        const size_t element = i == LG_NARROW_ADDRESS ? 8 : 4;
        lg_columns_write(columns, (lg_narrow_name)i, 0, 100, to[i]);
        lg_columns_write(columns, (lg_narrow_name)i, 100, NODES - 100,
                         (char *)to[i] + 100 * element);
    }
    return memcmp(&all, &given, sizeof all) == 0;
}

// Checks a graph that was loaded; `is_wide` tells that the file has its columns
// as they are in memory.
typedef void loaded_check(const lg_graph *graph, const lg_graph *again,
                          bool is_wide);

// Saves and loads the graph, at both levels and with each kind of memory.
static void
check_files(const lg_graph *graph, loaded_check *check)
{
    char path[] = "/tmp/leakgraph-XXXXXX";
    int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    close(descriptor);
    for (int way = 0; way < 4; way++) {
        lg_save_options options = LG_SAVE_OPTIONS_INIT;
        lg_graph *again;
        options.compress = way % 2;
        REQUIRE(lg_graph_save(graph, path, &options, NULL, NULL) == LG_OK);
        REQUIRE(lg_graph_load(path, way < 2 ? 0 : LG_LOAD_MAPPED, NULL, &again,
                              NULL) == LG_OK);
        check(graph, again, way == 2);
        lg_graph_free(again);
    }
    unlink(path);
}

static void
check_numbers(const lg_graph *graph, const lg_graph *again, bool is_wide)
{
    CHECK(is_as_given(again) && writes_as_given(again));
    CHECK((lg_graph_columns(again)->size.wide != NULL) == is_wide ||
          lg_graph_columns(graph)->size.wide != NULL);
}

static void
check_given(void)
{
    lg_graph *graph = made();
    lg_graph *stripped;
    CHECK(is_as_given(graph) && writes_as_given(graph));
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(is_as_given(stripped));
    lg_graph_free(stripped);
    check_files(graph, check_numbers);
    lg_graph_free(graph);
}

static const lg_columns *
columns_of(lg_graph **graph)
{
    *graph = made();
    return lg_graph_columns(*graph);
}

static void
small(void)
{
    lg_graph *graph;
    set_small();
    const lg_columns *columns = columns_of(&graph);
    CHECK(columns->address.wide == NULL && columns->size.wide == NULL);
    CHECK(columns->refcount.wide == NULL && columns->found.wide == NULL);
    CHECK(columns->refcount.listed == 0 && columns->size.listed == 0);
    lg_graph_free(graph);
    check_given();
}

// Numbers about the limits of bytes and words, at the ends and next to each
// other.
static void
limits(void)
{
    static const uint32_t bytes[] = {252, 253,    254,        255,
                                     256, 100000, UINT32_MAX, UINT32_MAX - 1};
    static const uint32_t words[] = {65532, 65533, 65534,
                                     65535, 65536, 1 << 30};
    static const uint32_t places[] = {0,  1,  2,   31,   32,       33,
                                      63, 64, 128, 3998, NODES - 1};
    set_small();
    for (size_t shift = 0; shift < 8; shift++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            given.refcount[places[i]] = bytes[(i + shift) % 8];
            given.found[places[i]] = bytes[(i + shift + 3) % 8];
            given.size[places[i]] = words[(i + shift) % 6];
        }
        check_given();
    }
}

// The count of what never dies takes no place in the list, and other large
// counts do.
static void
usual(void)
{
    lg_graph *graph;
    set_small();
    for (uint32_t i = 0; i < NODES; i += 2)
        given.refcount[i] = UINT32_MAX - 7;
    for (uint32_t i = 1; i < NODES; i += 100)
        given.refcount[i] = 1000 + i;
    const lg_columns *columns = columns_of(&graph);
    CHECK(columns->refcount.wide == NULL && columns->refcount.listed == 40);
    CHECK(columns->refcount.usual == UINT32_MAX - 7);
    lg_graph_free(graph);
    check_given();
}

// The last number that a node gets counts, whether it is large or small.
static void
set_again(void)
{
    static const uint32_t drawn[] = {0,     7,     253,   254,   255,       256,
                                     65533, 65534, 65535, 65536, UINT32_MAX};
    uint64_t seed = 3;
    lg_builder *builder;
    lg_graph *graph;
    set_small();
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++) {
        const uint32_t node = lg_builder_add_node(builder, given.address[i]);
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
        given.size[i] = given.refcount[i] = given.found[i] = 0;
    }
    for (int i = 0; i < 3 * NODES; i++) {
        const uint32_t node = (uint32_t)test_random(&seed) % NODES;
        given.size[node] = drawn[test_random(&seed) % (i < NODES ? 11 : 7)];
        given.refcount[node] = drawn[test_random(&seed) % 11];
        lg_builder_set_size(builder, node, given.size[node]);
        lg_builder_put_refcount(builder, node, given.refcount[node]);
        CHECK(lg_builder_size(builder, node) == given.size[node]);
        CHECK(lg_builder_refcount(builder, node) == given.refcount[node]);
        CHECK(lg_builder_address(builder, node) == given.address[node]);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(is_as_given(graph));
    lg_graph_free(graph);
}

// The largest numbers that a capture meets: sizes beyond 32 bits, and counts of
// objects that never die, which saturate. Set twice, and from the last node on.
static void
largest(void)
{
    static const uint64_t sizes[] = {65533,
                                     65534,
                                     65535,
                                     65536,
                                     UINT32_MAX,
                                     UINT64_C(1) << 32,
                                     UINT64_C(1) << 40};
    static const uint64_t counts[] = {253,
                                      254,
                                      255,
                                      256,
                                      257,
                                      999999999,
                                      UINT64_C(1) << 31,
                                      UINT64_C(3) << 30,
                                      UINT32_MAX - 1,
                                      UINT32_MAX,
                                      UINT64_C(1) << 32,
                                      INT64_MAX};
    enum { COUNT = sizeof counts / sizeof *counts };
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < NODES; i++)
        lg_builder_add_node(builder, UINT64_C(0x7fff00000000) + 16 * i);
    for (uint32_t i = 2 * NODES; i-- > 0;) {
        const uint32_t node = i % NODES;
        const uint32_t shift = i / NODES;
        if (node % 100 < COUNT) {
            lg_builder_put_size(builder, node, sizes[(node + shift) % 7]);
            lg_builder_put_refcount(builder, node,
                                    counts[(node + shift) % 100 % COUNT]);
        }
        lg_builder_add_found(builder, node, 128);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    for (uint32_t node = 0; node < NODES; node++) {
        const bool set = node % 100 < COUNT;
        const uint64_t count = set ? counts[node % 100 % COUNT] : 0;
        CHECK(lg_node_size(graph, node) == (set ? sizes[node % 7] : 0));
        CHECK(lg_columns_refcount(columns, node) ==
              (count < UINT32_MAX ? count : UINT32_MAX));
        CHECK(lg_columns_found(columns, node) == 256);
    }
    lg_graph_free(graph);
}

// A column with many large numbers stays as it is.
static void
large(void)
{
    lg_graph *graph;
    set_small();
    for (uint32_t i = 0; i < NODES / 8 + 2; i++) {
        given.refcount[i] = 1000 + i;
        given.size[i] = 70000 + i;
    }
    const lg_columns *columns = columns_of(&graph);
    CHECK(columns->refcount.wide != NULL && columns->size.wide != NULL);
    CHECK(columns->found.wide == NULL);
    lg_graph_free(graph);
    check_given();
    for (uint32_t i = 0; i < 2; i++)
        given.refcount[i] = given.size[i] = 1;
    columns = columns_of(&graph);
    CHECK(columns->refcount.wide == NULL && columns->size.wide == NULL);
    lg_graph_free(graph);
    check_given();
}

// Addresses that are anywhere are packed, too.
static void
scattered(void)
{
    uint64_t seed = 5;
    for (uint64_t count = 1; count <= 4096; count *= 8) {
        lg_graph *graph;
        set_small();
        for (uint32_t i = 0; i < NODES; i++)
            given.address[i] = (i % count) << 32 | i;
        const lg_columns *columns = columns_of(&graph);
        CHECK(columns->address.wide == NULL);
        lg_graph_free(graph);
        check_given();
    }
    for (uint32_t i = 0; i < NODES; i++)
        given.address[i] = i < 100 || i % 97 == 0 ? i : UINT64_MAX - i;
    check_given();
    for (uint32_t i = 0; i < NODES; i++)
        given.address[i] =
            ((uint64_t)test_random(&seed) << 32 | test_random(&seed)) >> i % 64;
    check_given();
}

// Narrow columns of sizes and counts take 4 bytes a node instead of 12, where
// nodes have too many sizes for shapes.
static void
memory(void)
{
    lg_graph *graph;
    set_small();
    for (uint32_t i = 0; i < NODES; i++)
        given.size[i] = i;
    const lg_columns *columns = columns_of(&graph);
    const uint64_t narrow = lg_own_bytes_now().all;
    lg_graph_free(graph);
    for (uint32_t i = 0; i < NODES; i++) {
        given.size[i] = 70000 + i;
        given.refcount[i] = 300 + i;
        given.found[i] = 300 + i;
    }
    columns = columns_of(&graph);
    CHECK(columns->size.wide != NULL && columns->found.wide != NULL);
    CHECK(lg_own_bytes_now().all - narrow == 8 * NODES);
    lg_graph_free(graph);
}

// Payloads: each is what was given, whether a pattern tells it or not.

enum { SOURCES = 1000, MOST_EDGES = 70000, TYPES = 5, STRINGS = 40 };

static uint32_t payload[MOST_EDGES];

// Mostly what is expected of a place; otherwise any that is sound.
static uint32_t
draw_payload(uint64_t *seed, unsigned kind, uint32_t type, uint32_t place)
{
    const bool odd = test_random(seed) % 5 == 0;
    switch (kind) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_GLOBALS:
    case LG_EDGE_NATIVE:
        return odd ? (uint32_t)test_random(seed) % STRINGS
                   : (type * 7 + place) % STRINGS;
    case LG_EDGE_VALUE:
        return odd ? LG_NONE : (uint32_t)test_random(seed) % SOURCES;
    case LG_EDGE_KEY:
        return odd ? (uint32_t)test_random(seed) : place / 2;
    default:
        return odd ? (uint32_t)test_random(seed) : place;
    }
}

static uint32_t
add_edges(lg_builder *builder, uint64_t *seed, uint32_t node, uint32_t edges)
{
    static const uint8_t degrees[] = {0, 1, 3, 64, 200};
    const uint32_t type = builder->type[node];
    const uint32_t count = degrees[test_random(seed) % sizeof degrees];
    lg_builder_open(builder, node);
    for (uint32_t place = 0; place < count; place++) {
        const unsigned kind =
            test_random(seed) % 8 == 0
                ? (unsigned)(test_random(seed) % LG_EDGE_KIND_COUNT)
                : (type + place) % LG_EDGE_KIND_COUNT;
        payload[edges] = draw_payload(seed, kind, type, place);
        if (edges > 0 && place > 0 && test_random(seed) % 2 == 0 &&
            lg_builder_kind(builder, edges - 1) == LG_EDGE_VALUE &&
            payload[edges - 1] != LG_NONE) {
            lg_builder_add_edge(builder, payload[edges - 1], kind,
                                payload[edges]);
            edges++;
            continue;
        }
        lg_builder_add_edge(builder, (uint32_t)test_random(seed) % SOURCES,
                            kind, payload[edges]);
        edges++;
    }
    return edges;
}

static lg_builder *
builder_with_edges(uint64_t seed, uint32_t *count)
{
    lg_builder *builder;
    uint32_t edges = 0;
    char name[] = "a0";
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (unsigned i = 0; i < STRINGS; i++) {
        name[0] = (char)('a' + i / 10);
        name[1] = (char)('0' + i % 10);
        lg_builder_intern(builder, name, 2);
    }
    for (uint32_t i = 0; i < TYPES; i++)
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < SOURCES; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, node,
                            (uint32_t)test_random(&seed) % (TYPES + 1));
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
    }
    for (uint32_t i = 0; i < SOURCES && edges < MOST_EDGES - 200; i++)
        edges = add_edges(builder, &seed, i, edges);
    *count = edges;
    return builder;
}

static lg_graph *
made_with_edges(uint64_t seed)
{
    lg_graph *graph;
    uint32_t edges;
    lg_builder *builder = builder_with_edges(seed, &edges);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    CHECK(lg_graph_columns(graph)->edge_count == edges);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    return graph;
}

static bool
has_payloads(const lg_graph *graph)
{
    static uint32_t written[MOST_EDGES];
    const lg_columns *columns = lg_graph_columns(graph);
    const uint64_t count = columns->edge_count;
    const size_t part = (size_t)count / 3;
    bool same = true;
    for (uint32_t node = 0; node < columns->node_count; node++)
        for (uint64_t edge = lg_columns_first_edge(columns, node);
             edge < lg_columns_first_edge(columns, node + 1); edge++)
            same =
                same && lg_columns_payload(columns, edge) == payload[edge] &&
                lg_columns_payload_from(columns, node, edge) == payload[edge];
    lg_columns_write(columns, LG_NARROW_PAYLOAD, 0, part, written);
    lg_columns_write(columns, LG_NARROW_PAYLOAD, part, (size_t)count - part,
                     written + part);
    return same && memcmp(written, payload, (size_t)count * 4) == 0;
}

static void
check_payloads(const lg_graph *graph, const lg_graph *again, bool is_wide)
{
    (void)graph;
    CHECK(has_payloads(again));
    CHECK((lg_graph_columns(again)->payload.wide != NULL) == is_wide);
}

static void
payloads(void)
{
    for (uint64_t seed = 0; seed < 6; seed++) {
        lg_graph *graph = made_with_edges(seed);
        lg_graph *stripped;
        CHECK(lg_graph_columns(graph)->payload.wide == NULL);
        CHECK(has_payloads(graph));
        REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
        CHECK(has_payloads(stripped));
        lg_graph_free(stripped);
        check_files(graph, check_payloads);
        lg_graph_free(graph);
    }
}

// What objects of a type have in common is in no list: instances with the same
// attributes, dicts, lists. The first instance has its attributes in another
// order.
static void
add_usual_edges(lg_builder *builder, uint32_t node)
{
    const uint32_t type = builder->type[node];
    lg_builder_open(builder, node);
    for (uint32_t i = 0; i < 20; i++) {
        if (type == 0) {
            lg_builder_add_edge(builder, i, LG_EDGE_ATTRIBUTE,
                                node == 0 ? 19 - i : i);
        } else if (type == 1) {
            lg_builder_add_edge(builder, 7, LG_EDGE_VALUE, 5 * i);
            lg_builder_add_edge(builder, 5 * i, LG_EDGE_KEY, i);
        } else {
            lg_builder_add_edge(builder, 7, LG_EDGE_INDEX, i);
        }
    }
}

static void
usual_payloads(void)
{
    enum { USUAL = 600 };
    lg_builder *builder;
    lg_graph *graph;
    char name[] = "a";
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (; *name < 'z'; ++*name)
        lg_builder_intern(builder, name, 1);
    for (uint32_t i = 0; i < 2; i++)
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < USUAL; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, node, i % 3);
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
        add_usual_edges(builder, node);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    const lg_payload_block *block = columns->payload.block;
    CHECK(columns->edge_count == (uint64_t)USUAL / 3 * 80);
    CHECK(block[columns->edge_count / 64 + 1].before == 20);
    CHECK(block[columns->edge_count / 64 + 1].source == USUAL - 1);
    CHECK(lg_columns_payload(columns, 0) == 19);
    CHECK(lg_columns_payload(columns, 80 * 99) == 0);
    lg_graph_free(graph);
}

// Late edges come behind those that their sources have, and edges get other
// names, when most payloads are coded already.

enum { LATE = 300 };

static struct {
    uint32_t source;
    uint32_t payload;
} late[LATE];

static void
change_edges(lg_builder *builder, uint64_t *seed, uint32_t edges)
{
    for (uint32_t i = 0; i < LATE; i++) {
        late[i].source = (uint32_t)test_random(seed) % (SOURCES - 1);
        late[i].payload = (uint32_t)test_random(seed) % (i < 9 ? 9 : SOURCES);
        lg_builder_add_late_edge(
            builder, late[i].source, (uint32_t)test_random(seed) % SOURCES,
            i % 2 == 0 ? LG_EDGE_INDEX : LG_EDGE_VALUE, late[i].payload);
    }
    for (uint32_t i = 0; i < LATE; i++) {
        const uint32_t edge = (uint32_t)test_random(seed) % edges;
        payload[edge] = i % STRINGS;
        lg_builder_rename(builder, edge, LG_EDGE_ATTRIBUTE, payload[edge]);
    }
}

static uint32_t
count_late(uint32_t source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LATE; i++)
        count += late[i].source == source;
    return count;
}

static bool
has_late_payloads(const lg_columns *columns)
{
    uint32_t next = 0;
    bool same = true;
    for (uint32_t node = 0; node < SOURCES && same; node++) {
        const uint64_t end = lg_columns_first_edge(columns, node + 1);
        uint64_t edge = lg_columns_first_edge(columns, node);
        for (; edge < end - count_late(node); edge++)
            same = same && lg_columns_payload(columns, edge) == payload[next++];
        for (uint32_t i = 0; i < LATE; i++)
            if (late[i].source == node)
                same = same && lg_columns_payload_from(columns, node, edge) ==
                                   late[i].payload,
                edge++;
    }
    return same;
}

static void
late_and_renamed(void)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        lg_graph *graph;
        uint32_t edges;
        uint64_t state = seed + 77;
        lg_builder *builder = builder_with_edges(seed, &edges);
        change_edges(builder, &state, edges);
        REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
        CHECK(lg_graph_check(graph, NULL) == LG_OK);
        CHECK(has_late_payloads(lg_graph_columns(graph)));
        lg_graph_free(graph);
    }
}

// The next edge tells the key of a value, but another may come in between.
static void
late_behind_value(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < 9; i++) {
        lg_builder_add_node(builder, 64 * (i + 1));
        builder->node_flags[i] = LG_NODE_SYNTHETIC;
    }
    for (uint32_t i = 0; i < 2; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, 7, LG_EDGE_VALUE, 7);
    }
    lg_builder_add_late_edge(builder, 0, 3, LG_EDGE_INDEX, 1);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    CHECK(columns->edge_count == 3 && lg_columns_target(columns, 1) == 3);
    CHECK(lg_columns_payload(columns, 0) == 7);
    CHECK(lg_columns_payload(columns, 1) == 1);
    CHECK(lg_columns_payload(columns, 2) == 7);
    lg_graph_free(graph);
}

// A second thread codes some of the windows, and later none. The first dict has
// more items than a window has edges.

enum { DICTS = 700 };

static uint32_t
items_of(uint32_t dict)
{
    return dict == 0 ? 20000 : 500;
}

static uint32_t
key_of(uint32_t dict, uint32_t item)
{
    return (dict + item) % DICTS;
}

static void
hold_nothing(void *context, bool begin)
{
    *(int *)context += begin ? 1 : -1;
}

static lg_builder *
shared_dicts(int *held)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < DICTS; i++) {
        lg_builder_add_node(builder, 64 * (i + 1));
        builder->node_flags[i] = LG_NODE_SYNTHETIC;
    }
    lg_builder_share(builder, hold_nothing, held);
    for (uint32_t dict = 0; dict < DICTS; dict++) {
        lg_builder_open(builder, dict);
        for (uint32_t i = 0; i < items_of(dict); i++) {
            const uint32_t key = key_of(dict, i);
            lg_builder_add_edge(builder, i % DICTS, LG_EDGE_VALUE,
                                i % 7 == 3 ? 5 : key);
            lg_builder_add_edge(builder, key, LG_EDGE_KEY, i);
        }
        if (dict % 50 == 1 && dict < DICTS / 3)
            while (lg_builder_code_labels(builder))
                continue;
    }
    lg_builder_share(builder, NULL, NULL);
    return builder;
}

static void
shared(void)
{
    int held = 0;
    lg_graph *graph;
    lg_builder *builder = shared_dicts(&held);
    bool same = true;
    uint64_t edge = 0;
    for (uint32_t dict = 0; dict < DICTS; dict++)
        for (uint32_t i = 0; i < items_of(dict); i++, edge += 2)
            same = same && lg_builder_key(builder, edge) ==
                               (i % 7 == 3 ? 5 : key_of(dict, i));
    CHECK(same && held == 0);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    CHECK(columns->edge_count == edge);
    CHECK(columns->payload.block[edge / 64 + 1].before <= edge / 2 / 7 + DICTS);
    for (uint32_t dict = 0; dict < DICTS; dict++)
        for (uint32_t i = 0; i < items_of(dict); i++) {
            edge = lg_columns_first_edge(columns, dict) + 2 * i;
            same = same && lg_columns_payload(columns, edge + 1) == i &&
                   lg_columns_payload(columns, edge) ==
                       (i % 7 == 3 ? 5 : key_of(dict, i));
        }
    CHECK(same);
    lg_graph_free(graph);
}

// Types and first edges: each is what was given, also where those in a row are
// far from each other.
enum { FAR_TYPES = 300 };

static uint32_t
far_type(uint32_t node)
{
    return node < 1000   ? 3
           : node < 2000 ? 100 + node % 7
                         : (uint32_t)(node * 2654435761u % FAR_TYPES);
}

static uint32_t
far_degree(uint32_t node)
{
    return node < 500 ? 0 : node % 97 == 0 ? 400 : node % 4;
}

static lg_graph *
made_with_far_types(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t i = 0; i < FAR_TYPES; i++)
        lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < NODES; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        lg_builder_put_type(builder, node, far_type(i));
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        lg_builder_open(builder, i);
        for (uint32_t k = 0; k < far_degree(i); k++)
            lg_builder_add_edge(builder, (i + k) % NODES, LG_EDGE_INDEX, k);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static bool
has_far_types(const lg_graph *graph)
{
    static uint32_t types[NODES];
    static uint64_t first[NODES + 1];
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t edge = 0;
    bool same = true;
    lg_columns_write(columns, LG_NARROW_TYPE, 0, 100, types);
    lg_columns_write(columns, LG_NARROW_TYPE, 100, NODES - 100, types + 100);
    lg_columns_write(columns, LG_NARROW_FIRST_EDGE, 0, NODES + 1, first);
    for (uint32_t node = 0; node < NODES; node++) {
        const lg_edge_range edges = lg_columns_edges(columns, node);
        same = same && lg_columns_type(columns, node) == far_type(node) &&
               types[node] == far_type(node) && first[node] == edge &&
               lg_columns_first_edge(columns, node) == edge &&
               edges.begin == edge;
        edge += far_degree(node);
        same = same && edges.end == edge;
    }
    return same && first[NODES] == edge && columns->edge_count == edge;
}

static void
check_far_types(const lg_graph *graph, const lg_graph *again, bool is_wide)
{
    (void)graph;
    CHECK(has_far_types(again));
    CHECK((lg_graph_columns(again)->type.shift == 2) == is_wide);
    CHECK(lg_graph_columns(again)->first_edge.wide == NULL);
}

static void
types_and_first_edges(void)
{
    lg_graph *graph = made_with_far_types();
    lg_graph *stripped;
    CHECK(lg_graph_columns(graph)->type.shift < 2);
    CHECK(lg_graph_columns(graph)->first_edge.wide == NULL);
    CHECK(has_far_types(graph) && lg_graph_check(graph, NULL) == LG_OK);
    REQUIRE(lg_graph_strip(graph, &stripped, NULL) == LG_OK);
    CHECK(has_far_types(stripped));
    lg_graph_free(stripped);
    check_files(graph, check_far_types);
    lg_graph_free(graph);
}

SUITE(narrow)
{
    RUN(small);
    RUN(limits);
    RUN(usual);
    RUN(set_again);
    RUN(largest);
    RUN(large);
    RUN(scattered);
    RUN(memory);
    RUN(payloads);
    RUN(usual_payloads);
    RUN(late_and_renamed);
    RUN(late_behind_value);
    RUN(shared);
    RUN(types_and_first_edges);
    return test_result();
}

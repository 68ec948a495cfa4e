// Spans become buffers: hand-made cases, and random ones against a map of
// bytes.
#include "sample.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/facts.h>

enum { HOLDERS = 6, DEVICES = 2, BYTES = 120, TYPES = 4 };

static lg_builder *
builder_of_holders(void)
{
    static const char *const names[] = {"holder", "A", "B", "C"};
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t type = 0; type < TYPES; type++)
        lg_builder_add_type(builder, names[type], strlen(names[type]), LG_NONE,
                            NULL, 0);
    for (uint32_t i = 0; i < HOLDERS; i++) {
        lg_builder_add_node(builder, 0x10000 + 64 * (uint64_t)i);
        lg_builder_put_type(builder, i, 1);
        lg_builder_set_size(builder, i, 1000);
    }
    CHECK(lg_builder_add_device(builder, "cuda:0") == 1);
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

static uint32_t
intern(lg_builder *builder, const char *text)
{
    return lg_builder_intern(builder, text, strlen(text));
}

static bool
says(lg_string string, const char *expected)
{
    return string.length == strlen(expected) &&
           memcmp(string.data, expected, string.length) == 0;
}

// The payload of the only edge from holder to target, or LG_NONE if there is no
// such edge or more than one.
static uint32_t
label_of(const lg_graph *graph, uint32_t holder, uint32_t target)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t label = LG_NONE;
    const lg_edge_range edges = lg_columns_edges(columns, holder);
    for (uint64_t e = edges.begin; e < edges.end; e++) {
        if (lg_columns_target(columns, e) != target)
            continue;
        CHECK(lg_columns_kind(columns, e) ==
              (LG_EDGE_NATIVE | LG_EDGE_UNCOUNTED));
        CHECK(label == LG_NONE);
        label = lg_columns_payload(columns, e);
    }
    return label;
}

static uint64_t
out_degree(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(graph);
    return lg_columns_first_edge(columns, node + 1) -
           lg_columns_first_edge(columns, node);
}

static void
overlaps_and_touches(void)
{
    lg_builder *builder = builder_of_holders();
    uint32_t data = intern(builder, "data");
    uint32_t base = intern(builder, "base");
    uint32_t big = intern(builder, "float32[100]");
    lg_span spans[] = {
        {.holder = 0, .address = 1000, .length = 100, .type = 2, .label = data},
        {.holder = 0, .address = 1050, .length = 100, .type = 3, .label = base},
        {.holder = 1,
         .address = 1149,
         .length = 1,
         .type = 4,
         .label = base,
         .text = big,
         .flags = LG_SPAN_OWNER},
        {.holder = 2, .address = 1150, .length = 10, .label = data},
        {.holder = 3, .address = 1155, .length = 0, .extra = 7, .label = data},
        {.holder = LG_NONE, .address = 1000, .length = 5000},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        lg_builder_add_span(builder, &spans[i]);
    lg_graph *graph = finish(builder);
    const lg_columns *columns = lg_graph_columns(graph);
    REQUIRE(columns->node_count == HOLDERS + 2);
    CHECK(lg_columns_address(columns, HOLDERS) == 1000);
    CHECK(lg_node_size(graph, HOLDERS) == 150);
    CHECK(lg_columns_type(columns, HOLDERS) == 4);
    CHECK(lg_columns_flags(columns, HOLDERS) ==
          (LG_NODE_SYNTHETIC | LG_NODE_BUFFER));
    CHECK(says(lg_node_text(graph, HOLDERS), "float32[100]"));
    CHECK(label_of(graph, 0, HOLDERS) == data);
    CHECK(label_of(graph, 1, HOLDERS) == base);
    CHECK(lg_node_size(graph, HOLDERS + 1) == 10);
    CHECK(label_of(graph, 2, HOLDERS + 1) == data);
    CHECK(out_degree(graph, 3) == 0 && lg_node_size(graph, 3) == 1007);
    CHECK(lg_graph_find(graph, 1150) == HOLDERS + 1);
    CHECK(lg_columns_found(columns, HOLDERS) == 0);
    CHECK(lg_node_unexplained(graph, HOLDERS) == 0);
    CHECK(lg_graph_root_count(graph) == 0);
    lg_graph_free(graph);
}

// Memory inside an object refers to the object, and its bytes count only once.
static void
inside_of_objects(void)
{
    lg_builder *builder = builder_of_holders();
    const lg_span spans[] = {
        {.holder = 1, .address = 2010, .length = 20},
        {.holder = 0, .address = 2000, .length = 100, .flags = LG_SPAN_INLINE},
        {.holder = 2, .address = 2000, .length = 100, .extra = 5},
        {.holder = 3, .address = 2090, .length = 20},
        {.holder = 0, .address = 2020, .length = 20},
        {.holder = 4, .address = 3000, .length = 100},
        {.holder = 5, .address = 3010, .length = 10, .flags = LG_SPAN_INLINE},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        lg_builder_add_span(builder, &spans[i]);
    lg_graph *graph = finish(builder);
    REQUIRE(lg_graph_columns(graph)->node_count == HOLDERS + 2);
    CHECK(label_of(graph, 1, 0) == 0 && label_of(graph, 2, 0) == 0);
    CHECK(lg_node_size(graph, 2) == 1005 && lg_node_size(graph, 0) == 1000);
    CHECK(out_degree(graph, 0) == 0 && out_degree(graph, 5) == 0);
    CHECK(label_of(graph, 3, HOLDERS) == 0);
    CHECK(lg_node_size(graph, HOLDERS) == 10);
    CHECK(lg_columns_address(lg_graph_columns(graph), HOLDERS) == 2090);
    CHECK(lg_node_size(graph, HOLDERS + 1) == 90);
    lg_graph_free(graph);
}

static void
devices_extras_and_kinds(void)
{
    const uint64_t huge = (uint64_t)9 << 32;
    lg_builder *builder = builder_of_holders();
    lg_builder_set_size(builder, 3, huge);
    const lg_span spans[] = {
        {.holder = 0, .device = 1, .address = 4096, .length = huge},
        {.holder = 3, .device = 1, .address = 4096, .length = 10, .extra = 80},
        {.holder = 1,
         .address = 4096,
         .length = 64,
         .extra = 16,
         .flags = LG_SPAN_MAPPED},
        {.holder = 2,
         .address = 4100,
         .length = 64,
         .extra = 4,
         .flags = LG_SPAN_PINNED},
        {.holder = 1, .address = 0, .length = 33},
        {.holder = 1,
         .address = 0,
         .length = 33,
         .flags = LG_SPAN_MAPPED,
         .file = lg_builder_intern(builder, "/dev/shm/x", 10)},
        {.holder = 4, .address = UINT64_MAX - 9, .length = 1000},
    };
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        lg_builder_add_span(builder, &spans[i]);
    lg_graph *graph = finish(builder);
    REQUIRE(lg_graph_columns(graph)->node_count == HOLDERS + 5);
    CHECK(lg_node_size(graph, HOLDERS) == 68 + 20);
    CHECK(lg_node_fact_number(graph, HOLDERS, "bytes", 0) == 68);
    CHECK(says(lg_node_fact_text(graph, HOLDERS, "memory"), "pinned"));
    CHECK(lg_node_size(graph, HOLDERS + 1) == 9);
    CHECK(lg_node_size(graph, HOLDERS + 2) == 33);
    CHECK(lg_node_fact_number(graph, HOLDERS + 2, "bytes", 5) == 5);
    CHECK(lg_node_size(graph, HOLDERS + 3) == 33);
    CHECK(says(lg_node_fact_text(graph, HOLDERS + 3, "memory"), "mapped"));
    CHECK(says(lg_node_fact_text(graph, HOLDERS + 3, "file"), "/dev/shm/x"));
    CHECK(lg_node_fact_text(graph, HOLDERS + 2, "file").length == 0);
    CHECK(out_degree(graph, 1) == 3);
    CHECK(lg_node_size(graph, HOLDERS + 4) == huge);
    CHECK(lg_node_device(graph, HOLDERS + 4) == 1);
    CHECK(lg_node_size(graph, 3) == huge + 80);
    CHECK(lg_node_size(graph, 0) == 1000);
    lg_graph_free(graph);
}

static void
misuse(void)
{
    const lg_span bad[] = {
        {.holder = HOLDERS, .address = 1, .length = 1},
        {.holder = 0, .device = 2, .address = 1, .length = 1},
        {.holder = 0, .address = 1, .length = 1, .type = 99},
        {.holder = 0, .address = 1, .length = 1, .type = UINT16_MAX + 2},
        {.holder = 0, .address = 1, .length = 1, .text = 99999},
        {.holder = 0, .address = 1, .length = 1, .label = 99999},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        lg_builder *builder = builder_of_holders();
        lg_graph *graph = NULL;
        lg_builder_add_span(builder, &bad[i]);
        CHECK(lg_builder_finish(builder, &graph, NULL) == LG_EINVAL);
        CHECK(graph == NULL);
    }
}

// The content of each byte of one device's small memory.
typedef struct map {
    uint8_t owner[BYTES + 1]; // 1 + holder of the inline span over it
    bool covered[BYTES + 1];  // covered by a span that is not inside an object
    bool linked[BYTES + 1];   // such a span covers this byte and the next
} map;

static bool
is_inside(const map *bytes, const lg_span *span)
{
    uint8_t owner = bytes->owner[span->address];
    for (uint64_t i = 0; i < span->length; i++)
        if (bytes->owner[span->address + i] != owner)
            return false;
    return owner != 0;
}

static bool
is_plain(const lg_span *span)
{
    return !(span->flags & LG_SPAN_INLINE) && span->length > 0;
}

// Inline spans are allocations: they do not overlap, and have gaps between
// them.
static lg_span
random_span(uint64_t *state, map maps[DEVICES])
{
    lg_span span = {
        .holder = test_random(state) % HOLDERS,
        .device = test_random(state) % DEVICES,
        .address = 1 + test_random(state) % (BYTES - 20),
        .length = test_random(state) % 19,
        .type = 2 + test_random(state) % 3,
        .text = test_random(state) % 3,
        .flags = test_random(state) % 3 == 0 ? LG_SPAN_OWNER : 0,
    };
    map *bytes = &maps[span.device];
    if (test_random(state) % 4 != 0 || span.length == 0)
        return span;
    for (uint64_t i = span.address - 1; i <= span.address + span.length; i++)
        if (bytes->owner[i] != 0)
            return span;
    span.flags = LG_SPAN_INLINE;
    memset(bytes->owner + span.address, (int)span.holder + 1, span.length);
    return span;
}

static void
cover(map maps[DEVICES], const lg_span *spans, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        map *bytes = &maps[spans[i].device];
        if (!is_plain(&spans[i]) || is_inside(bytes, &spans[i]))
            continue;
        for (uint64_t at = 0; at < spans[i].length; at++) {
            bytes->covered[spans[i].address + at] = true;
            if (at + 1 < spans[i].length)
                bytes->linked[spans[i].address + at] = true;
        }
    }
}

static const lg_span *
better(const lg_span *a, const lg_span *b)
{
    if (a == NULL)
        return b;
    if ((a->flags & LG_SPAN_OWNER) != (b->flags & LG_SPAN_OWNER))
        return (a->flags & LG_SPAN_OWNER) ? a : b;
    return b->length > a->length ? b : a;
}

static void
check_buffer(const lg_graph *graph, uint32_t buffer, const map *bytes,
             const lg_span *spans, size_t count)
{
    uint64_t begin = lg_columns_address(lg_graph_columns(graph), buffer);
    uint64_t end = begin;
    uint64_t size = 0;
    do {
        size += bytes->owner[end] == 0;
    } while (bytes->linked[end++]);
    CHECK(lg_node_size(graph, buffer) == size);
    const lg_span *typed = NULL;
    const lg_span *texted = NULL;
    bool holds[HOLDERS] = {false};
    uint32_t device = lg_node_device(graph, buffer);
    for (size_t i = 0; i < count; i++) {
        const lg_span *span = &spans[i];
        if (!is_plain(span) || span->device != device ||
            span->address < begin || span->address >= end ||
            is_inside(bytes, span))
            continue;
        holds[span->holder] = true;
        typed = better(typed, span);
        if (span->text != 0)
            texted = better(texted, span);
    }
    REQUIRE(typed != NULL);
    CHECK(lg_columns_type(lg_graph_columns(graph), buffer) == typed->type);
    lg_string text = lg_graph_string(graph, texted ? texted->text : 0);
    CHECK(lg_node_text(graph, buffer).length == text.length);
    for (uint32_t holder = 0; holder < HOLDERS; holder++)
        CHECK((label_of(graph, holder, buffer) != LG_NONE) == holds[holder]);
}

// Spans inside an object: each has an edge to it, except the object's own.
static uint64_t
inside_edges(const map maps[DEVICES], const lg_span *spans, size_t count)
{
    uint64_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        const map *bytes = &maps[spans[i].device];
        edges += is_plain(&spans[i]) && is_inside(bytes, &spans[i]) &&
                 bytes->owner[spans[i].address] != spans[i].holder + 1;
    }
    return edges;
}

static void
check_random(uint64_t seed)
{
    enum { SPANS = 24 };
    uint64_t state = seed * 977 + 5;
    static map maps[DEVICES];
    lg_span spans[SPANS];
    memset(maps, 0, sizeof maps);
    size_t count = test_random(&state) % SPANS;
    lg_builder *builder = builder_of_holders();
    for (size_t i = 0; i < count; i++) {
        spans[i] = random_span(&state, maps);
        lg_builder_add_span(builder, &spans[i]);
    }
    cover(maps, spans, count);
    lg_graph *graph = finish(builder);
    uint32_t expected = HOLDERS;
    for (size_t device = 0; device < DEVICES; device++)
        for (size_t at = 1; at <= BYTES; at++)
            if (maps[device].covered[at] && !maps[device].linked[at - 1]) {
                REQUIRE(expected < lg_graph_columns(graph)->node_count);
                CHECK(lg_columns_address(lg_graph_columns(graph), expected) ==
                      at);
                CHECK(lg_node_device(graph, expected) == device);
                expected++;
            }
    CHECK(lg_graph_columns(graph)->node_count == expected);
    uint64_t edges = inside_edges(maps, spans, count);
    for (uint32_t buffer = HOLDERS; buffer < expected; buffer++) {
        check_buffer(graph, buffer, &maps[lg_node_device(graph, buffer)], spans,
                     count);
        edges += lg_node_referrers(graph, buffer, NULL, 0);
    }
    CHECK(lg_graph_columns(graph)->edge_count == edges);
    lg_graph_free(graph);
}

static void
random_spans(void)
{
    for (uint64_t seed = 0; seed < 3000 && test_failures < 5; seed++)
        check_random(seed);
}

SUITE(span)
{
    RUN(overlaps_and_touches);
    RUN(inside_of_objects);
    RUN(devices_extras_and_kinds);
    RUN(misuse);
    RUN(random_spans);
    return test_result();
}

// The loader checks everything that readers rely on. Each test damages one
// array of a file and corrects the checksums.
#include <xxhash.h>

#include <leakgraph/file.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/segments.h>

#include "graph/graph_private.h"
#include "lgs.h"
#include "sample.h"
#include "stored.h"
#include "test.h"
#include "twins.h"

// Sections by their ids in a file.
enum {
    ADDRESS = 1,
    TYPE = 2,
    SIZE = 3,
    REFCOUNT = 4,
    FOUND = 5,
    NODE_FLAGS = 6,
    FIRST_EDGE = 7,
    EDGE_TARGET = 8,
    EDGE_PAYLOAD = 9,
    EDGE_KIND = 10,
    STRING_OFFSET = 11,
    STRING_BYTES = 12,
    TEXT_NODE = 13,
    TEXT_STRING = 14,
    BIG_NODE = 15,
    BIG_SIZE = 16,
    TYPE_NAME = 17,
    TYPE_NODE = 18,
    TYPE_FIRST_BASE = 19,
    TYPE_BASE = 20,
    ROOT_NODE = 21,
    ROOT_KIND = 22,
    ROOT_NAME = 23,
    INFO_KEY = 24,
    INFO_VALUE = 25,
    FACT_NODE = 29,
    FACT_KEY = 30,
    FACT_VALUE = 31,
    SEGMENT = 32,
    BLOCK = 33,
    EQUAL_NODE = 34,
    EQUAL_GROUP = 35,
};

static bytes file;

// Loads the bytes where they are, and columns as a graph of its own has them.
static lg_status
load(void)
{
    lg_graph *graph = NULL;
    lg_graph *own = NULL;
    const char *path = path_of("spoilt");
    FILE *copy = fopen(path, "wb");
    REQUIRE(copy != NULL &&
            fwrite(file.data, 1, file.length, copy) == file.length &&
            fclose(copy) == 0);
    lg_status status =
        lg_graph_load_memory(file.data, file.length, &graph, NULL);
    CHECK(lg_graph_load(path, 0, NULL, &own, NULL) == status);
    lg_graph_free(graph);
    lg_graph_free(own);
    remove(path);
    return status;
}

static section
section_of(uint32_t id, uint32_t *index)
{
    *index = 0;
    while (section_at(file, *index).id != id)
        ++*index;
    return section_at(file, *index);
}

static uint64_t
count_of(uint32_t id)
{
    uint32_t index;
    section about = section_of(id, &index);
    return about.raw / about.element;
}

static void
put_element(uint32_t id, uint64_t place, uint64_t *value)
{
    uint32_t index;
    section about = section_of(id, &index);
    uint8_t *at = file.data + about.offset + place * about.element;
    uint64_t old = 0;
    REQUIRE((place + 1) * about.element <= about.raw);
    memcpy(&old, at, about.element);
    memcpy(at, value, about.element);
    *value = old;
    about.checksum = XXH3_64bits(file.data + about.offset, about.raw);
    put_section(file, index, about);
}

// Damages an element, expects a refusal, and repairs the element.
static void
refuses(uint32_t id, uint64_t place, uint64_t value)
{
    put_element(id, place, &value);
    if (load() != LG_EFORMAT) {
        test_failures++;
        fprintf(stderr, "section %u [%llu] is not checked\n", id,
                (unsigned long long)place);
    }
    put_element(id, place, &value);
    CHECK(load() == LG_OK);
}

static void
spoilt(void)
{
    uint64_t strings = count_of(STRING_OFFSET) - 1;
    uint64_t types = count_of(TYPE_NAME);
    uint64_t texts = count_of(TEXT_NODE);
    refuses(TYPE, 3, types);
    refuses(SIZE, 3, UINT32_MAX);
    refuses(SIZE, SAMPLE_HUGE, 1);
    refuses(BIG_NODE, 0, 2);
    refuses(FIRST_EDGE, 0, 1);
    refuses(FIRST_EDGE, 3, 1000000);
    refuses(FIRST_EDGE, SAMPLE_COUNT, 1);
    refuses(EDGE_TARGET, 5, SAMPLE_COUNT);
    refuses(EDGE_TARGET, 5, LG_TARGET_MASK);
    refuses(EDGE_TARGET, 5, LG_TARGET_MASK + 1);
    refuses(EDGE_TARGET, 5, LG_NONE);
    refuses(EDGE_KIND, 5, LG_EDGE_KIND_COUNT);
    refuses(EDGE_KIND, 5, UINT8_MAX);
    refuses(EDGE_PAYLOAD, 1, strings);
    refuses(STRING_OFFSET, 0, 1);
    refuses(STRING_OFFSET, 4, UINT64_MAX);
    refuses(STRING_BYTES, 0, '\n');
    refuses(STRING_BYTES, 0, 0xff);
    refuses(TEXT_NODE, 1, 0);
    refuses(TEXT_NODE, texts - 1, SAMPLE_COUNT);
    refuses(TEXT_STRING, 0, strings);
    refuses(TYPE_NAME, 0, strings);
    refuses(TYPE_NODE, 1, SAMPLE_COUNT);
    refuses(TYPE_FIRST_BASE, 1, 0);
    refuses(TYPE_FIRST_BASE, types, 1);
    refuses(TYPE_BASE, 0, 1);
    refuses(TYPE_BASE, 0, types);
    refuses(ROOT_NODE, 0, SAMPLE_COUNT);
    refuses(ROOT_KIND, 0, LG_ROOT_GIVEN + 1);
    refuses(ROOT_NAME, 0, strings);
    refuses(INFO_KEY, 0, strings);
    refuses(INFO_VALUE, 0, strings);
}

// The loader compares columns that depend on each other before it reads any.
static void
lengths(void)
{
    for (uint32_t index = 0; index < section_count(file); index++) {
        section good = section_at(file, index);
        section bad = good;
        if (good.raw == 0 || good.id == BLOCK)
            continue;
        bad.raw = bad.stored = good.raw - good.element;
        bad.checksum = XXH3_64bits(file.data + bad.offset, bad.raw);
        put_section(file, index, bad);
        CHECK(load() == LG_EFORMAT);
        put_section(file, index, good);
    }
}

// Damages a field of four bytes in an element of many bytes.
static void
refuses_field(uint32_t id, uint64_t place, size_t field, uint32_t value)
{
    uint32_t index;
    section about = section_of(id, &index);
    uint8_t *at = file.data + about.offset + place * about.element + field;
    uint32_t old;
    memcpy(&old, at, sizeof old);
    for (int again = 0; again < 2; again++) {
        memcpy(at, again ? &old : &value, sizeof old);
        about.checksum = XXH3_64bits(file.data + about.offset, about.raw);
        put_section(file, index, about);
        if (load() != (again ? LG_OK : LG_EFORMAT)) {
            test_failures++;
            fprintf(stderr, "section %u [%llu] + %zu: again %d\n", id,
                    (unsigned long long)place, field, again);
        }
    }
}

static void
spoilt_bytes(void)
{
    uint32_t strings = (uint32_t)count_of(STRING_OFFSET) - 1;
    uint64_t facts = count_of(FACT_NODE);
    refuses(FACT_NODE, facts - 1, STORED_COUNT);
    refuses(FACT_NODE, facts - 1, 0);
    refuses(FACT_KEY, 0, strings);
    refuses(FACT_KEY, 0, strings - 1);
    refuses(FACT_VALUE, 3, strings);
    refuses_field(SEGMENT, 0, offsetof(lg_segment, device), 0);
    refuses_field(SEGMENT, 0, offsetof(lg_segment, device), 2);
    refuses_field(SEGMENT, 1, offsetof(lg_segment, kind), strings);
    refuses_field(SEGMENT, 1, offsetof(lg_segment, pool), strings);
    refuses_field(SEGMENT, 1, offsetof(lg_segment, expandable), 2);
    refuses_field(SEGMENT, 0, offsetof(lg_segment, address), 0xffffffff);
    refuses_field(SEGMENT, 2, offsetof(lg_segment, size) + 4, 0xffffffff);
    refuses_field(BLOCK, 7, offsetof(lg_block, segment), 3);
    refuses_field(BLOCK, 7, offsetof(lg_block, segment), 0);
    refuses_field(BLOCK, 0, offsetof(lg_block, state), 4);
    refuses_field(BLOCK, 0, offsetof(lg_block, frames), strings);
    refuses_field(BLOCK, 0, offsetof(lg_block, in_flux), 2);
    refuses_field(BLOCK, 0, offsetof(lg_block, address), 0xffffffff);
    refuses_field(BLOCK, 2, offsetof(lg_block, size) + 4, 0xffffffff);
}

static void
spoilt_twins(void)
{
    refuses(EQUAL_NODE, 0, UINT32_MAX);
    refuses(EQUAL_NODE, 1, 0);
    refuses(EQUAL_NODE, 0, count_of(ADDRESS));
    refuses(EQUAL_GROUP, 0, count_of(EQUAL_GROUP));
}

// More nodes than are checked at a time, each with two edges.
enum { MANY = 2 * LG__COPY_ELEMENTS + 100 };

static lg_graph *
many_nodes(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_type(builder, "t", 1, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        const lg_node node = lg_builder_add_node(builder, 64 * (i + 1));
        builder->node_flags[node] = LG_NODE_SYNTHETIC;
    }
    for (uint32_t i = 0; i < MANY; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i, LG_EDGE_INDEX, 0);
        lg_builder_add_edge(builder, 0, LG_EDGE_INDEX, 1);
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

// Expects that the check of a graph with that column names the place.
static void
names_place(const lg_graph *graph, const char *what, uint32_t place)
{
    lg_error err;
    char expected[96];
    snprintf(expected, sizeof expected, "%s is out of range or order (at %u)",
             what, place);
    CHECK(lg_graph_check(graph, &err) == LG_EFORMAT);
    CHECK(strcmp(err.message, expected) == 0);
}

// Damages the type of a node in memory, in four bytes and in two.
static void
refuses_type(const lg_graph *graph, uint32_t place)
{
    static uint32_t wide[MANY];
    static uint16_t narrow[MANY + 2];
    lg_graph damaged = *graph;
    for (uint32_t i = 0; i < MANY; i++)
        wide[i] = lg_columns_type(&graph->columns, i);
    wide[place] = graph->type_count;
    for (uint32_t i = 0; i < MANY; i++)
        narrow[i] = (uint16_t)wide[i];
    damaged.columns.type = lg_type_ids_wide(wide);
    names_place(&damaged, "the type of a node", place);
    damaged.columns.type = (lg_type_ids){narrow, 1, UINT16_MAX, NULL};
    names_place(&damaged, "the type of a node", place);
}

// Damages the first edge of a node in memory, in four bytes and in two.
static void
refuses_first_edge(const lg_graph *graph, uint32_t place)
{
    enum { BLOCKS = MANY / LG_FIRST_EDGES_BLOCK + 1 };
    static uint32_t wide[MANY + 1];
    static uint16_t above[BLOCKS * LG_FIRST_EDGES_STEP];
    const lg_first_edges *first = &graph->columns.first_edge;
    const uint32_t last = MANY % LG_FIRST_EDGES_BLOCK;
    lg_graph damaged = *graph;
    REQUIRE(first->wide == NULL);
    for (uint32_t i = 0; i <= MANY; i++)
        wide[i] = (uint32_t)lg_columns_first_edge(&graph->columns, i);
    wide[place] = UINT32_MAX - 1;
    damaged.columns.first_edge = (lg_first_edges){.wide = wide};
    names_place(&damaged, "the first edge of a node", place);
    memcpy(above, first->above,
           ((size_t)(BLOCKS - 1) * LG_FIRST_EDGES_STEP + last + 1) *
               sizeof *above);
    above[place + place / LG_FIRST_EDGES_BLOCK] = UINT16_MAX - 1;
    damaged.columns.first_edge = *first;
    damaged.columns.first_edge.above = above;
    names_place(&damaged, "the first edge of a node", place);
}

static void
spoilt_in_parts(void)
{
    const uint32_t part = LG__COPY_ELEMENTS;
    const uint32_t places[] = {1,        part - 1,     part,
                               part + 1, 2 * part - 1, MANY - 1};
    lg_graph *graph = many_nodes();
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        refuses_type(graph, places[i]);
        refuses_first_edge(graph, places[i]);
    }
    lg_graph_free(graph);
}

SUITE(check)
{
    lg_graph *graph;
    folder_make();
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    file = saved(graph, 0);
    lg_graph_free(graph);
    RUN(spoilt);
    RUN(lengths);
    free(file.data);
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    file = saved(graph, 0);
    lg_graph_free(graph);
    RUN(spoilt_bytes);
    RUN(lengths);
    free(file.data);
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    file = saved(graph, 0);
    lg_graph_free(graph);
    RUN(spoilt_twins);
    RUN(lengths);
    free(file.data);
    RUN(spoilt_in_parts);
    folder_remove();
    return test_result();
}

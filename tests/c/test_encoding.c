// Encodings of whole columns, and files that have any of them.
#include <leakgraph/builder.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>

#include <unistd.h>
#include <zstd.h>

#include "file/file_private.h"
#include "lgs.h"
#include "sample.h"
#include "stored.h"
#include "test.h"

static void
which_sections(void)
{
    static const struct {
        uint32_t encoding;
        enum lg__array_name name;
        bool is_for;
    } cases[] = {
        {LG__ENCODING_DIFFERENCES, LG__ADDRESS, true},
        {LG__ENCODING_DIFFERENCES, LG__NODE_FLAGS, false},
        {LG__ENCODING_SORTED, LG__NODE_FLAGS, true},
        {LG__ENCODING_SORTED, LG__EDGE_TARGET, true},
        {LG__ENCODING_SORTED, LG__TYPE, false},
        {LG__ENCODING_SORTED, LG__FIRST_EDGE, false},
        {LG__ENCODING_SORTED_DIFFERENCES, LG__ADDRESS, true},
        {LG__ENCODING_SORTED_DIFFERENCES, LG__NODE_FLAGS, false},
        {LG__ENCODING_BY_SIZE, LG__ADDRESS, true},
        {LG__ENCODING_BY_SIZE, LG__REFCOUNT, false},
        {LG__ENCODING_TARGETS, LG__EDGE_TARGET, true},
        {LG__ENCODING_TARGETS, LG__EDGE_PAYLOAD, false},
        {LG__ENCODING_KINDS, LG__EDGE_KIND, true},
        {LG__ENCODING_KINDS, LG__ROOT_KIND, false},
        {LG__ENCODING_PAYLOADS, LG__EDGE_PAYLOAD, true},
        {LG__ENCODING_PAYLOADS, LG__EDGE_TARGET, false},
        {LG__ENCODING_PAYLOADS + 1, LG__EDGE_PAYLOAD, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK(lg__encoding_is_for(cases[i].encoding, cases[i].name) ==
              cases[i].is_for);
}

static bool
is_ready(uint32_t encoding, enum lg__array_name name, const lg__array *arrays)
{
    return lg__encoding_is_ready(encoding, name, arrays[name].count, arrays);
}

// A damaged file may have columns of any lengths.
static void
which_lengths(void)
{
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    arrays[LG__TYPE].count = arrays[LG__FOUND].count = 3;
    arrays[LG__SIZE].count = arrays[LG__ADDRESS].count = 2;
    arrays[LG__FIRST_EDGE].count = 4;
    arrays[LG__EDGE_KIND].count = arrays[LG__EDGE_TARGET].count = 9;
    arrays[LG__EDGE_PAYLOAD].count = 9;
    CHECK(is_ready(LG__ENCODING_PLANES, LG__ADDRESS, arrays));
    CHECK(is_ready(LG__ENCODING_SORTED, LG__FOUND, arrays));
    CHECK(!is_ready(LG__ENCODING_SORTED, LG__SIZE, arrays));
    CHECK(is_ready(LG__ENCODING_BY_SIZE, LG__ADDRESS, arrays));
    CHECK(!is_ready(LG__ENCODING_SORTED, LG__ADDRESS, arrays));
    for (int turn = 0; turn < 4; turn++) {
        const uint64_t nodes[] = {3, 3, 0, 3};
        const uint64_t edges[] = {9, 9, 9, 8};
        arrays[LG__TYPE].count = nodes[turn];
        arrays[LG__FIRST_EDGE].count = nodes[turn] + (turn == 1 ? 2 : 1);
        arrays[LG__EDGE_TARGET].count = edges[turn];
        bool contexts = turn == 0 || turn == 3;
        CHECK(is_ready(LG__ENCODING_TARGETS, LG__EDGE_TARGET, arrays) ==
              contexts);
        CHECK(is_ready(LG__ENCODING_KINDS, LG__EDGE_KIND, arrays) == contexts);
        CHECK(is_ready(LG__ENCODING_PAYLOADS, LG__EDGE_PAYLOAD, arrays) ==
              (turn == 0));
    }
    arrays[LG__EDGE_TARGET].count = 9;
    arrays[LG__EDGE_KIND].count = 10;
    CHECK(!is_ready(LG__ENCODING_PAYLOADS, LG__EDGE_PAYLOAD, arrays));
}

// Appends bytes at the alignment of sections, and returns where they are.
static uint64_t
append(bytes *file, const void *data, size_t length)
{
    size_t at = (file->length + 63) / 64 * 64;
    bytes out = aligned(at + length);
    memset(out.data, 0, out.length);
    memcpy(out.data, file->data, file->length);
    memcpy(out.data + at, data, length);
    uint64_t all = out.length;
    memcpy(out.data + 24, &all, sizeof all);
    free(file->data);
    *file = out;
    return at;
}

// Encodes a section of an uncompressed file as writers of earlier versions did.
static void
encode(bytes *file, uint32_t index, uint32_t encoding, const lg__array *arrays)
{
    section about = section_at(*file, index);
    size_t name = 0;
    while (lg__array_infos[name].id != about.id)
        name++;
    lg__planes planes = lg__encoding_planes(encoding, (enum lg__array_name)name,
                                            arrays, arrays[name].count);
    lg__planes_room room = {0};
    uint8_t *column = file->data + about.offset;
    uint8_t *split = malloc(about.raw);
    size_t most = ZSTD_compressBound(about.raw);
    uint8_t *frame = malloc(most);
    REQUIRE(split != NULL && frame != NULL);
    REQUIRE(planes.count <= LG__BLOCK_ELEMENTS);
    memcpy(split, column, about.raw);
    if (planes.width > 0) {
        REQUIRE(lg__planes_room_fit(&room, &planes));
        lg__planes_split(&planes, column, 0, &room);
        memcpy(split, room.planes, about.raw);
    }
    about.stored = ZSTD_compress(frame, most, split, about.raw, 1);
    about.encoding = encoding;
    about.offset = append(file, frame, about.stored);
    put_section(*file, index, about);
    lg__planes_room_free(&room);
    free(split);
    free(frame);
}

// Finds the arrays in an uncompressed file.
static void
find_arrays(bytes file, lg__array *out)
{
    for (uint32_t i = 0; i < section_count(file); i++) {
        section about = section_at(file, i);
        for (size_t name = 0; name < LG__ARRAY_COUNT; name++)
            if (lg__array_infos[name].id == about.id)
                out[name] = (lg__array){.data = file.data + about.offset,
                                        .count = about.raw / about.element};
    }
}

static void
check_encoded(const lg_graph *graph, uint32_t encoding)
{
    bytes plain = saved(graph, 0);
    bytes file = saved(graph, 0);
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    lg_graph *again = NULL;
    find_arrays(plain, arrays);
    for (uint32_t i = 0; i < section_count(file); i++)
        for (size_t name = 0; name < LG__ARRAY_COUNT; name++)
            if (lg__array_infos[name].id == section_at(file, i).id &&
                lg__encoding_is_for(encoding, (enum lg__array_name)name) &&
                arrays[name].count > 0)
                encode(&file, i, encoding, arrays);
    file.data[8] = 3; // the major version
    seal(file);
    CHECK(lg_graph_load_memory(file.data, file.length, &again, NULL) == LG_OK);
    CHECK(again != NULL && sample_equal(graph, again));
    lg_graph_free(again);
    free(plain.data);
    free(file.data);
}

// Files of earlier versions have encodings that nobody writes any more.
static void
earlier_files(void)
{
    lg_graph *graph[2];
    REQUIRE(stored_new(NULL, &graph[0], NULL) == LG_OK);
    graph[1] = sample_random(5, 3000, true);
    for (size_t i = 0; i < 2; i++) {
        for (uint32_t encoding = LG__ENCODING_ZSTD;
             encoding <= LG__ENCODING_SORTED_DIFFERENCES; encoding++)
            check_encoded(graph[i], encoding);
        lg_graph_free(graph[i]);
    }
}

static uint32_t
encoding_of(bytes file, uint32_t id)
{
    uint32_t i = 0;
    while (section_at(file, i).id != id)
        i++;
    return section_at(file, i).encoding;
}

// Makes a graph in which each node refers to any other.
static lg_graph *
any_order(uint32_t nodes)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    uint64_t seed = 1;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t list = lg_builder_add_type(builder, "list", 4, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < nodes; i++) {
        lg_builder_add_node(builder, 4096 + 16 * (uint64_t)i);
        lg_builder_put_type(builder, i, list);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, (uint32_t)(test_random(&seed) % nodes),
                            LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_STATIC, "list", 4);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

// Targets in any order are written as earlier versions did, because that is
// shorter.
static void
shorter(void)
{
    lg_graph *graph[2] = {sample_chain(100000), any_order(100000)};
    const uint32_t expected[2] = {LG__ENCODING_TARGETS, LG__ENCODING_SORTED};
    for (size_t i = 0; i < 2; i++) {
        bytes file = saved(graph[i], 1);
        CHECK(encoding_of(file, 8) == expected[i]);
        free(file.data);
        lg_graph_free(graph[i]);
    }
}

SUITE(encoding)
{
    folder_make();
    RUN(which_sections);
    RUN(which_lengths);
    RUN(earlier_files);
    RUN(shorter);
    folder_remove();
    return test_result();
}

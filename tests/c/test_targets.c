// Targets of references, split and joined, are the same.
#include "file/targets.h"
#include "test.h"

enum { NODES = 3000, EDGES = 2 * LG__BLOCK_ELEMENTS + 7 };

typedef struct references {
    uint32_t first[NODES + 1];
    uint32_t type[NODES];
    uint32_t target[EDGES];
} references;

static lg__targets
targets_of(const references *from, uint64_t count)
{
    return (lg__targets){.count = count,
                         .contexts = {.first_edge = {.wide = from->first},
                                      .type = lg_type_ids_wide(from->type),
                                      .node_count = NODES}};
}

// Puts the pieces of a block behind each other, as a file has them.
static size_t
packed(const uint8_t *room, const lg__targets_pieces *pieces, uint8_t *out)
{
    size_t size = 0;
    for (size_t i = 0; i < LG__TARGETS_PIECES; i++) {
        memcpy(out + size, room + i * LG__BLOCK_ELEMENTS, pieces->size[i]);
        size += pieces->size[i];
    }
    CHECK(size == pieces->total);
    return size;
}

// Returns the bytes of all blocks.
static size_t
check_round_trip(const references *from, uint64_t count)
{
    const lg_edge_targets column = {from->target, UINT32_MAX};
    lg__targets split = targets_of(from, count);
    lg__targets join = split;
    uint8_t *room = malloc(LG__TARGETS_ROOM);
    uint8_t *block = malloc(LG__TARGETS_ROOM);
    uint32_t *there = calloc(EDGES, sizeof *there);
    size_t bytes = 0;
    REQUIRE(room != NULL && block != NULL && there != NULL);
    REQUIRE(lg__targets_begin(&split, true) && lg__targets_begin(&join, false));
    for (uint64_t at = 0; at < count; at += LG__BLOCK_ELEMENTS) {
        size_t length = lg__block_count(split.count, at);
        lg__targets_pieces pieces =
            lg__targets_split(&split, &column, at, room);
        bytes += packed(room, &pieces, block);
        lg__targets_pieces again = lg__targets_measure(block, length);
        CHECK(memcmp(&again, &pieces, sizeof again) == 0);
        CHECK(lg__targets_join(&join, there, at, &again, block));
    }
    CHECK(memcmp(there, from->target, count * sizeof *there) == 0);
    lg__targets_end(&split);
    lg__targets_end(&join);
    free(room);
    free(block);
    free(there);
    return bytes;
}

// Nodes with as many references as each other, and a rest at the last one.
static void
spread_edges(references *out)
{
    for (size_t i = 0; i <= NODES; i++)
        out->first[i] = (uint32_t)(i < NODES ? i * (EDGES / NODES) : EDGES);
    for (size_t i = 0; i < NODES; i++)
        out->type[i] = (uint32_t)(i % 7) * 500;
}

static references *
references_new(void)
{
    references *out = calloc(1, sizeof *out);
    REQUIRE(out != NULL);
    spread_edges(out);
    return out;
}

static void
round_trips(void)
{
    const uint64_t counts[] = {1, 2, LG__BLOCK_ELEMENTS - 1, LG__BLOCK_ELEMENTS,
                               EDGES};
    const uint32_t ranges[] = {1, 2, 40, NODES, 1u << 20, UINT32_MAX};
    references *column = references_new();
    uint64_t seed = 1;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 6; j++) {
            for (size_t edge = 0; edge < counts[i]; edge++)
                column->target[edge] =
                    test_random(&seed) % 3 == 0
                        ? (uint32_t)edge / 3
                        : (uint32_t)(test_random(&seed) % ranges[j]);
            check_round_trip(column, counts[i]);
        }
    free(column);
}

// Each target costs what its code calls for.
static void
sizes(void)
{
    references *column = references_new();
    for (uint32_t i = 0; i < EDGES; i++)
        column->target[i] = i;
    CHECK(check_round_trip(column, EDGES) == EDGES);
    // A sequence again, its length back, then the last new node again.
    for (uint32_t i = 0; i < 1000; i++)
        column->target[i] = column->target[i + 1000] = i;
    column->target[2000] = 999;
    CHECK(check_round_trip(column, 2001) == 2001 + 1);
    free(column);
}

// The file format promises these bytes.
static void
layout(void)
{
    // New nodes 0 and 1; node 0, one back, in another context; node 7, 5 after
    // the next new node; 8; node 1 three back, twice; node 0 in its context.
    static const uint32_t first[] = {0, 3, 9};
    static const uint32_t type[] = {4, 5};
    static const uint32_t target[] = {0, 1, 1, 7, 8, 1, 7, 8, 3};
    const lg_edge_targets column = {target, UINT32_MAX};
    static const uint8_t codes[] = {0, 0, 4, 3, 0, 6, 2, 2, 3};
    static const uint8_t others[] = {10, 11, 0, 0, 0, 0, 0, 0};
    lg__targets split = {.count = 9,
                         .contexts = {.first_edge = {.wide = first},
                                      .type = lg_type_ids_wide(type),
                                      .node_count = 2}};
    uint8_t *room = malloc(LG__TARGETS_ROOM);
    uint8_t block[5 * 9];
    REQUIRE(room != NULL && lg__targets_begin(&split, true));
    lg__targets_pieces pieces = lg__targets_split(&split, &column, 0, room);
    REQUIRE(packed(room, &pieces, block) == sizeof codes + sizeof others);
    CHECK(memcmp(block, codes, sizeof codes) == 0);
    CHECK(memcmp(block + sizeof codes, others, sizeof others) == 0);
    lg__targets_end(&split);
    free(room);
}

// Distances of all lengths have the bytes that the file format promises.
static void
distances(void)
{
    references *column = references_new();
    for (uint32_t i = 0; i < EDGES; i++)
        column->target[i] = i;
    const uint32_t far = 0x1abcd;
    column->target[far] = 0; // 0x1abcd + 3 is 1 1010 1011 1101 0000
    const lg_edge_targets plain = {column->target, UINT32_MAX};
    lg__targets split = targets_of(column, EDGES);
    uint8_t *room = malloc(LG__TARGETS_ROOM);
    REQUIRE(room != NULL && lg__targets_begin(&split, true));
    lg__targets_split(&split, &plain, 0, room);
    lg__targets_split(&split, &plain, LG__BLOCK_ELEMENTS, room);
    CHECK(room[far - LG__BLOCK_ELEMENTS] == (13 << 3) + 0xd);
    CHECK(room[LG__BLOCK_ELEMENTS] == 0xd0);
    CHECK(room[2 * LG__BLOCK_ELEMENTS] == 0x0b);
    lg__targets_end(&split);
    free(room);
    free(column);
}

static bool
joins(const references *about, const uint8_t *codes, size_t count)
{
    uint8_t block[64] = {0};
    uint32_t there[16];
    lg__targets join = targets_of(about, count);
    memcpy(block, codes, count);
    REQUIRE(lg__targets_begin(&join, false));
    lg__targets_pieces pieces = lg__targets_measure(block, count);
    REQUIRE(pieces.total <= sizeof block);
    bool sound = lg__targets_join(&join, there, 0, &pieces, block);
    lg__targets_end(&join);
    return sound;
}

static void
damaged(void)
{
    references *column = references_new();
    CHECK(joins(column, (uint8_t[]){0, 4, 2, 1, 3}, 5));
    CHECK(!joins(column, (uint8_t[]){2}, 1)); // no distance yet
    CHECK(!joins(column, (uint8_t[]){4}, 1)); // before the first
    CHECK(!joins(column, (uint8_t[]){0, 0, 6}, 3));
    CHECK(!joins(column, (uint8_t[]){0, 207}, 2)); // too far
    CHECK(!joins(column, (uint8_t[]){0, 208}, 2)); // no such code
    CHECK(!joins(column, (uint8_t[]){0, 255}, 2));
    free(column);
}

// First edges and types may be anything while a file is read.
static void
any_numbers(void)
{
    references *column = references_new();
    uint64_t seed = 7;
    for (size_t i = 0; i <= NODES; i++)
        column->first[i] =
            i % 2 ? test_random(&seed) : test_random(&seed) % EDGES;
    for (size_t i = 0; i < NODES; i++)
        column->type[i] = (uint32_t)test_random(&seed);
    for (size_t i = 0; i < EDGES; i++)
        column->target[i] = (uint32_t)(test_random(&seed) % 50);
    check_round_trip(column, EDGES);
    free(column);
}

SUITE(targets)
{
    RUN(round_trips);
    RUN(sizes);
    RUN(layout);
    RUN(distances);
    RUN(damaged);
    RUN(any_numbers);
    return test_result();
}

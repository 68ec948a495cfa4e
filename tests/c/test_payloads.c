// Kinds and payloads of references as differences, and back.
#include <leakgraph/kinds.h>

#include "file/contexts.h"
#include "test.h"

// Two nodes of one type with three references each, and one of another with a
// reference.
static const uint32_t first_edge[] = {0, 3, 6, 7};
static const uint32_t type[] = {5, 5 + LG__CONTEXT_TYPES, 6};
static const uint8_t kind[] = {LG_EDGE_VALUE | LG_EDGE_TRAVERSED,
                               LG_EDGE_KEY,
                               LG_EDGE_INDEX,
                               LG_EDGE_ATTRIBUTE,
                               LG_EDGE_KEY,
                               LG_EDGE_VALUE,
                               LG_EDGE_VALUE};
static const uint32_t target[] = {50, 60, 70, 80, 90, 100, 110};
static const uint32_t payload[] = {60, 9, 3, 20, 7, 112, 30};

static lg__contexts
contexts_new(void)
{
    lg__contexts out = {.first_edge = {.wide = first_edge},
                        .type = lg_type_ids_wide(type),
                        .node_count = 3};
    REQUIRE(lg__contexts_begin(&out, 0));
    return out;
}

// The file format promises these numbers.
static void
kinds(void)
{
    static const uint8_t less[] = {
        LG_EDGE_VALUE | LG_EDGE_TRAVERSED,
        LG_EDGE_KEY,
        LG_EDGE_INDEX,
        (uint8_t)(LG_EDGE_ATTRIBUTE - LG_EDGE_VALUE - LG_EDGE_TRAVERSED),
        0,
        (uint8_t)(LG_EDGE_VALUE - LG_EDGE_INDEX),
        LG_EDGE_VALUE};
    uint8_t there[7];
    lg__contexts split = contexts_new();
    lg__contexts join = contexts_new();
    // Two blocks, the second one in the middle of a node.
    lg__kinds_subtract(&split, kind, 0, 4, there);
    lg__kinds_subtract(&split, kind + 4, 4, 3, there + 4);
    CHECK(memcmp(there, less, sizeof less) == 0);
    lg__kinds_add(&join, 0, 2, there);
    lg__kinds_add(&join, 2, 5, there + 2);
    CHECK(memcmp(there, kind, sizeof kind) == 0);
    lg__contexts_end(&split);
    lg__contexts_end(&join);
}

// A value is near the next target, the last one near 0; others are near the
// last payload in their context. With the sign in the lowest bit.
static void
payloads(void)
{
    static const uint32_t less[] = {0, 18, 6, 40, 3, 4, 60};
    uint32_t there[7];
    lg__payloads split = {{kind, 0}, {target, UINT32_MAX}, 7, contexts_new()};
    lg__payloads join = {{kind, 0}, {target, UINT32_MAX}, 7, contexts_new()};
    lg__payloads_subtract(&split, payload, 0, 5, there);
    lg__payloads_subtract(&split, payload + 5, 5, 2, there + 5);
    CHECK(memcmp(there, less, sizeof less) == 0);
    lg__payloads_add(&join, 0, 1, there);
    lg__payloads_add(&join, 1, 6, there + 1);
    CHECK(memcmp(there, payload, sizeof payload) == 0);
    lg__contexts_end(&split.contexts);
    lg__contexts_end(&join.contexts);
}

// Places from the last one on are one context.
static void
far_places(void)
{
    enum { COUNT = LG__CONTEXT_PLACES + 3 };
    static const uint32_t first[] = {0, COUNT};
    static const uint32_t types[] = {0};
    uint8_t there[COUNT];
    uint8_t same[COUNT];
    lg__contexts walk = {.first_edge = {.wide = first},
                         .type = lg_type_ids_wide(types),
                         .node_count = 1};
    REQUIRE(lg__contexts_begin(&walk, 0));
    memset(same, LG_EDGE_INDEX, sizeof same);
    lg__kinds_subtract(&walk, same, 0, COUNT, there);
    for (size_t i = 0; i < COUNT; i++)
        CHECK(there[i] == (i < LG__CONTEXT_PLACES ? LG_EDGE_INDEX : 0));
    lg__contexts_end(&walk);
}

SUITE(payloads)
{
    RUN(kinds);
    RUN(payloads);
    RUN(far_places);
    return test_result();
}

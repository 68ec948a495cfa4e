// Columns turned into planes and back are the same columns.
#include "file/planes.h"
#include "test.h"

static void
check_round_trip(const lg__planes *planes, const uint8_t *column)
{
    size_t length = (size_t)planes->count * planes->width;
    size_t room = lg__planes_room(planes);
    uint8_t *there = malloc(length);
    uint8_t *spare = malloc(room);
    REQUIRE(there != NULL && spare != NULL);
    for (uint64_t at = 0; at < planes->count; at += LG__PLANES_BLOCK)
        lg__planes_split(planes, column, at, spare, there + at * planes->width);
    lg__planes_join(planes, there, spare);
    CHECK(memcmp(there, column, length) == 0);
    free(there);
    free(spare);
}

// All widths of columns, and counts around the size of a block.
static void
round_trips(void)
{
    const uint32_t widths[] = {1, 2, 4, 8, 16, 40};
    const uint64_t counts[] = {1,
                               2,
                               7,
                               LG__PLANES_BLOCK - 1,
                               LG__PLANES_BLOCK,
                               2 * LG__PLANES_BLOCK + 3};
    uint64_t seed = 1;
    size_t most = (2 * LG__PLANES_BLOCK + 3) * 40;
    uint8_t *column = malloc(most);
    REQUIRE(column != NULL);
    for (size_t i = 0; i < most; i++)
        column[i] = (uint8_t)test_random(&seed);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            lg__planes planes = {counts[j], widths[i], false};
            check_round_trip(&planes, column);
            planes.differences = widths[i] == 4 || widths[i] == 8;
            check_round_trip(&planes, column);
        }
    free(column);
}

// The file format promises these bytes.
static void
layout(void)
{
    const uint16_t pairs[3] = {0x0201, 0x0403, 0x0605};
    const uint8_t planes[6] = {1, 3, 5, 2, 4, 6};
    uint8_t spare[64];
    uint8_t out[64];
    lg__planes two = {3, 2, false};
    lg__planes_split(&two, (const void *)pairs, 0, spare, out);
    CHECK(memcmp(out, planes, sizeof planes) == 0);
    const uint32_t numbers[4] = {3, 2, 2, 260};
    const uint8_t differences[8] = {6, 1, 0, 4, 0, 0, 0, 2};
    lg__planes four = {4, 4, true};
    lg__planes_split(&four, (const void *)numbers, 0, spare, out);
    CHECK(memcmp(out, differences, sizeof differences) == 0);
}

SUITE(planes)
{
    RUN(round_trips);
    RUN(layout);
    return test_result();
}

// Columns turned into planes and back are the same columns.
#include "file/planes.h"
#include "test.h"

static void
check_round_trip(const lg__planes *planes, const uint8_t *column)
{
    size_t length = (size_t)planes->count * planes->width;
    uint8_t *there = malloc(length);
    lg__planes_room room = {0};
    REQUIRE(lg__planes_room_fit(&room, planes) && there != NULL);
    lg__planes split = *planes, joined = *planes;
    for (uint64_t at = 0; at < planes->count; at += LG__BLOCK_ELEMENTS) {
        lg__planes_split(&split, column + at * planes->width, at, &room);
        memset(there + at * planes->width, 0,
               lg__block_count(planes->count, at) * planes->width);
        lg__planes_join(&joined, there, at, &room);
    }
    CHECK(memcmp(there, column, length) == 0);
    lg__planes_room_free(&room);
    free(there);
}

// All widths of columns, and counts around the size of a block.
static void
round_trips(void)
{
    const uint32_t widths[] = {1, 2, 4, 8, 16, 40};
    const uint64_t counts[] = {1,
                               2,
                               7,
                               LG__BLOCK_ELEMENTS - 1,
                               LG__BLOCK_ELEMENTS,
                               2 * LG__BLOCK_ELEMENTS + 3};
    uint64_t seed = 1;
    size_t most = (2 * LG__BLOCK_ELEMENTS + 3) * 40;
    uint8_t *column = malloc(most);
    REQUIRE(column != NULL);
    for (size_t i = 0; i < most; i++)
        column[i] = (uint8_t)test_random(&seed);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++) {
            lg__planes planes = {.count = counts[j], .width = widths[i]};
            check_round_trip(&planes, column);
            planes.differences = widths[i] == 4 || widths[i] == 8;
            check_round_trip(&planes, column);
            if (widths[i] == 1 || widths[i] > 8)
                continue;
            planes.key = column + 4;
            planes.key_width = j % 2 ? 1 : 4;
            check_round_trip(&planes, column);
            planes.key_width = 4;
            planes.key_is_size = true;
            check_round_trip(&planes, column);
        }
    free(column);
}

static void
check_layout(lg__planes *planes, const void *column, const uint8_t *expected)
{
    lg__planes_room room = {0};
    REQUIRE(lg__planes_room_fit(&room, planes));
    lg__planes_split(planes, column, 0, &room);
    CHECK(memcmp(room.planes, expected, planes->count * planes->width) == 0);
    lg__planes_room_free(&room);
}

// The file format promises these bytes.
static void
layout(void)
{
    const uint16_t pairs[3] = {0x0201, 0x0403, 0x0605};
    const uint8_t planes[6] = {1, 3, 5, 2, 4, 6};
    check_layout(&(lg__planes){.count = 3, .width = 2}, pairs, planes);
    const uint32_t numbers[4] = {3, 2, 2, 260};
    const uint8_t differences[16] = {6, 1, 0, 4, 0, 0, 0, 2};
    lg__planes four = {.count = 4, .width = 4, .differences = true};
    check_layout(&four, numbers, differences);
    CHECK(four.before == 260);
}

// Sorted by a key of four bytes, where equal keys keep their order.
static void
sorted_layout(void)
{
    const uint32_t keys[4] = {256, 1, 256, 0};
    const uint32_t numbers[4] = {10, 7, 12, 5};
    const uint8_t sorted[16] = {5, 7, 10, 12};
    const uint8_t differences[16] = {10, 4, 6, 4};
    lg__planes four = {
        .count = 4, .width = 4, .key_width = 4, .key = (const uint8_t *)keys};
    check_layout(&four, numbers, sorted);
    four.differences = true;
    check_layout(&four, numbers, differences);
}

// Sorted by the number of 16 bytes of a size.
static void
by_size_layout(void)
{
    const uint32_t sizes[7] = {UINT32_MAX, 17, 0, 32, 1008, 1009, 16};
    const uint16_t numbers[7] = {1, 2, 3, 4, 5, 6, 7};
    const uint8_t sorted[14] = {3, 7, 2, 4, 5, 1, 6};
    lg__planes pairs = {.count = 7,
                        .width = 2,
                        .key_width = 4,
                        .key_is_size = true,
                        .key = (const uint8_t *)sizes};
    check_layout(&pairs, numbers, sorted);
}

SUITE(planes)
{
    RUN(round_trips);
    RUN(layout);
    RUN(sorted_layout);
    RUN(by_size_layout);
    return test_result();
}

// Compact numbers: each is read as it was written, in few bytes.
#include "graph/compact.h"

#include "test.h"

enum { MOST = 5 * LG_COMPACT_BLOCK };

static uint32_t numbers[MOST];
static lg_allocator allocator;

// Returns the bytes of the first numbers, all of which must come back.
static size_t
compact_bytes(size_t count)
{
    lg__compact compact;
    uint32_t copied[MOST];
    uint32_t *to = lg__compact_open(&allocator, count, &compact);
    REQUIRE(to != NULL);
    for (size_t i = 0; i < count; i++)
        to[i] = numbers[i];
    lg__compact_close(&allocator, &compact, count);
    lg__compact_copy(&compact, 0, count, copied);
    for (size_t i = 0; i < count; i++) {
        CHECK(lg__compact_at(&compact, i) == numbers[i]);
        CHECK(copied[i] == numbers[i]);
    }
    const size_t bytes = compact.bytes.capacity;
    lg__compact_free(&allocator, &compact);
    return bytes;
}

// The bytes of blocks with so many bytes a number, and those behind the last.
static size_t
bytes_of(size_t blocks, size_t width)
{
    return blocks * LG_COMPACT_BLOCK * width + sizeof(uint32_t) - width;
}

static void
equal(void)
{
    static const uint32_t ends[] = {0, 1, UINT32_MAX - 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (size_t at = 0; at < MOST; at++)
            numbers[at] = ends[i];
        CHECK(compact_bytes(MOST) == bytes_of(5, 0));
    }
}

// A block needs the bytes of the greatest distance in it, at both borders.
static void
widths(void)
{
    static const uint32_t ranges[] = {0xff, 0xffff, 0xffffff, UINT32_MAX};
    for (unsigned width = 1; width <= 4; width++)
        for (unsigned at = 0; at < LG_COMPACT_BLOCK; at++) {
            const uint32_t range = ranges[width - 1];
            const uint32_t base = UINT32_MAX - range;
            for (size_t i = 0; i < MOST; i++)
                numbers[i] = base + (uint32_t)(i % LG_COMPACT_BLOCK == at
                                                   ? range
                                                   : i % 2 * (range / 3));
            CHECK(compact_bytes(MOST) == bytes_of(5, width));
            for (size_t i = 0; width < 4 && i < MOST; i++)
                numbers[i] = i % LG_COMPACT_BLOCK == at ? range + 1 : 0;
            CHECK(width == 4 || compact_bytes(MOST) == bytes_of(5, width + 1));
        }
}

// Blocks that are not full, and none at all.
static void
borders(void)
{
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = (uint32_t)(i * 2654435761u);
    for (size_t count = 0; count <= MOST; count++)
        CHECK(compact_bytes(count) <= (count + 1) * sizeof(uint32_t));
}

// Blocks of all widths beside each other.
static void
drawn(void)
{
    uint64_t seed = 7;
    for (unsigned round = 0; round < 1000; round++) {
        unsigned bits = 0;
        for (size_t i = 0; i < MOST; i++) {
            if (i % LG_COMPACT_BLOCK == 0)
                bits = test_random(&seed) % 33;
            numbers[i] =
                (uint32_t)((uint64_t)test_random(&seed) >> (32 - bits));
        }
        compact_bytes(MOST - round % LG_COMPACT_BLOCK);
    }
}

// Returns whether the first numbers, made compact in a block that has just room
// for them, come back from a block that has no byte too many.
static bool
returns_in_place(size_t count)
{
    lg_compact_block blocks[MOST / LG_COMPACT_BLOCK];
    uint32_t room[MOST];
    uint32_t *block = malloc(count * sizeof *block);
    REQUIRE(block != NULL);
    memcpy(block, numbers, count * sizeof *block);
    const size_t used = lg__compact_write(block, count, blocks);
    char *bytes = malloc(used);
    REQUIRE(bytes != NULL && used <= count * sizeof *block);
    memcpy(bytes, block, used);
    const lg_compact compact = {.block = blocks, .bytes = bytes};
    const uint32_t *some = lg__compact_some(&compact, 0, count, room);
    const bool same = memcmp(some, numbers, count * sizeof *some) == 0;
    free(bytes);
    free(block);
    return same;
}

static void
in_place(void)
{
    for (unsigned bits = 0; bits <= 32; bits++) {
        for (size_t i = 0; i < MOST; i++)
            numbers[i] = (uint32_t)((uint64_t)(i * 2654435761u % UINT32_MAX) >>
                                    (32 - bits));
        for (size_t count = 1; count <= MOST; count++)
            CHECK(returns_in_place(count));
    }
}

// The last of the numbers that are at most another one, between any borders.
static void
found(void)
{
    static lg_compact_block blocks[MOST / LG_COMPACT_BLOCK];
    static uint32_t room[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = i < 150 ? i / 3 : i < 200 ? 50 : i * i;
    memcpy(room, numbers, sizeof room);
    lg__compact_write(room, MOST, blocks);
    const lg_compact compact = {.block = blocks, .bytes = (char *)room};
    for (uint32_t low = 0; low < MOST; low += 7)
        for (uint32_t high = low; high < MOST; high += 9) {
            uint32_t last = low;
            while (last < high && numbers[last + 1] <= numbers[low] + 1)
                last++;
            CHECK(lg__compact_find(&compact, numbers[low] + 1, low, high) ==
                  last);
            CHECK(lg__compact_find(&compact, UINT32_MAX, low, high) == high);
        }
}

// Numbers that stay as they are.
static void
wide(void)
{
    static const uint32_t plain[] = {7, 0, UINT32_MAX};
    const lg_compact compact = {.wide = plain};
    CHECK(lg_compact_at(&compact, 2) == UINT32_MAX);
    CHECK(lg_compact_ahead(&compact, 1) == plain + 1);
    CHECK(lg__compact_some(&compact, 1, 2, NULL) == plain + 1);
}

typedef struct shortage {
    unsigned left; // allocations that still succeed
} shortage;

static void *
scarce_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    shortage *state = context;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return state->left > 0 && state->left-- > 0 ? realloc(old, new_size) : NULL;
}

// The third allocation only makes a block shorter, so it is not needed.
static void
without_memory(void)
{
    for (unsigned left = 0; left < 3; left++) {
        shortage state = {left};
        const lg_allocator scarce = {.resize = scarce_resize,
                                     .context = &state};
        lg__compact compact;
        uint32_t *to = lg__compact_open(&scarce, MOST, &compact);
        CHECK((to != NULL) == (left >= 2));
        for (uint32_t i = 0; to != NULL && i < MOST; i++)
            to[i] = i * i;
        if (to != NULL)
            lg__compact_close(&scarce, &compact, MOST);
        for (uint32_t i = 0; to != NULL && i < MOST; i++)
            CHECK(lg__compact_at(&compact, i) == i * i);
        lg__compact_free(&scarce, &compact);
    }
}

SUITE(compact)
{
    allocator = lg_allocator_default();
    RUN(equal);
    RUN(widths);
    RUN(borders);
    RUN(drawn);
    RUN(in_place);
    RUN(found);
    RUN(wide);
    RUN(without_memory);
    return test_result();
}

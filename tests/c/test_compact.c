// Compact numbers: each is read as it was written, in few bytes.
#include "graph/compact.h"

#include "test.h"

enum { MOST = 5 * LG__COMPACT_BLOCK };

static uint32_t numbers[MOST];
static lg_allocator allocator;

// Makes numbers compact in a block that has them.
static void
check_taken(size_t count, size_t bytes)
{
    lg__compact compact;
    lg__vector block = {.element = 1};
    REQUIRE(lg__vector_reserve(&allocator, &block, lg__compact_room(count)));
    memcpy(block.data, numbers, count * sizeof *numbers);
    REQUIRE(lg__compact_take(&allocator, &block, count, &compact));
    for (size_t i = 0; i < count; i++)
        CHECK(lg__compact_at(&compact, i) == numbers[i]);
    CHECK(compact.bytes.capacity == bytes);
    lg__compact_free(&allocator, &compact);
}

// Numbers that are written one by one are the same, in as many bytes.
static void
check_writer(size_t count, size_t bytes)
{
    lg__compact_writer writer = {.allocator = &allocator};
    for (size_t i = 0; i < count; i++)
        REQUIRE(lg__compact_add(&writer, numbers[i]));
    REQUIRE(lg__compact_end(&writer));
    for (size_t i = 0; i < count; i++)
        CHECK(lg__compact_at(&writer.numbers, i) == numbers[i]);
    CHECK(count == 0 || writer.numbers.bytes.capacity == bytes);
    lg__compact_free(&allocator, &writer.numbers);
}

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
    check_taken(count, bytes);
    check_writer(count, bytes);
    return bytes;
}

// The bytes of blocks with so many bytes a number, and those behind the last.
static size_t
bytes_of(size_t blocks, size_t width)
{
    return blocks * LG__COMPACT_BLOCK * width + sizeof(uint32_t);
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
        for (unsigned at = 0; at < LG__COMPACT_BLOCK; at++) {
            const uint32_t range = ranges[width - 1];
            const uint32_t base = UINT32_MAX - range;
            for (size_t i = 0; i < MOST; i++)
                numbers[i] = base + (uint32_t)(i % LG__COMPACT_BLOCK == at
                                                   ? range
                                                   : i % 2 * (range / 3));
            CHECK(compact_bytes(MOST) == bytes_of(5, width));
            for (size_t i = 0; width < 4 && i < MOST; i++)
                numbers[i] = i % LG__COMPACT_BLOCK == at ? range + 1 : 0;
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
        CHECK(compact_bytes(count) <=
              bytes_of((count + LG__COMPACT_BLOCK - 1) / LG__COMPACT_BLOCK,
                       sizeof(uint32_t)));
}

// Blocks of all widths beside each other.
static void
drawn(void)
{
    uint64_t seed = 7;
    for (unsigned round = 0; round < 1000; round++) {
        unsigned bits = 0;
        for (size_t i = 0; i < MOST; i++) {
            if (i % LG__COMPACT_BLOCK == 0)
                bits = test_random(&seed) % 33;
            numbers[i] =
                (uint32_t)((uint64_t)test_random(&seed) >> (32 - bits));
        }
        compact_bytes(MOST - round % LG__COMPACT_BLOCK);
    }
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
    RUN(without_memory);
    return test_result();
}

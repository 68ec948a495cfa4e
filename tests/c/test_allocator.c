// Blocks that return to the system when they are freed.
#include "base/base_private.h"
#include "scarce.h"
#include "test.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPED = 1 << 18, MOST = 3 << 20 };

static const size_t sizes[] = {
    0,          1,       16,      4096,          MAPPED - 1, MAPPED,
    MAPPED + 1, 1 << 20, 2 << 20, (2 << 20) + 1, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Writes a pattern, or returns whether it is still there.
static void
fill(uint8_t *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        block[i] = (uint8_t)(i * 7 + 1);
}

static bool
is_filled(const uint8_t *block, size_t size)
{
    size_t i = 0;
    while (i < size && block[i] == (uint8_t)(i * 7 + 1))
        i++;
    return i == size;
}

static void
each_size(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        uint8_t *block = lg__alloc(sizes[i]);
        uint8_t *zeroes = lg__calloc(1, sizes[i]);
        REQUIRE(block != NULL && zeroes != NULL && block != zeroes);
        CHECK((uintptr_t)block % 16 == 0 && (uintptr_t)zeroes % 16 == 0);
        size_t zero = 0;
        while (zero < sizes[i] && zeroes[zero] == 0)
            zero++;
        CHECK(zero == sizes[i]);
        fill(block, sizes[i]);
        fill(zeroes, sizes[i]);
        CHECK(is_filled(block, sizes[i]) && is_filled(zeroes, sizes[i]));
        lg__free(block);
        lg__free(zeroes);
    }
    lg__free(NULL);
}

// What was there stays, whichever of the two kinds a block was and becomes.
static void
each_resize(void)
{
    for (size_t i = 0; i < SIZES * SIZES; i++) {
        size_t from = sizes[i / SIZES], to = sizes[i % SIZES];
        uint8_t *block = lg__alloc(from);
        REQUIRE(block != NULL);
        fill(block, from);
        block = lg__realloc(block, to);
        REQUIRE(block != NULL);
        CHECK((uintptr_t)block % 16 == 0);
        CHECK(is_filled(block, from < to ? from : to));
        fill(block, to);
        lg__free(block);
    }
    uint8_t *block = lg__realloc(NULL, 3);
    REQUIRE(block != NULL);
    lg__free(block);
}

// Growing arrays lie between others, so some of them move.
static void
growing_together(void)
{
    enum { ARRAYS = 4, STEP = MAPPED - 100 };
    uint8_t *array[ARRAYS] = {0};
    for (size_t size = STEP; size <= MOST; size += STEP)
        for (size_t i = 0; i < ARRAYS; i++) {
            array[i] = lg__realloc(array[i], size);
            REQUIRE(array[i] != NULL);
            if (size > STEP)
                CHECK(is_filled(array[i], size - STEP));
            fill(array[i], size);
        }
    for (size_t i = 0; i < ARRAYS; i++)
        lg__free(array[i]);
}

static void
too_large(void)
{
    CHECK(lg__alloc(SIZE_MAX) == NULL);
    CHECK(lg__alloc(SIZE_MAX / 2) == NULL);
    CHECK(lg__calloc(SIZE_MAX / 2, 3) == NULL);
    for (size_t i = 0; i < SIZES; i++) {
        uint8_t *block = lg__alloc(sizes[i]);
        REQUIRE(block != NULL);
        fill(block, sizes[i]);
        CHECK(lg__realloc(block, SIZE_MAX) == NULL);
        CHECK(lg__realloc(block, SIZE_MAX / 2) == NULL);
        CHECK(is_filled(block, sizes[i]));
        lg__free(block);
    }
}

static void
without_memory(void)
{
    uint8_t *small = lg__alloc(100);
    uint8_t *large = lg__alloc(MAPPED);
    REQUIRE(small != NULL && large != NULL);
    fill(small, 100);
    fill(large, MAPPED);
    malloc_left = 0;
    CHECK(lg__alloc(100) == NULL);
    malloc_left = 0;
    CHECK(lg__calloc(1, 100) == NULL);
    malloc_left = 0;
    CHECK(lg__realloc(small, 200) == NULL);
    malloc_left = 0;
    CHECK(lg__realloc(large, 200) == NULL);
    malloc_left = -1;
    CHECK(is_filled(small, 100) && is_filled(large, MAPPED));
    lg__free(small);
    lg__free(large);
}

// The system says whether it has pages there.
static bool
is_mapped(uintptr_t address)
{
    unsigned char resident;
    return mincore((void *)(address & ~(uintptr_t)4095), 1, &resident) == 0;
}

static void
large_blocks_return(void)
{
    uint8_t *block = lg__calloc(MOST, 1);
    REQUIRE(block != NULL);
    uintptr_t begin = (uintptr_t)block, middle = begin + MOST / 2;
    CHECK(is_mapped(begin) && is_mapped(middle));
    lg__free(block);
    CHECK(!is_mapped(begin) && !is_mapped(middle));
}

static size_t
count_resident(const uint8_t *block, size_t size)
{
    unsigned char resident[MOST / 4096 + 2];
    const uintptr_t begin = (uintptr_t)block & ~(uintptr_t)4095;
    const size_t length = (uintptr_t)block + size - begin;
    size_t count = 0;
    REQUIRE(mincore((void *)begin, length, resident) == 0);
    for (size_t i = 0; i < (length + 4095) / 4096; i++)
        count += resident[i] & 1;
    return count;
}

// The first page has the size of the block.
static void
sparse_blocks(void)
{
    for (size_t i = 0; i < SIZES; i++) {
        uint8_t *block = lg__sparse_calloc(1, sizes[i]);
        REQUIRE(block != NULL);
        CHECK((uintptr_t)block % 16 == 0);
        if (sizes[i] == MOST) {
            block[MOST / 2] = 1;
            CHECK(count_resident(block, MOST) <= 2);
            block[MOST / 2] = 0;
        }
        size_t zero = 0;
        while (zero < sizes[i] && block[zero] == 0)
            zero++;
        CHECK(zero == sizes[i]);
        fill(block, sizes[i]);
        block = lg__realloc(block, 2 * (size_t)MOST);
        REQUIRE(block != NULL);
        CHECK(is_filled(block, sizes[i]));
        lg__free(block);
    }
    CHECK(lg__sparse_calloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(lg__sparse_calloc(1, SIZE_MAX) == NULL);
    CHECK(lg__sparse_calloc(1, SIZE_MAX / 2) == NULL);
}

// Who must not call malloc gets mappings for short blocks, too, and may free
// them later.
static void
mapped_only(void)
{
    lg__map_all_blocks(true);
    malloc_left = 0;
    uint8_t *block = lg__alloc(10);
    uint8_t *zeroes = lg__calloc(2, 5);
    REQUIRE(block != NULL && zeroes != NULL);
    memset(block, 7, 10);
    CHECK(zeroes[9] == 0);
    block = lg__realloc(block, 1 << 20);
    REQUIRE(block != NULL);
    CHECK(block[9] == 7);
    lg__free(zeroes);
    malloc_left = -1;
    lg__map_all_blocks(false);
    lg__free(block);
    malloc_left = 0;
    CHECK(lg__alloc(10) == NULL);
    malloc_left = -1;
}

SUITE(allocator)
{
    RUN(each_size);
    RUN(sparse_blocks);
    RUN(each_resize);
    RUN(growing_together);
    RUN(too_large);
    RUN(without_memory);
    RUN(large_blocks_return);
    RUN(mapped_only);
    return test_result();
}

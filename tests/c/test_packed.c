// Packed numbers: each is read as it was written, in few bytes.
#include "graph/packed.h"

#include "test.h"

enum { MOST = 5 * LG_PACKED_BLOCK };

static uint64_t numbers[MOST];
static lg_allocator allocator;

// Packs the first numbers. Returns the bytes of all blocks.
static size_t
pack(size_t count, lg__packing *packing, lg_packed *out)
{
    REQUIRE(lg__packing_open(&allocator, count, packing));
    for (size_t i = 0; i < count;) {
        uint64_t complements[LG_PACKED_BLOCK];
        size_t given = 0;
        while (given < LG_PACKED_BLOCK && i < count)
            complements[given++] = ~numbers[i++];
        REQUIRE(lg__packing_add(&allocator, packing, complements, given));
    }
    REQUIRE(lg__packing_end(&allocator, packing, out));
    CHECK(packing->block.count == lg_packed_blocks(count));
    return packing->block.count * sizeof(lg_packed_block) +
           packing->word.count * sizeof(uint64_t);
}

// Returns the bytes of the numbers, all of which must come back and be found.
static size_t
packed_bytes(size_t count)
{
    lg__packing packing;
    lg_packed packed;
    const size_t bytes = pack(count, &packing, &packed);
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = lg__packed_find(&packed, count, numbers[i]);
        CHECK(lg_packed_at(&packed, i) == numbers[i]);
        CHECK(at <= i && numbers[at] == numbers[i]);
    }
    lg__packing_free(&allocator, &packing);
    return bytes;
}

// The bytes of blocks that have `width` bits and `listed` numbers each.
static size_t
bytes_of(size_t blocks, size_t width, size_t listed)
{
    return blocks * (sizeof(lg_packed_block) + LG_PACKED_BLOCK / 8 * width +
                     8 * listed) +
           8;
}

static void
equal(void)
{
    static const uint64_t ends[] = {0, 1, 16, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (size_t at = 0; at < MOST; at++)
            numbers[at] = ends[i];
        CHECK(packed_bytes(MOST) == bytes_of(5, 0, 0));
    }
}

// Even steps need 7 bits for the 128 numbers of a block, near or far.
static void
even(void)
{
    static const uint64_t steps[] = {1, 64, 3 << 8, UINT64_C(1) << 33};
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++) {
        for (size_t i = 0; i < MOST; i++)
            numbers[i] = 0x7f0000000000u + steps[step] * i;
        CHECK(packed_bytes(MOST) ==
              bytes_of(5, steps[step] == 3 << 8 ? 9 : 7, 0));
    }
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = 0x7f0000000000u + 64 * i + (i == 3);
    CHECK(packed_bytes(MOST) == bytes_of(5, 7, 0) + 6 * LG_PACKED_BLOCK / 8);
}

// Blocks that are not full, and none at all.
static void
borders(void)
{
    static const size_t counts[] = {1, 2, 127, 128, 129, 255, 256, 257, MOST};
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = (i * 2654435761u) % 100000;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        packed_bytes(counts[i]);
    CHECK(packed_bytes(0) == bytes_of(0, 0, 0));
}

// A few numbers far from the others are listed, below and above them.
static void
far(void)
{
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = 0x555500000000u + 16 * i;
    numbers[1] = 0;
    numbers[2] = UINT64_MAX;
    numbers[3] = 0x555500000000u + 16 * 128 + 1;
    for (size_t i = 4; i < 7; i++)
        numbers[i] = 0x7fff00000000u + i;
    CHECK(packed_bytes(LG_PACKED_BLOCK) == bytes_of(1, 8, 6) ||
          packed_bytes(LG_PACKED_BLOCK) == bytes_of(1, 12, 5));
}

// Numbers that have nothing in common take a word and a byte each.
static void
worst(void)
{
    uint64_t seed = 11;
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = (uint64_t)test_random(&seed) << 32 | test_random(&seed);
    CHECK(packed_bytes(MOST) <= bytes_of(5, 8, LG_PACKED_BLOCK));
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = i % 2 != 0 ? UINT64_MAX - i : i;
    CHECK(packed_bytes(MOST) <= bytes_of(5, 8, LG_PACKED_BLOCK / 2));
}

// Each width, with each number of far ones.
static void
drawn(void)
{
    uint64_t seed = 7;
    for (unsigned width = 0; width < 64; width++)
        for (unsigned often = 1; often < 40; often += 6) {
            const uint64_t base = (uint64_t)test_random(&seed) << 20;
            for (size_t i = 0; i < MOST; i++) {
                const uint64_t any =
                    (uint64_t)test_random(&seed) << 32 | test_random(&seed);
                numbers[i] = test_random(&seed) % 40 < often
                                 ? base + (any >> (63 - width))
                                 : any >> test_random(&seed) % 64;
            }
            packed_bytes(MOST - width);
        }
}

// What is not there is not found, also where a block has numbers around it.
static void
missing(void)
{
    lg__packing packing;
    lg_packed packed;
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = 1000 + 16 * i;
    pack(MOST - 1, &packing, &packed);
    CHECK(lg__packed_find(&packed, MOST - 1, numbers[MOST - 1]) == MOST - 1);
    CHECK(lg__packed_find(&packed, MOST - 1, 999) == MOST - 1);
    CHECK(lg__packed_find(&packed, MOST - 1, 1001) == MOST - 1);
    CHECK(lg__packed_find(&packed, MOST - 1, 0) == MOST - 1);
    CHECK(lg__packed_find(&packed, MOST - 1, UINT64_MAX) == MOST - 1);
    CHECK(lg__packed_find(&packed, MOST - 1, 1000) == 0);
    lg__packing_free(&allocator, &packing);
}

static bool
is_number(uint64_t word)
{
    for (size_t i = 0; i < MOST; i++)
        if (numbers[i] == word)
            return true;
    return false;
}

// Addresses of a heap, and some far from it: a word like one of them would be a
// pointer, and what is there would seem to be held.
static void
no_word_is_an_address(void)
{
    lg__packing packing;
    lg_packed packed;
    for (size_t i = 0; i < MOST; i++)
        numbers[i] = (i % 16 == 5 ? UINT64_C(0x5581a0000000)
                                  : UINT64_C(0x7f2b40000000)) +
                     i * 48;
    pack(MOST, &packing, &packed);
    size_t listed = 0;
    for (size_t i = 0; i < packing.block.count; i++) {
        CHECK(!is_number(packed.block[i].base));
        listed += packed.block[i].listed;
    }
    for (size_t i = 0; i < packing.word.count; i++)
        CHECK(!is_number(packed.word[i]));
    CHECK(listed == MOST / 16);
    lg__packing_free(&allocator, &packing);
}

SUITE(packed)
{
    allocator = lg_allocator_default();
    RUN(equal);
    RUN(even);
    RUN(borders);
    RUN(far);
    RUN(worst);
    RUN(drawn);
    RUN(missing);
    RUN(no_word_is_an_address);
    return test_result();
}

// Scans of several numbers at a time find what a scan of single numbers finds.
#include "base/simd.h"
#include "test.h"

enum { MOST = 200 };

static uint64_t
slow_at_least(const uint32_t *numbers, uint64_t from, uint64_t count,
              uint32_t limit)
{
    while (from < count && numbers[from] < limit)
        from++;
    return from;
}

static uint64_t
slow_above(const uint32_t *numbers, const uint32_t *others, uint64_t from,
           uint64_t count)
{
    while (from < count && numbers[from] <= others[from])
        from++;
    return from;
}

// Numbers near the limits; one in `rarity` of them exceeds a limit.
static uint32_t
draw(uint64_t *seed, uint32_t limit, unsigned rarity)
{
    bool beyond = test_random(seed) % rarity == 0;
    uint32_t little = (uint32_t)test_random(seed) & 3;
    if (beyond)
        return limit + little < limit ? UINT32_MAX : limit + little;
    return limit > little ? limit - 1 - little : 0;
}

static void
check_limit(uint32_t limit, unsigned rarity, uint64_t seed)
{
    uint32_t numbers[MOST];
    for (uint32_t i = 0; i < MOST; i++)
        numbers[i] = draw(&seed, limit, rarity);
    for (uint64_t from = 0; from <= MOST; from += 1 + from % 7)
        for (uint64_t count = from; count <= MOST; count += 1 + count % 5)
            CHECK(lg__first_at_least(numbers, from, count, limit) ==
                  slow_at_least(numbers, from, count, limit));
}

static void
finds_numbers_at_a_limit(void)
{
    static const uint32_t limits[] = {1, 2, 1000, 1u << 31, UINT32_MAX};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (unsigned rarity = 3; rarity < 400; rarity *= 5)
            check_limit(limits[i], rarity, i * 1000 + rarity);
}

static void
finds_numbers_above_others(void)
{
    uint64_t seed = 5;
    for (int round = 0; round < 200; round++) {
        uint32_t numbers[MOST], others[MOST];
        for (uint32_t i = 0; i < MOST; i++) {
            others[i] = (uint32_t)test_random(&seed);
            bool above = test_random(&seed) % 60 == 0;
            numbers[i] = above ? others[i] | 1 : others[i] & 0xfffffff0;
        }
        uint64_t from = test_random(&seed) % MOST;
        CHECK(lg__first_above(numbers, others, from, MOST) ==
              slow_above(numbers, others, from, MOST));
        CHECK(lg__first_above(others, others, 0, MOST) == MOST);
    }
}

static void
finds_bytes(void)
{
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        uint8_t bytes[MOST], others[MOST];
        for (uint32_t i = 0; i < MOST; i++) {
            others[i] = (uint8_t)test_random(&seed);
            bytes[i] = test_random(&seed) % 60 == 0 ? (uint8_t)(others[i] | 1)
                                                    : others[i] & 0xfe;
        }
        const uint8_t limit = (uint8_t)(254 - round % 3);
        const uint64_t from = test_random(&seed) % MOST;
        uint64_t large = from, above = from;
        while (large < MOST && bytes[large] < limit)
            large++;
        while (above < MOST && bytes[above] <= others[above] &&
               bytes[above] < limit)
            above++;
        CHECK(lg__first_byte_at_least(bytes, from, MOST, limit) == large);
        CHECK(lg__first_byte_above(bytes, others, from, MOST, limit) == above);
    }
}

static void
finds_where_numbers_fall(void)
{
    uint32_t numbers[MOST + 1];
    for (uint64_t place = 0; place <= MOST; place++) {
        for (uint32_t at = 0; at <= MOST; at++)
            numbers[at] = 1 + at / 3 * 1000 - (at == place + 1);
        for (uint64_t count = 0; count <= MOST; count += 1 + count % 3) {
            const bool falls = place < count && (place + 1) % 3 != 0;
            CHECK(lg__first_fall(numbers, count) == (falls ? place : count));
        }
    }
}

SUITE(simd)
{
    RUN(finds_numbers_at_a_limit);
    RUN(finds_numbers_above_others);
    RUN(finds_bytes);
    RUN(finds_where_numbers_fall);
    return test_result();
}

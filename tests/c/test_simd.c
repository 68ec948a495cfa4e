// Scans of several numbers at a time find what a scan of single numbers finds.
#include "base/simd.h"
#include "test.h"

#include <leakgraph/base.h>

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

static uint64_t
slow_wide_step(const uint64_t *numbers, uint64_t count)
{
    uint64_t i = 0;
    while (i < count && numbers[i + 1] >= numbers[i] &&
           numbers[i + 1] - numbers[i] < UINT32_MAX)
        i++;
    return i;
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

// Steps up to the maximum, then one that exceeds it or goes backwards.
static void
finds_steps_that_are_too_wide(void)
{
    static const uint64_t wrong[] = {UINT32_MAX, (uint64_t)UINT32_MAX + 1,
                                     (uint64_t)1 << 40, UINT64_MAX,
                                     UINT64_MAX - UINT32_MAX};
    uint64_t numbers[MOST + 1];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        for (uint64_t place = 0; place <= MOST; place++) {
            numbers[0] = (uint64_t)1 << 50;
            for (uint64_t at = 0; at < MOST; at++)
                numbers[at + 1] = numbers[at] + (at == place ? wrong[i]
                                                 : at % 3    ? at
                                                             : LG_NONE - 1);
            for (uint64_t count = 0; count <= MOST; count += 1 + count % 3)
                CHECK(lg__first_wide_step(numbers, count) ==
                      slow_wide_step(numbers, count));
        }
    }
}

SUITE(simd)
{
    RUN(finds_numbers_at_a_limit);
    RUN(finds_numbers_above_others);
    RUN(finds_steps_that_are_too_wide);
    return test_result();
}

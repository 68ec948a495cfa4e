// Sorts candidates: those of one place are side by side, the biggest first.
#include "answers/answers_private.h"
#include "test.h"

#include <stdlib.h>

static void
check(const lg__top_candidate *all, uint32_t count, uint32_t places)
{
    bool *left = calloc(places, sizeof *left);
    uint32_t nodes = 0;
    REQUIRE(left != NULL);
    for (uint32_t i = 0; i < count; i++) {
        const lg__top_candidate *one = &all[i];
        uint64_t place = one->place >> 32 ? one->place >> 32 : one->place;
        nodes += one->node;
        CHECK(!left[place % places]);
        if (i + 1 < count && one[1].place == one->place)
            CHECK(one->bytes > one[1].bytes ||
                  (one->bytes == one[1].bytes && one->node < one[1].node));
        else
            left[place % places] = true;
    }
    CHECK(nodes == count * (count - 1) / 2);
    free(left);
}

// Places that differ in their upper half, or in the lower one.
static void
sort(uint32_t count, uint32_t places, unsigned shift)
{
    uint64_t seed = count + places + shift;
    lg__top_candidate *all = calloc(count + 1, sizeof *all);
    REQUIRE(all != NULL);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (lg__top_candidate){
            (uint64_t)((uint32_t)test_random(&seed) % places) << shift,
            (uint32_t)test_random(&seed) % 7, i};
    lg__top_candidates_sort(all, count);
    check(all, count, places);
    free(all);
}

static void
few_and_many(void)
{
    for (unsigned shift = 0; shift <= 32; shift += 32) {
        sort(0, 1, shift);
        sort(1, 1, shift);
        sort(100, 10, shift);
        sort(1000, 10, shift);
        sort(5000, 3000, shift);
    }
}

SUITE(top_candidate)
{
    RUN(few_and_many);
    return test_result();
}

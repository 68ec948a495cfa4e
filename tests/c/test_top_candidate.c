// Groups candidates: those of one place are side by side.
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
        left[place % places] = i + 1 == count || one[1].place != one->place;
        CHECK(i == 0 || (uint32_t)one[-1].place <= (uint32_t)one->place);
    }
    CHECK(nodes == count * (count - 1) / 2);
    free(left);
}

// Places that differ in their upper half, or in the lower one.
static void
group(uint32_t count, uint32_t places, unsigned shift)
{
    uint64_t seed = count + places + shift;
    lg__top_candidate *all = calloc(count + 1, sizeof *all);
    REQUIRE(all != NULL);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (lg__top_candidate){
            (uint64_t)((uint32_t)test_random(&seed) % places) << shift,
            (uint32_t)test_random(&seed) % 7, i};
    lg__top_candidates_group(all, count);
    check(all, count, places);
    free(all);
}

static void
few_and_many(void)
{
    for (unsigned shift = 0; shift <= 32; shift += 32) {
        group(0, 1, shift);
        group(1, 1, shift);
        group(100, 10, shift);
        group(1000, 10, shift);
        group(5000, 3000, shift);
    }
}

static void
the_biggest_leads(void)
{
    lg__top_candidate all[] = {{1, 5, 40}, {1, 9, 30}, {1, 7, 20}, {1, 9, 10}};
    lg__top_candidates_lead(all, 4);
    CHECK(all[0].node == 10 && all[3].node == 40);
    lg__top_candidates_lead(all + 1, 3);
    CHECK(all[1].node == 30);
    lg__top_candidates_lead(all, 1);
    CHECK(all[0].node == 10);
}

SUITE(top_candidate)
{
    RUN(few_and_many);
    RUN(the_biggest_leads);
    return test_result();
}

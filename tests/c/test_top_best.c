// The biggest of many items are kept, in whatever order they come.
#include "answers/top_parts.h"
#include "test.h"

static void
the_biggest_are_kept(void)
{
    enum { ITEMS = 7, MOST = 3 };
    uint32_t left_out = 0;
    for (uint32_t turn = 0; turn < ITEMS; turn++) {
        lg__top_best best = {.most = MOST};
        uint32_t all = 0;
        for (uint32_t i = 0; i < ITEMS; i++) {
            const uint32_t nodes[2] = {(i + turn) * 3 % ITEMS, 100};
            const lg__top_item item = {nodes, 2, 10 * nodes[0], nodes[0]};
            REQUIRE(lg__top_best_offer(&best, &item, &left_out));
            all += left_out;
        }
        CHECK(all == 2 * (ITEMS - MOST));
        REQUIRE(lg__top_best_sort(&best) == MOST);
        for (uint32_t i = 0; i < MOST; i++) {
            CHECK(best.items[i].nodes[0] == ITEMS - 1 - i);
            CHECK(best.items[i].nodes[1] == 100);
        }
        lg__top_best_free(&best);
    }
}

static void
nothing_is_kept_of_none(void)
{
    lg__top_best best = {.most = 0};
    uint32_t left_out;
    const uint32_t node = 1;
    CHECK(
        lg__top_best_offer(&best, &(lg__top_item){&node, 1, 10, 0}, &left_out));
    CHECK(left_out == 1 && lg__top_best_sort(&best) == 0);
    lg__top_best_free(&best);
}

SUITE(top_best)
{
    RUN(the_biggest_are_kept);
    RUN(nothing_is_kept_of_none);
    return test_result();
}

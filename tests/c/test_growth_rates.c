// How fast rows grow.
#include "growing.h"
#include "test.h"

static double
rate_of_table(const uint32_t numbers[4])
{
    const growing_heap heaps[] = {{.numbers = numbers[0]},
                                  {.numbers = numbers[1]},
                                  {.numbers = numbers[2]},
                                  {.numbers = numbers[3]}};
    growing_series made = growing_compare(heaps, 4, NULL);
    bool found = made.growth.count == 1 && made.growth.rows[0].gained == 5000;
    double rate = found ? made.growth.rows[0].per_interval : 0;
    growing_forget(&made);
    return rate;
}

// A table has 4,000 bytes for up to 100 references, and then 9,000. Each takes
// what the table gained for each new one: no less than when the table is
// fullest, and no more than twice as much.
static void
a_table_that_jumps_has_a_rate(void)
{
    static const struct {
        uint32_t numbers[4];
        double rate;
    } cases[] = {
        {{50, 100, 150, 200}, 50 * 40},
        {{60, 90, 120, 150}, 30 * (5000.0 / 90)},
        {{95, 100, 105, 110}, 5 * 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double rate = rate_of_table(cases[i].numbers);
        CHECK(rate > cases[i].rate - 1 && rate < cases[i].rate + 1);
    }
}

// The rest of the place's bytes grows steadily, too. Its 8,000 bytes are
// 53 for each of 150 references.
static void
a_table_jumps_beside_what_grows(void)
{
    const growing_heap heaps[] = {{.numbers = 50},
                                  {.numbers = 100, .padding = 1000},
                                  {.numbers = 150, .padding = 2000},
                                  {.numbers = 200, .padding = 3000}};
    growing_series made = growing_compare(heaps, 4, NULL);
    REQUIRE(made.growth.count == 1);
    double rate = made.growth.rows[0].per_interval;
    CHECK(rate > 2666 && rate < 2668);
    growing_forget(&made);
}

// Weak references go with the members that they accompany, so their bytes are
// part of the members' row.
static void
weak_references_count_with_members(void)
{
    enum { EACH = 1008 + 72 };
    const growing_heap heaps[] = {{.items = 10, .weak = 12},
                                  {.items = 20, .weak = 22},
                                  {.items = 30, .weak = 32}};
    growing_series made = growing_compare(heaps, 3, NULL);
    REQUIRE(made.growth.count == 1);
    const lg_growth_row *row = &made.growth.rows[0];
    CHECK(row->gained == 20 * EACH);
    CHECK(row->bytes[2] - row->bytes[0] == 20 * EACH);
    CHECK(row->per_interval > 10 * EACH - 1);
    CHECK(row->per_interval < 10 * EACH + 1);
    growing_forget(&made);
}

SUITE(growth_rates)
{
    RUN(a_table_that_jumps_has_a_rate);
    RUN(a_table_jumps_beside_what_grows);
    RUN(weak_references_count_with_members);
    return test_result();
}

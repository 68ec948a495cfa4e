// How fast rows grow.
#include "growing.h"
#include "test.h"

// A table that doubles takes for a reference, in the long run, what it takes
// when it is full.
static void
a_table_that_jumps_has_a_rate(void)
{
    const growing_heap heaps[] = {
        {.numbers = 50}, {.numbers = 100}, {.numbers = 150}, {.numbers = 200}};
    growing_series made = growing_compare(heaps, 4, NULL);
    REQUIRE(made.growth.count == 1);
    CHECK(made.growth.rows[0].gained == 5000);
    // Its 4,000 bytes have room for 100 references.
    double rate = made.growth.rows[0].per_interval;
    CHECK(rate > 1999 && rate < 2001);
    growing_forget(&made);
}

// The rest of the place's bytes grows steadily, too. Its 5,000 bytes for 100
// references are the least that a reference takes.
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
    CHECK(rate > 2499 && rate < 2501);
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

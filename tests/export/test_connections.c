// Which connections a server ends: slow ones, and in a crowd the slowest.
#include "serve/connections.h"
#include "test.h"

enum { LIMIT = LG__QUESTION_SECONDS * 1000 };

static lg__connections all;

static void
begin(int count, uint64_t now)
{
    lg__connections_begin(&all);
    for (int i = 0; i < count; i++)
        REQUIRE(lg__connections_add(&all, i, now + (uint64_t)i));
}

static void
a_question_takes_ten_seconds(void)
{
    begin(2, 500);
    CHECK(LIMIT == 10000);
    CHECK(lg__connections_end_one(&all, 500 + LIMIT - 1) == -1);
    CHECK(lg__connections_end_one(&all, 500 + LIMIT) == 0);
    CHECK(lg__connections_end_one(&all, 500 + LIMIT) == -1);
    CHECK(lg__connections_end_one(&all, 500 + LIMIT + 1) == 1);
}

// A long answer is no question.
static void
an_answer_takes_its_time(void)
{
    begin(1, 0);
    all.items[0].is_asking = false;
    CHECK(lg__connections_end_one(&all, 9 * (uint64_t)LIMIT) == -1);
}

static void
the_slowest_of_a_crowd(void)
{
    begin(LG__CONNECTIONS_CROWD, 7);
    all.items[0].is_asking = false;
    CHECK(lg__connections_end_one(&all, 200) == -1);
    REQUIRE(lg__connections_add(&all, 1000, 200));
    CHECK(lg__connections_end_one(&all, 200) == 1);
    CHECK(lg__connections_end_one(&all, 200) == -1);
    lg__connections_remove(&all, &all.items[1]);
    CHECK(all.staying == LG__CONNECTIONS_CROWD);
    lg__connections_remove(&all, &all.items[2]);
    CHECK(all.staying == LG__CONNECTIONS_CROWD - 1);
}

static void
no_more_than_the_most(void)
{
    begin(LG__CONNECTIONS_MOST, 0);
    CHECK(!lg__connections_add(&all, 1000, 0));
    lg__connections_remove(&all, &all.items[9]);
    CHECK(lg__connections_add(&all, 1000, 0) == &all.items[9]);
}

SUITE(connections)
{
    RUN(a_question_takes_ten_seconds);
    RUN(an_answer_takes_its_time);
    RUN(the_slowest_of_a_crowd);
    RUN(no_more_than_the_most);
    return test_result();
}

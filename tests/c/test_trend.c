// Which series of numbers grow, and how fast.
#include "growth/growth_comparison.h"
#include "test.h"

// Each policy of a trend, as a series and what it is.
static void
trends(void)
{
    static const struct {
        uint32_t count;
        double y[8];
        lg__trend trend;
    } cases[] = {
        {2, {1, 2}, LG__TREND_GROWS},
        {2, {2, 2}, LG__TREND_NONE},
        {2, {2, 1}, LG__TREND_NONE},
        {3, {1, 2, 3}, LG__TREND_GROWS},
        {3, {1, 3, 3}, LG__TREND_UNEVEN},
        {3, {1, 1, 2}, LG__TREND_UNEVEN},
        {3, {1, 3, 2}, LG__TREND_NONE},
        {3, {3, 1, 4}, LG__TREND_NONE},
        {3, {0, 10, 20}, LG__TREND_GROWS},
        // The last interval gains three tenths of what the first gains, or
        // less.
        {3, {0, 100, 130}, LG__TREND_GROWS},
        {3, {0, 100, 129}, LG__TREND_UNEVEN},
        // What began late continues.
        {4, {0, 1, 2, 3}, LG__TREND_GROWS},
        {4, {0, 0, 1, 2}, LG__TREND_GROWS},
        {4, {0, 10, 11, 12}, LG__TREND_GROWS},
        {4, {0, 0, 0, 2}, LG__TREND_SETTLED},
        {6, {0, 0, 0, 1, 2, 3}, LG__TREND_GROWS},
        {7, {0, 0, 0, 600, 1000, 1001, 1002}, LG__TREND_UNEVEN},
        // Of many intervals one may pause, but not the last.
        {5, {1, 2, 2, 3, 4}, LG__TREND_GROWS},
        {5, {1, 2, 2, 2, 4}, LG__TREND_UNEVEN},
        {5, {1, 2, 3, 4, 4}, LG__TREND_UNEVEN},
        {5, {1, 9, 2, 8, 3}, LG__TREND_NONE},
        // Two in seven are more than one in four.
        {8, {1, 2, 2, 3, 4, 4, 5, 6}, LG__TREND_UNEVEN},
        // What is idle for more than half of the time has settled.
        {4, {1, 2, 2, 2}, LG__TREND_SETTLED},
        {5, {1, 2, 3, 3, 3}, LG__TREND_UNEVEN},
        {5, {1, 3, 3, 3, 3}, LG__TREND_SETTLED},
        {5, {1, 3, 3, 2, 4}, LG__TREND_NONE},
        // What falls by more than a third of all that it gained is emptied now
        // and then.
        {5, {144, 7400, 106280, 45060, 138932}, LG__TREND_NONE},
        {5, {10, 70, 90, 58, 110}, LG__TREND_GROWS},
        {5, {10, 70, 90, 56, 110}, LG__TREND_NONE},
        // What came and stayed is no growth, unless it gained more.
        {3, {0, 5, 5}, LG__TREND_SETTLED},
        {3, {0, 0, 5}, LG__TREND_SETTLED},
        {5, {0, 0, 5, 9, 9}, LG__TREND_UNEVEN},
    };
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg__trend got = lg__trend_of(x, cases[i].y, cases[i].count);
        if (got != cases[i].trend)
            fprintf(stderr, "case %u: %d\n", (unsigned)i, (int)got);
        CHECK(got == cases[i].trend);
    }
}

// What pauses, and how.
static void
degrees(void)
{
    static const struct {
        uint32_t count;
        double y[6];
        uint32_t idle;
        lg_growth_degree degree;
    } cases[] = {
        {3, {1, 3, 3}, 1, LG_GROWTH_IDLE},
        {5, {1, 2, 3, 3, 3}, 2, LG_GROWTH_IDLE},
        {4, {1, 1, 1, 4}, 0, LG_GROWTH_LATE},
        {3, {0, 100, 129}, 0, LG_GROWTH_SLOWING},
        {4, {50, 80, 88, 90}, 0, LG_GROWTH_SLOWING},
        {5, {50, 80, 80, 88, 90}, 0, LG_GROWTH_SLOWING},
        {4, {1, 3, 3, 4}, 0, LG_GROWTH_IN_BURSTS},
        {6, {10, 15, 15, 20, 20, 25}, 0, LG_GROWTH_IN_BURSTS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(lg__trend_idle(cases[i].y, cases[i].count) == cases[i].idle);
        CHECK(lg__trend_degree(cases[i].y, cases[i].count) == cases[i].degree);
    }
}

static bool
is_near(double number, double expected)
{
    return number > expected - 1e-9 && number < expected + 1e-9;
}

static void
slopes(void)
{
    const double x[] = {0, 1, 2, 3, 5};
    const double line[] = {1, 3, 5, 7, 11};
    const double outlier[] = {1, 3, 5, 700, 11};
    double many[200];
    double at[200];
    for (size_t i = 0; i < 200; i++) {
        at[i] = (double)i;
        many[i] = 4 * (double)i;
    }
    CHECK(is_near(lg__slope_of(x, line, 5), 2));
    CHECK(is_near(lg__slope_of(x, line, 2), 2));
    CHECK(is_near(lg__slope_of(x, line, 1), 0));
    CHECK(is_near(lg__slope_of(x, outlier, 5), 2));
    CHECK(is_near(lg__slope_of(at, many, 200), 4));
}

// Of more than 64 points every second one counts; here the others lie on a
// steeper line.
static void
slopes_of_many(void)
{
    double x[65];
    double y[65];
    for (size_t i = 0; i < 65; i++) {
        x[i] = (double)i;
        y[i] = (i % 2 ? 3 : 1) * (double)i;
    }
    CHECK(!is_near(lg__slope_of(x, y, 64), 1));
    CHECK(is_near(lg__slope_of(x, y, 65), 1));
}

SUITE(trend)
{
    RUN(trends);
    RUN(degrees);
    RUN(slopes);
    RUN(slopes_of_many);
    return test_result();
}

// Distinguishes growth from noise in a few numbers.
#include "growth/growth_comparison.h"

// Growth approaches a limit if it goes on at less than this part of its first
// rate.
static const double SLOWING = 0.3;
// This part of many intervals must rise, because a leak may pause.
static const double RISING = 0.75;

// What falls at once by this part of all that it gained is emptied now and
// then: what goes away while a leak grows is little beside the leak.
static const double EMPTIED = 0.33;

static double
rate(const double *x, const double *y, size_t from, size_t to)
{
    return (y[to] - y[from]) / (x[to] - x[from]);
}

static bool
is_highest(const double *y, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (y[i] >= y[count - 1])
            return false;
    return true;
}

static size_t
count_rises(const double *y, size_t count)
{
    size_t rises = 0;
    for (size_t i = 1; i < count; i++)
        rises += y[i] > y[i - 1];
    return rises;
}

static bool
never_falls(const double *y, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (y[i] < y[i - 1])
            return false;
    return y[count - 1] > y[0];
}

static bool
is_emptied(const double *y, size_t count)
{
    double gained = y[count - 1] - y[0];
    for (size_t i = 1; i < count; i++)
        if (y[i - 1] - y[i] > EMPTIED * gained)
            return true;
    return false;
}

size_t
lg__trend_idle(const double *y, size_t count)
{
    size_t idle = 0;
    while (idle + 1 < count && y[count - 1 - idle] == y[count - 2 - idle])
        idle++;
    return idle;
}

// Returns whether a series that never falls may go on: it gained something
// since it first appeared, and is idle for no more than half of the time since
// then. A program that was idle at the last snapshot still leaks, but what came
// at first and stayed is what the program needs.
static bool
may_go_on(const double *y, size_t count)
{
    while (count > 0 && y[0] == 0) {
        y++;
        count--;
    }
    return count > 1 && y[count - 1] > y[0] &&
           2 * lg__trend_idle(y, count) <= count - 1;
}

lg_growth_degree
lg__trend_degree(const double *y, size_t count)
{
    while (count > 2 && y[0] == 0) {
        y++;
        count--;
    }
    size_t rises = count_rises(y, count);
    if (lg__trend_idle(y, count) > 0)
        return LG_GROWTH_IDLE;
    if (rises == 1 && count > 2)
        return LG_GROWTH_LATE;
    return (double)rises >= RISING * (double)(count - 1) ? LG_GROWTH_SLOWING
                                                         : LG_GROWTH_IN_BURSTS;
}

lg__trend
lg__trend_of(const double *x, const double *y, size_t count)
{
    // What first appears after some snapshots grows from there on.
    while (count > 3 && y[0] == 0) {
        x++;
        y++;
        count--;
    }
    if (count == 2)
        return y[1] > y[0] ? LG__TREND_GROWS : LG__TREND_NONE;
    size_t last = count - 1;
    size_t part = last / 3 > 0 ? last / 3 : 1;
    bool rises = (double)count_rises(y, count) >= RISING * (double)last;
    if (is_highest(y, count) && rises && !is_emptied(y, count) &&
        rate(x, y, last - part, last) >= SLOWING * rate(x, y, 0, part))
        return LG__TREND_GROWS;
    if (!never_falls(y, count))
        return LG__TREND_NONE;
    return may_go_on(y, count) ? LG__TREND_UNEVEN : LG__TREND_SETTLED;
}

static void
sort_numbers(double *numbers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double number = numbers[i];
        size_t at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

double
lg__median_of(double *numbers, size_t count)
{
    sort_numbers(numbers, count);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

double
lg__slope_of(const double *x, const double *y, size_t count)
{
    // The median, over all points, of the median slope at each: as robust as
    // the median of all pairs, and it needs no memory.
    enum { MOST = 64 };
    double slopes[MOST];
    double medians[MOST];
    size_t stride = (count + MOST - 1) / MOST;
    size_t points = 0;
    if (count < 2)
        return 0;
    for (size_t i = 0; i < count; i += stride) {
        size_t kept = 0;
        for (size_t j = 0; j < count; j += stride)
            if (j != i)
                slopes[kept++] = i < j ? rate(x, y, i, j) : rate(x, y, j, i);
        if (kept > 0)
            medians[points++] = lg__median_of(slopes, kept);
    }
    return lg__median_of(medians, points);
}

// Distinguishes growth from noise in a few numbers.
#include "growth/growth_private.h"

// Growth approaches a limit if it goes on at less than this part of its first
// rate.
static const double SLOWING = 0.3;
// This part of many intervals must rise, because a leak may pause.
static const double RISING = 0.75;

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

// Returns whether only the last numbers differ from the highest, so that the
// series does not go up and down.
static bool
is_plateau(const double *y, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (y[i] < y[i - 1])
            return false;
    return y[count - 1] > y[0];
}

lg__trend
lg__trend_of(const double *x, const double *y, size_t count)
{
    // What first appears after the first snapshot grows from there on.
    if (count > 3 && y[0] == 0) {
        x++;
        y++;
        count--;
    }
    if (count == 2)
        return y[1] > y[0] ? LG__TREND_GROWS : LG__TREND_NONE;
    size_t last = count - 1;
    size_t part = last / 3 > 0 ? last / 3 : 1;
    bool rises = (double)count_rises(y, count) >= RISING * (double)last;
    if (is_highest(y, count) && rises &&
        rate(x, y, last - part, last) >= SLOWING * rate(x, y, 0, part))
        return LG__TREND_GROWS;
    return is_plateau(y, count) ? LG__TREND_SETTLED : LG__TREND_NONE;
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

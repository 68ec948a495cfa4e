// Fits a robust line to noisy numbers.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/line.h>

// A line rises if it gains, from its first point to its last, this many times
// the median distance of the numbers from it. For numbers with normal noise and
// no trend, the line gains up to 2.1 times the median distance (10,000 windows
// of 60 points: 99 %).
static const double BAND = 4;
// Growth has stopped if its rate in the last half is less than this part of the
// rate of the whole.
static const double STOPPING = 0.3;

enum { MOST = 64 };

static double
median_distance(const double *x, const double *y, size_t count, double slope)
{
    double distances[MOST];
    size_t stride = (count + MOST - 1) / MOST;
    size_t kept = 0;
    for (size_t i = 0; i < count; i += stride)
        distances[kept++] = y[i] - slope * (x[i] - x[0]);
    double level = lg__median_of(distances, kept);
    for (size_t i = 0; i < kept; i++)
        distances[i] =
            distances[i] < level ? level - distances[i] : distances[i] - level;
    return lg__median_of(distances, kept);
}

lg_line
lg_line_of(const double *x, const double *y, size_t count)
{
    lg_line line = {0};
    if (count < 2)
        return line;
    size_t half = count / 2;
    double later = lg__slope_of(x + half, y + half, count - half);
    line.slope = lg__slope_of(x, y, count);
    line.noise = median_distance(x, y, count, line.slope);
    line.rises = count >= LG_LINE_LEAST && line.slope > 0 &&
                 line.slope * (x[count - 1] - x[0]) > BAND * line.noise &&
                 later >= STOPPING * line.slope;
    return line;
}

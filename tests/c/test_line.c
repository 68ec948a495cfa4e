// Whether noisy numbers rise.
#include "test.h"

#include <leakgraph/internal/line.h>

enum { COUNT = 60 };

typedef double (*series)(size_t i);

// From -1 to 1, the same in every run.
static double
noise(size_t i)
{
    return (double)(i * 7919 % 101) / 50.0 - 1;
}

static double
rising(size_t i)
{
    return 3.0 * (double)i + noise(i);
}

static double
falling(size_t i)
{
    return -rising(i);
}

static double
level(size_t i)
{
    return 100 * noise(i);
}

static double
sawtooth(size_t i)
{
    return (double)(i % 7);
}

static double
filled(size_t i)
{
    return i < COUNT / 2 ? 3.0 * (double)i : 3.0 * COUNT / 2;
}

static double
stepped(size_t i)
{
    return i < COUNT / 3 ? 0 : 1000;
}

// Outliers to both sides, a third of all.
static double
spiked(size_t i)
{
    return rising(i) + (i % 6 == 1 ? 1e6 : i % 6 == 4 ? -1e6 : 0);
}

// It gains this many times the distance of the numbers from it.
static double
steep(size_t i)
{
    return 4.2 * (double)i / (COUNT - 1) + (i % 2 == 0 ? 1 : -1);
}

static double
flat(size_t i)
{
    return 3.8 * (double)i / (COUNT - 1) + (i % 2 == 0 ? 1 : -1);
}

// The last half has a third of the first half's rate, or a tenth.
static double
slowing(size_t i)
{
    size_t half = COUNT / 2;
    return i < half ? (double)i : (double)half + (double)(i - half) / 2;
}

static double
stopping(size_t i)
{
    size_t half = COUNT / 2;
    return i < half ? (double)i : (double)half + (double)(i - half) / 20;
}

static void
lines(void)
{
    static const struct {
        series of;
        bool rises;
    } cases[] = {
        {rising, true},  {falling, false}, {level, false},    {sawtooth, false},
        {filled, false}, {stepped, false}, {spiked, true},    {steep, true},
        {flat, false},   {slowing, true},  {stopping, false},
    };
    double x[COUNT];
    double y[COUNT];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = (double)i;
            y[i] = cases[c].of(i);
        }
        lg_line line = lg_line_of(x, y, COUNT);
        if (line.rises != cases[c].rises)
            fprintf(stderr, "case %u: %g, noise %g\n", (unsigned)c, line.slope,
                    line.noise);
        CHECK(line.rises == cases[c].rises);
    }
}

static void
numbers(void)
{
    double x[200];
    double y[200];
    for (size_t i = 0; i < 200; i++) {
        x[i] = (double)i / 2;
        y[i] = 5 * x[i] + (i % 8 < 4 ? 1 : -1);
    }
    lg_line line = lg_line_of(x, y, 200);
    CHECK(line.slope > 4.9 && line.slope < 5.1);
    CHECK(line.noise > 0.9 && line.noise < 1.1);
    CHECK(line.rises);
    CHECK(!lg_line_of(x, x, LG_LINE_LEAST - 1).rises);
    CHECK(lg_line_of(x, x, LG_LINE_LEAST).rises);
    line = lg_line_of(x, y, 1);
    CHECK(line.slope >= 0 && line.slope <= 0 && !line.rises);
    CHECK(!lg_line_of(x, y, 0).rises);
}

SUITE(line)
{
    RUN(lines);
    RUN(numbers);
    return test_result();
}

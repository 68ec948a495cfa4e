// Distinguishes growth from noise in a few numbers, and says how fast it is and
// how it goes on: steadily, in bursts, up to a limit, or no more. Fits a robust
// line to many.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/line.h>

// A table that grows by jumps gains this many times more in one interval than
// in another.
static const double JUMP = 2;
// A table that has just grown has room for this many times what it has, at
// most: a dict doubles, and a set of up to 50,000 elements quadruples.
static const double ROOM = 2;
static const double ROOM_OF_SET = 4;

double
lg__growth_slope(const lg__comparison *state, const uint64_t *bytes)
{
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = (double)lg__comparison_total(state, bytes, i);
    return lg__slope_of(state->x, state->y, state->count);
}

static double
own_bytes(const lg_places *places, uint32_t place)
{
    double sum = 0;
    for (uint32_t i = 0; i < places->each; i++)
        sum += (double)lg__place_own(places, place)[i];
    return sum;
}

static bool
has_jumps(const double *x, const double *y, uint32_t count)
{
    double least = 0;
    double most = 0;
    for (uint32_t i = 1; i < count; i++) {
        double rate = (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        least = i == 1 || rate < least ? rate : least;
        most = i == 1 || rate > most ? rate : most;
    }
    return most > JUMP * least;
}

// A reference takes no more than this much of a full table. A place that has
// more for each is no table: it has memory of C code, which is as large as it
// is.
static const double MOST_EACH = 256;

static double
references_of(const lg__comparison *state, const uint32_t *at, uint32_t i)
{
    return (double)lg__place_at(state->summaries[i]->places, at[i])->references;
}

// Returns the bytes for each reference when the tables are fullest.
static double
least_each(const lg__comparison *state, const uint32_t *at, const double *y)
{
    double least = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        double count = references_of(state, at, i);
        if (count > 0 && (least == 0 || y[i] / count < least))
            least = y[i] / count;
    }
    return least;
}

// Replaces the own bytes of a place by what its references take: as much, each,
// as the tables gained for each new one. Between few references, they may have
// grown by chance, or not. So it is no less than when the tables are fullest,
// and no more than when they have just grown. It leaves alone what is no table.
static void
smooth(const lg__comparison *state, const uint32_t *at, double room, double *y)
{
    uint32_t last = state->count - 1;
    double least = least_each(state, at, y);
    double each = (y[last] - y[0]) / (references_of(state, at, last) -
                                      references_of(state, at, 0));
    if (least > MOST_EACH)
        return;
    each = each < least ? least : each > room * least ? room * least : each;
    for (uint32_t i = 0; i < state->count; i++)
        y[i] = each * references_of(state, at, i);
}

static double
room_of(const lg__comparison *state, uint32_t place)
{
    lg_string type = lg__places_text(state->newest,
                                     lg__place_at(state->newest, place)->type);
    return lg__string_is(type, "set") ? ROOM_OF_SET : ROOM;
}

static bool
has_more_references(const lg__comparison *state, const uint32_t *at)
{
    return references_of(state, at, state->count - 1) >
           references_of(state, at, 0);
}

double
lg__table_slope(const lg__comparison *state, uint32_t place,
                const uint64_t *beside)
{
    const uint32_t *at = state->at;
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = own_bytes(state->summaries[i]->places, at[i]);
    if (has_jumps(state->x, state->y, state->count) &&
        has_more_references(state, at))
        smooth(state, at, room_of(state, place), state->y);
    for (uint32_t i = 0; beside != NULL && i < state->count; i++)
        state->y[i] += (double)lg__comparison_total(state, beside, i);
    return lg__slope_of(state->x, state->y, state->count);
}

void
lg__growth_rate(const lg__comparison *state, const uint64_t *bytes,
                double slope, lg_growth_row *row)
{
    double span = state->x[state->count - 1] - state->x[0];
    row->gained = lg__comparison_gained(state, bytes);
    if (state->has_steps)
        row->per_step = slope;
    row->per_interval = slope * span / (double)(state->count - 1);
}

// Growth approaches a limit if it goes on at less than this part of its first
// rate.
static const double SLOWING = 0.3;
// This part of many intervals must rise, because a leak may pause.
static const double RISING = 0.75;

// Of more numbers, every so many count.
enum { MOST = 64 };

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

bool
lg__rises_beyond_chance(const double *x, const double *y, uint32_t count)
{
    enum { RISES = 6, EVEN_RISES = 4 };
    static const double EVEN = 2;
    double least = 0;
    double most = 0;
    for (uint32_t i = 1; i < count; i++) {
        double rate = (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        least = i == 1 || rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    return least > 0 &&
           (count > RISES || (count > EVEN_RISES && most <= EVEN * least));
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

// Returns the median of a few numbers, and reorders them; `count` is not 0.
static double
median_of(double *numbers, size_t count)
{
    sort_numbers(numbers, count);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

double
lg__slope_of(const double *x, const double *y, size_t count)
{
    // The median, over all points, of the median slope at each: as robust as
    // the median of all pairs, and it needs no memory.
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
            medians[points++] = median_of(slopes, kept);
    }
    return median_of(medians, points);
}

// A line rises if it gains, from its first point to its last, this many times
// the median distance of the numbers from it. For numbers with normal noise and
// no trend, the line gains up to 2.1 times the median distance (10,000 windows
// of 60 points: 99 %).
static const double BAND = 4;
// Growth has stopped if its rate in the last half is less than this part of the
// rate of the whole.
static const double STOPPING = 0.3;

static double
median_distance(const double *x, const double *y, size_t count, double slope)
{
    double distances[MOST];
    size_t stride = (count + MOST - 1) / MOST;
    size_t kept = 0;
    for (size_t i = 0; i < count; i += stride)
        distances[kept++] = y[i] - slope * (x[i] - x[0]);
    double level = median_of(distances, kept);
    for (size_t i = 0; i < kept; i++)
        distances[i] =
            distances[i] < level ? level - distances[i] : distances[i] - level;
    return median_of(distances, kept);
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

const char *const lg__growth_degrees[] = {
    [LG_GROWTH_STEADY] = "steady",       [LG_GROWTH_SLOWING] = "slowing",
    [LG_GROWTH_IN_BURSTS] = "in bursts", [LG_GROWTH_LATE] = "late",
    [LG_GROWTH_IDLE] = "idle",           [LG_GROWTH_FILLING] = "filling",
    [LG_GROWTH_STOPPED] = "stopped",     [LG_GROWTH_DEGREE_COUNT] = NULL,
};

const char *
lg_growth_degree_name(lg_growth_degree degree)
{
    return (unsigned)degree < LG_GROWTH_DEGREE_COUNT
               ? lg__growth_degrees[degree]
               : "unknown";
}

size_t
lg_growth_growing(const lg_growth *growth)
{
    size_t growing = 0;
    for (size_t i = 0; i < growth->count; i++)
        growing += lg__growth_goes_on(&growth->rows[i]);
    return growing;
}

// Adds up what the rows of lesser degrees gained.
int64_t
lg_growth_kept(const lg_growth *growth)
{
    int64_t sum = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].degree < LG_GROWTH_FILLING)
            sum += growth->rows[i].gained;
    return sum;
}

const char *
lg_growth_unit_text(lg_growth_unit unit)
{
    static const char *const texts[] = {
        [LG_PER_STEP] = "per step",
        [LG_PER_CALL] = "per call",
        [LG_PER_SECOND] = "per second",
        [LG_PER_SNAPSHOT] = "per snapshot",
    };
    return (unsigned)unit < LG_PER_COUNT ? texts[unit] : "per step";
}

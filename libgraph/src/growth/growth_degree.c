// How growth goes on: steadily, in bursts, up to a limit, or no more.
#include "growth/growth_comparison.h"

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

// Reads the series that shows how the row grows: of its objects, or, if their
// number is the same, of its bytes.
static void
read_series(const lg__comparison *state, const lg_growth_row *row)
{
    bool counted = row->counts[state->count - 1] != row->counts[0];
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = counted
                          ? (double)row->counts[i]
                          : (double)lg__comparison_total(state, row->bytes, i);
}

void
lg__growth_set_degree(const lg__comparison *state, lg__pace pace,
                      lg_growth_row *row)
{
    if (pace == LG__PACE_GROWS)
        return;
    read_series(state, row);
    row->idle = (uint32_t)lg__trend_idle(state->y, state->count);
    row->degree = pace == LG__PACE_SETTLED ? LG_GROWTH_STOPPED
                  : pace == LG__PACE_FILLS
                      ? LG_GROWTH_FILLING
                      : lg__trend_degree(state->y, state->count);
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

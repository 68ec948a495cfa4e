// How fast something grows.
#include "growth/growth_rates.h"

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

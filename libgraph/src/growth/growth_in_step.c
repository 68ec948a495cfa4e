// Which objects native memory grows in step with: in each interval it gains
// about as much for each new object of a type. Often these objects have it, as
// a sqlite3.Connection has its pages, by a pointer that only C can read. That
// is a guess, and reports say so.
#include "growth/growth_private.h"
#include "growth/growth_rates.h"

#include <string.h>

// The part by which an interval may differ, and the least bytes for an object:
// less is what malloc adds to any object.
static const double OUT_OF_STEP = 0.25;
static const double LEAST_EACH = 512;
enum { INTERVALS = 2 };

// Returns the bytes for each new object, or 0: they are not in step.
static double
bytes_for_each(const lg__comparison *state, const lg_growth_row *native,
               const uint64_t *counts)
{
    uint32_t last = state->count - 1;
    double objects = (double)counts[last] - (double)counts[0];
    if (last < INTERVALS || objects < last)
        return 0;
    double each = (double)native->gained / objects;
    for (uint32_t i = 1; i <= last; i++) {
        double gained = (double)native->bytes[i * state->each] -
                        (double)native->bytes[(i - 1) * state->each];
        double expected = each * ((double)counts[i] - (double)counts[i - 1]);
        double apart =
            gained > expected ? gained - expected : expected - gained;
        if (expected <= 0 || apart > OUT_OF_STEP * expected)
            return 0;
    }
    return each < LEAST_EACH ? 0 : each;
}

static void
take(const lg__comparison *state, lg_string type, const uint64_t *counts,
     lg_growth_row *native)
{
    double each = bytes_for_each(state, native, counts);
    if (each > (double)native->each_in_step) {
        native->in_step = type;
        native->each_in_step = (uint64_t)each;
    }
}

// Returns whether the type is of a library or of the program: nearly all that
// accumulates brings strings and dicts along.
static bool
is_telling(lg_string type)
{
    return memchr(type.data, '.', type.length) != NULL &&
           !lg__growth_is_own(type);
}

// Looks at what accumulates first, because the other types are its parts.
static void
find(const lg__comparison *state, const lg_growth *growth,
     lg_growth_row *native)
{
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].verdict == LG_GROWTH_ACCUMULATES &&
            is_telling(growth->rows[i].type))
            take(state, growth->rows[i].type, growth->rows[i].counts, native);
    for (size_t i = 0; i < growth->type_count && native->each_in_step == 0; i++)
        if (is_telling(growth->types[i].name))
            take(state, growth->types[i].name, growth->types[i].counts, native);
}

void
lg__growth_in_step(const lg__comparison *state, lg_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++) {
        lg_growth_row *row = &growth->rows[i];
        if (row->verdict == LG_GROWTH_NATIVE &&
            (row->native == LG_NATIVE_MALLOC ||
             row->native == LG_NATIVE_MAPPED))
            find(state, growth, row);
    }
}

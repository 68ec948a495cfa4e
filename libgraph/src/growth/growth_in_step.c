// Which objects native memory grows in step with: in each interval it gains
// about as much for each new object of a type. Often these objects have it, as
// a sqlite3.Connection has its pages, by a pointer that only C can read. That
// is a guess, and reports say so: the row of native memory has the holder of
// these objects. If they gained more than the native memory, their row takes it
// over, as it does with what else only accompanies it. Lost native memory stays
// what it is, because no object has it: its row says which objects lose it.
#include "growth/growth_private.h"
#include "growth/growth_rates.h"
#include "native/native_private.h"

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

// The objects that native memory is in step with.
typedef struct owner {
    lg_string type;
    double each;    // bytes for each new object
    uint32_t place; // they are its members
    uint32_t node;  // one of them, or LG_NONE
} owner;

static void
take(const lg__comparison *state, const lg_growth_row *native,
     const uint64_t *counts, owner made, owner *best)
{
    made.each = bytes_for_each(state, native, counts);
    if (made.each > best->each)
        *best = made;
}

// Looks at the places of a type, of which no row is.
static void
find_place(const lg__comparison *state, const lg_growth_row *native,
           lg_string type, owner *best)
{
    uint32_t name = lg__places_seek(state->newest, type);
    for (uint32_t i = 0; i < state->newest->items.count; i++) {
        const lg__place_item *item = lg__place_at(state->newest, i);
        if (item->type != name)
            continue;
        memset(state->members, 0, state->count * sizeof *state->members);
        lg__comparison_add_members(state, i, state->members);
        uint32_t node = state->analysis != NULL ? item->example : LG_NONE;
        take(state, native, state->members,
             (owner){.type = type, .place = i, .node = node}, best);
    }
}

// Looks at what accumulates first, because the other types are its parts.
static owner
find_owner(const lg__comparison *state, const lg_growth *growth,
           const lg_growth_row *native)
{
    owner best = {.place = LG_NONE, .node = LG_NONE};
    for (size_t i = 0; i < growth->count; i++) {
        const lg_growth_row *row = &growth->rows[i];
        if (row->verdict == LG_GROWTH_ACCUMULATES &&
            lg__growth_is_telling(row->type))
            take(state, native, row->counts,
                 (owner){
                     .type = row->type, .place = row->place, .node = row->node},
                 &best);
    }
    for (size_t i = 0; i < growth->type_count && best.each == 0; i++) {
        const lg_growth_type *type = &growth->types[i];
        if (lg__growth_is_telling(type->name) &&
            bytes_for_each(state, native, type->counts) > 0)
            find_place(state, native, type->name, &best);
    }
    return best;
}

// Returns the row that has the place, or one above it; NULL if none has.
static lg_growth_row *
row_of(const lg__comparison *state, lg_growth *growth, uint32_t place)
{
    for (uint32_t at = place; at != LG_NONE;
         at = lg__place_at(state->newest, at)->parent)
        for (size_t i = 0; i < growth->count; i++)
            if (growth->rows[i].verdict == LG_GROWTH_ACCUMULATES &&
                growth->rows[i].place == at)
                return &growth->rows[i];
    return NULL;
}

// Takes off what there was in the first snapshot: nobody knows whose it is.
static void
keep_gain(const lg__comparison *state, const lg_growth *growth,
          const lg_growth_row *native)
{
    uint64_t *numbers = growth->numbers;
    uint64_t *bytes = numbers + (native->bytes - numbers);
    for (size_t on = 0; on < state->each; on++) {
        const uint64_t first = bytes[on];
        for (size_t i = on; i < (size_t)state->count * state->each;
             i += state->each)
            bytes[i] = bytes[i] > first ? bytes[i] - first : 0;
    }
}

// Gives the row what the native memory has gained.
static void
hand_over(const lg__comparison *state, const lg_growth *growth,
          const lg_growth_row *native, lg_growth_row *row)
{
    keep_gain(state, growth, native);
    lg__growth_add_bytes(state, growth, native, row);
    row->each_in_step += native->each_in_step;
}

// Returns whether the native memory stays a row.
static bool
settle(const lg__comparison *state, lg_growth *growth, lg_growth_row *native)
{
    owner found = find_owner(state, growth, native);
    if (found.place == LG_NONE)
        return true;
    native->in_step = found.type;
    native->each_in_step = (uint64_t)found.each;
    native->place = found.place;
    native->node = found.node;
    lg_growth_row *row = row_of(state, growth, found.place);
    bool is_whole = row != NULL && row->gained >= native->gained;
    if (is_whole)
        hand_over(state, growth, native, row);
    else if (row != NULL)
        row->minor = lg__growth_is_minor(row, native);
    return !is_whole;
}

static bool
is_of_allocators(const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_NATIVE &&
           (row->native == LG_NATIVE_MALLOC || row->native == LG_NATIVE_MAPPED);
}

static bool
is_lost(const lg__comparison *state, const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_ACCUMULATES &&
           lg__string_is(
               lg__places_text(state->newest,
                               lg__place_top(state->newest, row->place)->type),
               LG__NATIVE_LOST);
}

// Notes which objects lose the memory.
static void
set_losers(const lg__comparison *state, const lg_growth *growth,
           lg_growth_row *row)
{
    owner found = find_owner(state, growth, row);
    row->in_step = found.type;
    row->each_in_step = (uint64_t)found.each;
}

void
lg__growth_in_step(const lg__comparison *state, lg_growth *growth)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++)
        if (is_of_allocators(&growth->rows[i]) &&
            !settle(state, growth, &growth->rows[i]))
            growth->rows[i].verdict = LG_GROWTH_VERDICT_COUNT;
        else if (is_lost(state, &growth->rows[i]))
            set_losers(state, growth, &growth->rows[i]);
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].verdict != LG_GROWTH_VERDICT_COUNT)
            growth->rows[kept++] = growth->rows[i];
    growth->count = kept;
}

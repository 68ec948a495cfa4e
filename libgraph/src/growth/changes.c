// Finds how one thing changed from snapshot to snapshot.
//
// A row of a table is compared only if the newest summary says the same of it
// as the row does: a row that has a part of a place, a type or a tally would
// show the growth of the whole. A place that an older file left out may have
// had anything, so its change is unknown.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/changes.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>

typedef struct comparing {
    lg_changes shown;
    const lg_summary *const *summaries;
    size_t count;
    double *x; // [count]
    const lg_analysis *newest;
    lg_places *places;  // of the newest snapshot
    uint32_t *place_of; // [nodes]
} comparing;

// What a summary says of a thing.
typedef struct amount {
    uint64_t objects;
    uint64_t bytes;
} amount;

static uint64_t
sum_at(const lg_summary *summary, uint32_t bytes)
{
    return lg_bytes_sum(lg__summary_bytes_at(summary, bytes),
                        summary->places->each);
}

// Returns false if the summary may have left the place out.
static bool
measure_place(const lg_summary *summary, uint64_t key, bool own, amount *out)
{
    uint32_t place = lg_places_find(summary->places, key);
    if (place == LG_NONE)
        return lg__summary_bytes(summary, LG__SUMMARY_LEAST) <= 0;
    lg_place found = lg_places_at(summary->places, place);
    out->objects = found.members;
    out->bytes =
        lg_bytes_sum(own ? found.own : found.retained, summary->places->each);
    return true;
}

static void
measure_type(const lg_summary *summary, lg_string name, amount *out)
{
    const lg__type_sum *sum = lg__summary_find_type(summary, name);
    if (sum != NULL)
        *out = (amount){sum->count, sum_at(summary, sum->bytes)};
}

static void
measure_tally(const lg_summary *summary, const lg_thing *thing, amount *out)
{
    const lg__tally *tallies = summary->tallies.data;
    for (size_t i = 0; i < summary->tallies.count; i++) {
        lg_string name = lg__places_text(summary->places, tallies[i].name);
        if (tallies[i].kind != (uint32_t)thing->tally ||
            (thing->name.length > 0 &&
             lg__string_compare(name, thing->name) != 0))
            continue;
        out->objects += tallies[i].count;
        out->bytes += sum_at(summary, tallies[i].bytes);
    }
}

static bool
measure(const comparing *state, size_t at, const lg_thing *thing, bool own,
        amount *out)
{
    const lg_summary *summary = state->summaries[at];
    *out = (amount){0, 0};
    switch (thing->kind) {
    case LG_THING_TYPE:
        measure_type(summary, thing->name, out);
        return true;
    case LG_THING_TALLY:
        measure_tally(summary, thing, out);
        return true;
    default:
        return measure_place(
            summary,
            lg_places_at(state->places, state->place_of[thing->node]).key, own,
            out);
    }
}

static bool
is_whole(const amount *newest, const lg_thing *thing)
{
    return (thing->count == 0 || newest->objects == thing->count) &&
           (newest->bytes == thing->bytes ||
            (thing->kind == LG_THING_TALLY && thing->name.length == 0));
}

// Finds which bytes of a place the row has: what its objects retain, or what
// they have by themselves. Returns false if it is neither.
static bool
find_bytes(const comparing *state, const lg_thing *thing, bool *own)
{
    amount newest;
    for (int way = 0; way < 2; way++) {
        *own = way == 1;
        if (measure(state, state->count - 1, thing, *own, &newest) &&
            is_whole(&newest, thing))
            return true;
    }
    return false;
}

// Fills the numbers of all snapshots. Returns false if one of them is unknown.
static bool
fill(const comparing *state, const lg_thing *thing, bool own, double *y,
     lg_change *out)
{
    amount first = {0, 0};
    amount now = {0, 0};
    for (size_t i = 0; i < state->count; i++) {
        if (!measure(state, i, thing, own, &now))
            return false;
        y[i] = (double)now.bytes;
        first = i == 0 ? now : first;
    }
    double slope = lg__slope_of(state->x, y, state->count);
    *out = (lg_change){
        .objects = (int64_t)now.objects - (int64_t)first.objects,
        .bytes = (int64_t)now.bytes - (int64_t)first.bytes,
        .each = (int64_t)(slope < 0 ? slope - 0.5 : slope + 0.5),
    };
    return true;
}

static bool
find(const lg_changes *changes, const lg_thing *thing, lg_change *out)
{
    const comparing *state = (const comparing *)(const void *)changes;
    bool own;
    if ((thing->kind == LG_THING_PLACE && thing->node == LG_NONE) ||
        !find_bytes(state, thing, &own))
        return false;
    double *y = malloc(state->count * sizeof *y);
    bool found = y != NULL && fill(state, thing, own, y, out);
    free(y);
    return found;
}

static void
release(comparing *state)
{
    lg_places_free(state->places);
    lg__places_of_free(state->place_of, state->newest);
    free(state->x);
    free(state);
}

lg_status
lg_changes_new(const lg_summary *const *summaries, size_t count,
               const double *steps, const lg_analysis *newest,
               const lg_monitor *monitor, const lg_changes **out, lg_error *err)
{
    *out = NULL;
    if (count < 2)
        return LG_OK;
    comparing *state = calloc(1, sizeof *state);
    double *x = calloc(count, sizeof *x);
    if (state == NULL || x == NULL) {
        free(state);
        free(x);
        return lg__error_memory(err);
    }
    *state = (comparing){
        .shown = {find,
                  lg_growth_unit_text(steps ? LG_PER_STEP : LG_PER_SNAPSHOT)},
        .summaries = summaries,
        .count = count,
        .x = x,
        .newest = newest,
    };
    for (size_t i = 0; i < count; i++)
        x[i] = steps != NULL ? steps[i] : (double)i;
    lg_status status =
        lg__places_walk(newest, monitor, &state->places, &state->place_of, err);
    if (status == LG_OK)
        *out = &state->shown;
    else
        release(state);
    return status;
}

void
lg_changes_free(const lg_changes *changes)
{
    if (changes != NULL)
        release((comparing *)(void *)changes);
}

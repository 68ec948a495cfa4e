// Finds how one thing changed from snapshot to snapshot.
//
// A row of a table is compared only if the newest summary says the same of it
// as the row does: a row that has a part of a place, a type or a tally would
// show the growth of the whole. A place that an older file left out may have
// had anything, so its change is unknown. What rows of an answer are about has
// a key that every snapshot computes alike; rows with one key count together,
// so none of them is compared.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/changes.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <xxhash.h>

typedef struct comparing {
    lg_changes shown;
    const lg_summary *const *summaries;
    size_t count;
    double *x; // [count]
    const lg_analysis *newest;
    const lg_analysis *at_rest; // see lg__analysis_at_rest
    lg_places *places;          // of the newest snapshot
    uint32_t *place_of;         // [nodes]
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
add_tally(const lg_summary *summary, const lg__tally *tally, amount *out)
{
    out->objects += tally->count;
    out->bytes += sum_at(summary, tally->bytes);
}

static uint64_t
place_key(const lg_places *places, const uint32_t *place_of, lg_node node)
{
    return node == LG_NONE ? 0 : lg_places_at(places, place_of[node]).key;
}

static void
measure_tally(const comparing *state, const lg_summary *summary,
              const lg_thing *thing, amount *out)
{
    const lg__tally *tallies = summary->tallies.data;
    if (thing->name.length > 0) {
        const lg__tally *tally = lg__summary_find_named(
            summary, thing->tally, thing->name, thing->detail,
            place_key(state->places, state->place_of, thing->node));
        if (tally != NULL)
            add_tally(summary, tally, out);
        return;
    }
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == (uint32_t)thing->tally)
            add_tally(summary, &tallies[i], out);
}

static uint64_t
row_key(const lg_places *places, const uint32_t *place_of, const lg_thing *row)
{
    uint64_t words[4] = {XXH3_64bits(row->detail.data, row->detail.length),
                         XXH3_64bits(row->name.data, row->name.length),
                         place_key(places, place_of, row->node), row->number};
    return XXH3_64bits(words, sizeof words);
}

static int
compare_rows(const void *left, const void *right)
{
    const lg__row_sum *a = left;
    const lg__row_sum *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

// Returns false if the summary does not say.
static bool
measure_row(const comparing *state, const lg_summary *summary,
            const lg_thing *thing, amount *out)
{
    const lg__row_sum wanted = {
        .key = row_key(state->places, state->place_of, thing)};
    const lg__row_sum *found =
        summary->rows.count > 0
            ? bsearch(&wanted, summary->rows.data, summary->rows.count,
                      sizeof wanted, compare_rows)
            : NULL;
    if (found != NULL)
        *out = (amount){found->count, found->bytes};
    return summary->has_rows && (found != NULL || !thing->partly);
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
        measure_tally(state, summary, thing, out);
        return true;
    case LG_THING_ROW:
        return measure_row(state, summary, thing, out);
    default:
        return measure_place(
            summary,
            lg_places_at(state->places, state->place_of[thing->node]).key, own,
            out);
    }
}

// Returns the bytes of a thing where nothing runs, as summaries count them:
// what an object retains may have parts that running code holds, too.
static uint64_t
bytes_at_rest(const comparing *state, const lg_thing *thing)
{
    return thing->kind == LG_THING_PLACE &&
                   lg__retained_by(state->newest, thing->node) == thing->bytes
               ? lg__retained_by(state->at_rest, thing->node)
               : thing->bytes;
}

static bool
is_whole(const comparing *state, const amount *newest, const lg_thing *thing)
{
    return thing->whole ||
           ((thing->count == 0 || newest->objects == thing->count) &&
            (newest->bytes == thing->bytes ||
             newest->bytes == bytes_at_rest(state, thing)));
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
            is_whole(state, &newest, thing))
            return true;
    }
    return false;
}

// Returns the snapshot from which on the rate of a thing holds. A mistake has
// one since the first snapshot that has it: what was there before was too
// little to be one, but not nothing.
static size_t
find_first(const comparing *state, const lg_thing *thing, const double *y)
{
    bool mistake =
        thing->kind == LG_THING_TALLY && thing->tally == LG_TALLY_FINDING;
    size_t first = 0;
    while (mistake && first + 1 < state->count && y[first] == 0)
        first++;
    return first + 1 < state->count ? first : 0;
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
    size_t from = find_first(state, thing, y);
    double slope = lg__slope_of(state->x + from, y + from,
                                (uint32_t)(state->count - from));
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
        lg__analysis_at_rest(newest, monitor, &state->at_rest, err);
    if (status == LG_OK)
        status = lg__places_walk(newest, monitor, &state->places,
                                 &state->place_of, err);
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

struct lg_row_counting {
    lg_summary *summary;
    const lg_analysis *analysis;
    lg_places *places;
    uint32_t *place_of;
};

lg_status
lg_row_counting_begin(lg_summary *summary, const lg_analysis *analysis,
                      const lg_monitor *monitor, lg_row_counting **out,
                      lg_error *err)
{
    lg_row_counting *made = calloc(1, sizeof *made);
    if (made == NULL)
        return lg__error_memory(err);
    made->summary = summary;
    made->analysis = analysis;
    lg_status status =
        lg__places_walk(analysis, monitor, &made->places, &made->place_of, err);
    if (status == LG_OK)
        *out = made;
    else
        free(made);
    return status;
}

lg_status
lg_row_counting_add(lg_row_counting *counting, const lg_thing *row,
                    lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg__row_sum *sum =
        lg__vector_extend(&allocator, &counting->summary->rows, 1);
    if (sum == NULL)
        return lg__error_memory(err);
    *sum = (lg__row_sum){row_key(counting->places, counting->place_of, row),
                         row->count, row->bytes};
    return LG_OK;
}

void
lg_row_counting_end(lg_row_counting *counting)
{
    lg__vector *rows = &counting->summary->rows;
    lg__row_sum *items = rows->data;
    size_t kept = 0;
    if (rows->count > 0)
        lg__sort(items, rows->count, sizeof *items, compare_rows);
    for (size_t i = 0; i < rows->count; i++) {
        if (kept > 0 && items[kept - 1].key == items[i].key) {
            items[kept - 1].count += items[i].count;
            items[kept - 1].bytes += items[i].bytes;
        } else {
            items[kept++] = items[i];
        }
    }
    rows->count = kept;
    counting->summary->has_rows = true;
    lg_places_free(counting->places);
    lg__places_of_free(counting->place_of, counting->analysis);
    free(counting);
}

// What summaries count besides objects, and how it grows.
#include "growth/growth_comparison.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *
lg_tally_kind_name(lg_tally_kind kind)
{
    static const char *const names[] = {"findings", "cycles", "tensors",
                                        "figures", "threads"};
    return (unsigned)kind < LG_TALLY_COUNT ? names[kind] : "unknown";
}

uint64_t
lg__summary_tallied(const lg_summary *summary, lg_tally_kind kind)
{
    const lg__tally *tallies = summary->tallies.data;
    uint64_t count = 0;
    for (size_t i = 0; i < summary->tallies.count; i++)
        if (tallies[i].kind == kind)
            count += tallies[i].count;
    return count;
}

static uint64_t
join_key(uint64_t kind, uint64_t name, uint64_t detail, uint64_t holder)
{
    uint64_t words[4] = {kind, name, detail, holder};
    return XXH3_64bits(words, sizeof words);
}

static uint64_t
key_of(const lg_places *places, const lg__tally *tally)
{
    const uint64_t *hash = places->string_hash.data;
    return join_key(tally->kind, hash[tally->name], hash[tally->detail],
                    tally->holder);
}

bool
lg__summary_count(lg_summary *summary, lg__tally tally, const uint64_t *bytes,
                  uint32_t devices)
{
    lg_allocator allocator = lg_allocator_default();
    lg__tally *place = lg__vector_extend(&allocator, &summary->tallies, 1);
    if (place == NULL)
        return false;
    tally.key = key_of(summary->places, &tally);
    tally.bytes = lg__summary_add_bytes(summary, bytes, devices);
    *place = tally;
    return tally.bytes != LG_NONE;
}

static int
compare_keys(const void *left, const void *right)
{
    const lg__tally *a = left;
    const lg__tally *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

static int
compare_tallies(const void *left, const void *right)
{
    const lg__tally *a = left;
    const lg__tally *b = right;
    int order = compare_keys(a, b);
    return order != 0 ? order : (a->kept < b->kept ? -1 : a->kept > b->kept);
}

void
lg__summary_join_tallies(lg_summary *summary)
{
    lg__vector *tallies = &summary->tallies;
    lg__tally *items = tallies->data;
    size_t kept = 0;
    if (tallies->count > 0)
        lg__sort(items, tallies->count, sizeof *items, compare_tallies);
    for (size_t i = 0; i < tallies->count; i++) {
        if (kept > 0 && items[kept - 1].key == items[i].key) {
            items[kept - 1].count += items[i].count;
            if (items[i].kind == LG__TALLY_LIMIT)
                items[kept - 1].kept += items[i].kept;
            lg__summary_sum_bytes(summary, items[kept - 1].bytes,
                                  items[i].bytes);
        } else {
            items[kept++] = items[i];
        }
    }
    tallies->count = kept;
}

static const lg__tally *
find_tally(const lg_summary *summary, uint64_t key)
{
    const lg__tally wanted = {.key = key};
    const lg__vector *tallies = &summary->tallies;
    return tallies->count > 0 ? bsearch(&wanted, tallies->data, tallies->count,
                                        sizeof wanted, compare_keys)
                              : NULL;
}

const lg__tally *
lg__summary_find_tally(const lg_summary *summary, const lg__tally *wanted)
{
    return find_tally(summary, key_of(summary->places, wanted));
}

const lg__tally *
lg__summary_find_named(const lg_summary *summary, lg_tally_kind kind,
                       lg_string name, lg_string detail, uint64_t holder)
{
    return find_tally(
        summary, join_key((uint64_t)kind, XXH3_64bits(name.data, name.length),
                          XXH3_64bits(detail.data, detail.length), holder));
}

static bool
are_growing(const lg__comparison *state, const uint64_t *counts)
{
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = (double)counts[i];
    return lg__trend_of(state->x, state->y, state->count) == LG__TREND_GROWS;
}

static bool
bytes_are_growing(const lg__comparison *state, const uint64_t *bytes)
{
    for (uint32_t i = 0; i < state->count; i++)
        state->y[i] = (double)lg__comparison_total(state, bytes, i);
    return lg__trend_of(state->x, state->y, state->count) == LG__TREND_GROWS;
}

static lg_growth_tally
compare(const lg__comparison *state, const lg__tally *tally, uint64_t *counts)
{
    uint64_t *bytes = counts + state->count;
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_summary *summary = state->summaries[i];
        const lg__tally *then = find_tally(summary, tally->key);
        if (then == NULL)
            continue;
        counts[i] = then->count;
        lg__comparison_add_bytes(
            state, i, lg__summary_bytes_at(summary, then->bytes), bytes);
    }
    return (lg_growth_tally){
        .kind = (lg_tally_kind)tally->kind,
        .name = lg__places_text(state->newest, tally->name),
        .detail = lg__places_text(state->newest, tally->detail),
        .holder = tally->holder,
        .kept = tally->kept,
        .counts = counts,
        .bytes = bytes,
        .gained = lg__comparison_gained(state, bytes),
        .is_new = counts[0] == 0,
        .is_growing =
            are_growing(state, counts) || bytes_are_growing(state, bytes),
        .row = LG_NONE,
    };
}

static int
compare_gains(const void *left, const void *right)
{
    const lg_growth_tally *a = left;
    const lg_growth_tally *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    return a->counts < b->counts ? -1 : a->counts > b->counts;
}

static uint32_t
place_of(const lg_places *places, uint64_t key)
{
    return key != 0 ? lg_places_find(places, key) : LG_NONE;
}

// Returns whether a row is about a finding: the growing place is its holder,
// lies directly in that, or is, contains or lies in what the finding keeps.
static bool
is_about(const lg_places *places, uint32_t holder, uint32_t kept,
         const lg_growth_row *row)
{
    if (row->place == LG_NONE || row->verdict == LG_GROWTH_NATIVE)
        return false;
    uint32_t parent = lg__place_at(places, row->place)->parent;
    return (holder != LG_NONE && (holder == row->place || holder == parent)) ||
           (kept != LG_NONE && (lg__place_is_below(places, kept, row->place) ||
                                lg__place_is_below(places, row->place, kept)));
}

// Relates rows to findings. Both are sorted, so the biggest of each come
// together.
static void
relate(const lg_places *places, lg_growth *out, uint32_t at)
{
    lg_growth_tally *tally = &out->tallies[at];
    uint32_t holder = place_of(places, tally->holder);
    uint32_t kept = place_of(places, tally->kept);
    for (size_t i = 0; i < out->count; i++) {
        lg_growth_row *row = &out->rows[i];
        if (!is_about(places, holder, kept, row))
            continue;
        if (tally->row == LG_NONE)
            tally->row = (uint32_t)i;
        if (row->finding == LG_NONE)
            row->finding = at;
    }
}

lg_status
lg__growth_tallies(lg__comparison *state, lg_growth *out, lg_error *err)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg__tally *items = newest->tallies.data;
    size_t count = newest->tallies.count;
    size_t numbers = lg__comparison_numbers(state);
    lg_status status = lg__comparison_check(state, count, "findings", err);
    if (status != LG_OK)
        return status;
    out->tallies = lg__calloc(count + 1, sizeof *out->tallies);
    out->series = lg__calloc(count * numbers + 1, sizeof *out->series);
    if (out->tallies == NULL || out->series == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < newest->tallies.count; i++) {
        size_t at = out->tally_count;
        if (items[i].kind >= LG_TALLY_COUNT)
            continue;
        out->tallies[at] =
            compare(state, &items[i], out->series + at * numbers);
        out->tally_count++;
    }
    count = out->tally_count;
    if (count > 0)
        lg__sort(out->tallies, count, sizeof *out->tallies, compare_gains);
    for (size_t i = 0; i < count; i++)
        if (out->tallies[i].kind == LG_TALLY_FINDING)
            relate(state->newest, out, (uint32_t)i);
    return LG_OK;
}

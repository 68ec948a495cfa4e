// Makes rows of the growing places, one for each holder.
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>

// The content of a container comes before the container, which then has no row.
static const uint8_t ranks[LG_GROWTH_VERDICT_COUNT] = {
    [LG_GROWTH_ACCUMULATES] = 0, [LG_GROWTH_GARBAGE] = 1,
    [LG_GROWTH_IN_PLACE] = 2,    [LG_GROWTH_NATIVE] = 3,
    [LG_GROWTH_SETTLED] = 4,
};

// Compares by verdict, group, and bytes gained. The first place of a group
// leads it.
static int
compare_grown(const void *left, const void *right)
{
    const lg__grown *a = left;
    const lg__grown *b = right;
    if (a->verdict != b->verdict)
        return ranks[a->verdict] < ranks[b->verdict] ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static uint32_t
find_device(const lg__comparison *state, lg_string name)
{
    uint32_t device = 0;
    while (!lg__string_same(state->devices[device], name))
        device++;
    return device;
}

// Adds the bytes of a summary, in the order of the growth's devices.
static void
add_bytes(const lg__comparison *state, uint32_t snapshot, const uint64_t *bytes,
          uint64_t *series)
{
    const lg_places *places = state->summaries[snapshot]->places;
    for (uint32_t i = 0; i < places->each; i++)
        series[(size_t)snapshot * state->each +
               find_device(state, lg_places_device_name(places, i))] +=
            bytes[i];
}

static void
add_place(const lg__comparison *state, uint32_t place, bool own,
          uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_places *places = state->summaries[i]->places;
        if (state->at[i] != LG_NONE)
            add_bytes(state, i,
                      own ? lg__place_own(places, state->at[i])
                          : lg__place_retained(places, state->at[i]),
                      series);
    }
}

static void
add_members(const lg__comparison *state, uint32_t place, uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++)
        if (state->at[i] != LG_NONE)
            series[i] += lg__place_at(state->summaries[i]->places, state->at[i])
                             ->members;
}

// Returns whether the container is the same in all snapshots. Then the growth
// of its own bytes is part of the row.
static bool
is_lasting(const lg__comparison *state, uint32_t place)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++)
        if (state->at[i] == LG_NONE ||
            lg__place_at(state->summaries[i]->places, state->at[i])->members !=
                lg__place_at(state->newest, place)->members)
            return false;
    return true;
}

static size_t
numbers_of_row(const lg__comparison *state)
{
    return (size_t)state->count * (1 + state->each);
}

uint64_t *
lg__growth_numbers(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    size_t count = numbers_of_row(state);
    uint64_t *numbers = lg__vector_extend(&allocator, &state->numbers, count);
    if (numbers != NULL)
        memset(numbers, 0, count * sizeof *numbers);
    return numbers;
}

static uint64_t
total_at(const lg__comparison *state, const uint64_t *bytes, uint32_t snapshot)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < state->each; i++)
        sum += bytes[(size_t)snapshot * state->each + i];
    return sum;
}

void
lg__growth_rate(const lg__comparison *state, const uint64_t *bytes,
                lg_growth_row *row)
{
    double *y = state->y;
    for (uint32_t i = 0; i < state->count; i++)
        y[i] = (double)total_at(state, bytes, i);
    row->gained = (int64_t)y[state->count - 1] - (int64_t)y[0];
    if (state->options.steps != NULL)
        row->per_step = lg__slope_of(state->x, y, state->count);
    double span = state->x[state->count - 1] - state->x[0];
    row->per_interval = lg__slope_of(state->x, y, state->count) * span /
                        (double)(state->count - 1);
}

static void
fill_row(lg__comparison *state, const lg__grown *grown, size_t count,
         uint64_t *numbers, lg_growth_row *row)
{
    uint64_t *counts = numbers;
    uint64_t *bytes = numbers + state->count;
    const lg__place_item *lead = lg__place_at(state->newest, grown->place);
    bool contained = grown->group != grown->place && grown->group != LG_NONE;
    bool in_place =
        grown->group == grown->place && grown->verdict == LG_GROWTH_IN_PLACE;
    *row = (lg_growth_row){
        .verdict = (lg_growth_verdict)grown->verdict,
        .finding = LG_NONE,
        .place = grown->place,
        .key = lead->key,
        .type = lg__places_text(state->newest, lead->type),
        .node = state->analysis != NULL ? lead->example : LG_NONE,
    };
    for (size_t i = 0; i < count; i++) {
        uint32_t place = grown[i].place;
        add_place(state, place, in_place, bytes);
        if (lg__place_at(state->newest, place)->kind != lead->kind)
            continue;
        add_members(state, place, counts);
        row->types++;
    }
    if (contained && is_lasting(state, grown->group))
        add_place(state, grown->group, true, bytes);
    lg__growth_rate(state, bytes, row);
}

// Returns whether a row for its members covers the container.
static bool
is_told(const lg__comparison *state, const lg__grown *grown)
{
    return grown->group != LG_NONE && state->is_holder[grown->group];
}

static size_t
count_group(const lg__grown *grown, size_t left)
{
    size_t count = 1;
    while (count < left && grown[count].verdict == grown->verdict &&
           grown[count].group == grown->group)
        count++;
    return count;
}

static int
compare_rows(const void *left, const void *right)
{
    const lg_growth_row *a = left;
    const lg_growth_row *b = right;
    bool settled = a->verdict == LG_GROWTH_SETTLED;
    if (settled != (b->verdict == LG_GROWTH_SETTLED))
        return settled ? 1 : -1;
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

// Adds a row unless it is too small, or has settled and nobody asked for such
// rows.
static bool
add_row(lg__comparison *state, const lg__grown *grown, size_t count,
        lg_growth *out)
{
    size_t at = state->numbers.count;
    lg_growth_row *row = &out->rows[out->count];
    uint64_t *numbers = lg__growth_numbers(state);
    if (numbers == NULL)
        return false;
    fill_row(state, grown, count, numbers, row);
    bool settled = grown->verdict == LG_GROWTH_SETTLED;
    bool large =
        row->gained > 0 && (uint64_t)row->gained >= state->options.min_bytes;
    if (large && settled && !state->options.settled)
        out->settled++;
    if (!large || (settled && !state->options.settled)) {
        state->numbers.count = at;
        return true;
    }
    if (grown->group != LG_NONE)
        state->is_holder[grown->group] = 1;
    out->count++;
    return true;
}

// Sets pointers to the numbers, which stay in place only when all rows exist.
static void
settle_series(lg__comparison *state, lg_growth *out)
{
    uint64_t *numbers = state->numbers.data;
    for (size_t i = 0; i < out->count; i++) {
        out->rows[i].counts = numbers + i * numbers_of_row(state);
        out->rows[i].bytes = out->rows[i].counts + state->count;
    }
    out->numbers = numbers;
    state->numbers = (lg__vector){0};
}

// Returns whether the row gained as many objects as the other one in each
// interval.
static bool
is_in_step(const lg__comparison *state, const lg_growth_row *row,
           const lg_growth_row *other)
{
    for (uint32_t i = 1; i < state->count; i++)
        if (row->counts[i] - row->counts[i - 1] !=
            other->counts[i] - other->counts[i - 1])
            return false;
    return true;
}

static bool
is_of_weak_references(const lg_growth_row *row)
{
    // Before CPython 3.10 the type is named `weakref`.
    bool weak = lg__string_is(lg__package_of(row->type), "weakref") ||
                lg__string_is(row->type, "weakref");
    return weak && row->types == 1 && row->verdict == LG_GROWTH_ACCUMULATES;
}

// Returns whether the row is a container beside the members of the other row in
// their holder, such as the dict of an lru_cache.
static bool
is_index_of(const lg__comparison *state, const lg_growth_row *row,
            const lg_growth_row *other)
{
    if (row->verdict != LG_GROWTH_IN_PLACE ||
        other->verdict != LG_GROWTH_ACCUMULATES || other->place == LG_NONE)
        return false;
    uint32_t parent = lg__place_at(state->newest, row->place)->parent;
    return parent != LG_NONE &&
           parent == lg__place_at(state->newest, other->place)->parent &&
           lg__place_at(state->newest, row->place)->references >=
               other->counts[state->count - 1];
}

// Drops growth that only accompanies a row with more bytes, such as the weak
// references to its members, and their index. It is no leak of its own.
static void
drop_followers(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const lg_growth_row *row = &out->rows[i];
        bool shown = false;
        for (size_t j = 0; j < kept; j++)
            shown |= is_index_of(state, row, &out->rows[j]) ||
                     (is_of_weak_references(row) &&
                      !is_of_weak_references(&out->rows[j]) &&
                      is_in_step(state, row, &out->rows[j]));
        if (!shown)
            out->rows[kept++] = out->rows[i];
    }
    out->count = kept;
}

lg_status
lg__growth_rows(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg__grown *found = state->found.data;
    size_t left = state->found.count;
    out->rows = calloc(left + LG_NATIVE_COUNT + 1, sizeof *out->rows);
    if (out->rows == NULL)
        return lg__error_memory(err);
    if (left > 0)
        lg__sort(found, left, sizeof *found, compare_grown);
    while (left > 0) {
        size_t count = count_group(found, left);
        if (!is_told(state, found) && !add_row(state, found, count, out))
            return lg__error_memory(err);
        found += count;
        left -= count;
    }
    if (!lg__growth_native(state, out))
        return lg__error_memory(err);
    settle_series(state, out);
    if (out->count > 0)
        lg__sort(out->rows, out->count, sizeof *out->rows, compare_rows);
    drop_followers(state, out);
    return LG_OK;
}

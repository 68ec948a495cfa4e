// Makes rows of the growing places, one for each holder.
#include "growth/growth_private.h"
#include "growth/growth_rates.h"

#include <stdlib.h>
#include <string.h>

// The content of a container comes before the container, which then has no row.
static const uint8_t ranks[LG_GROWTH_VERDICT_COUNT] = {
    [LG_GROWTH_ACCUMULATES] = 0, [LG_GROWTH_GARBAGE] = 1,
    [LG_GROWTH_IN_PLACE] = 2,    [LG_GROWTH_NATIVE] = 3,
    [LG_GROWTH_SETTLED] = 4,
};

// A row that gained less than this part of what the first one did is minor.
enum { MINOR = 200 };

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

static void
add_place(const lg__comparison *state, uint32_t place, bool own,
          uint64_t *series)
{
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_places *places = state->summaries[i]->places;
        if (state->at[i] != LG_NONE)
            lg__comparison_add_bytes(
                state, i,
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

uint64_t *
lg__growth_numbers(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    size_t count = lg__comparison_numbers(state);
    uint64_t *numbers = lg__vector_extend(&allocator, &state->numbers, count);
    if (numbers != NULL)
        memset(numbers, 0, count * sizeof *numbers);
    return numbers;
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
    double slope = in_place ? lg__table_slope(state, grown->place)
                            : lg__growth_slope(state, bytes);
    if (contained && is_lasting(state, grown->group)) {
        add_place(state, grown->group, true, bytes);
        slope += lg__table_slope(state, grown->group);
    }
    lg__growth_rate(state, bytes, slope, row);
}

// Returns whether a row for its members covers the container.
static bool
is_covered(const lg__comparison *state, const lg__grown *grown)
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

static void
sort_rows(lg_growth *growth)
{
    if (growth->count > 0)
        lg__sort(growth->rows, growth->count, sizeof *growth->rows,
                 compare_rows);
}

// Returns whether the scope has what grows. It has no native memory.
static bool
is_in_scope(const lg__comparison *state, const lg_growth_row *row)
{
    const lg_scope *scope = state->options.scope;
    return scope == NULL ||
           (row->node != LG_NONE && lg_scope_has(scope, row->node));
}

static bool
is_large(const lg__comparison *state, const lg_growth_row *row)
{
    return row->gained > 0 && (uint64_t)row->gained >= state->options.min_bytes;
}

// Adds a row unless it gained nothing, or has settled and is too small or
// nobody asked for such rows. A small row that grows may be the cause of
// others.
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
    bool large = is_large(state, row);
    if (large && settled && !state->options.settled)
        out->settled += is_in_scope(state, row);
    if (row->gained <= 0 || (settled && (!large || !state->options.settled))) {
        state->numbers.count = at;
        return true;
    }
    if (large && grown->group != LG_NONE)
        state->is_holder[grown->group] = 1;
    out->count++;
    return true;
}

static void
leave_out_small(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (is_large(state, &out->rows[i]))
            out->rows[kept++] = out->rows[i];
    out->count = kept;
}

// Sets pointers to the numbers, which stay in place only when all rows exist.
static void
settle_series(lg__comparison *state, lg_growth *out)
{
    uint64_t *numbers = state->numbers.data;
    for (size_t i = 0; i < out->count; i++) {
        out->rows[i].counts = numbers + i * lg__comparison_numbers(state);
        out->rows[i].bytes = out->rows[i].counts + state->count;
    }
    out->numbers = numbers;
    state->numbers = (lg__vector){0};
}

// Marks rows that gained next to nothing beside the first one, if there are
// several: they are no news as long as that one is there.
static void
mark_minor(lg_growth *out)
{
    size_t growing = lg_growth_growing(out);
    size_t first = growing;
    while (first > 1 &&
           out->rows[first - 1].gained < out->rows[0].gained / MINOR)
        first--;
    for (size_t i = first; i < growing && growing - first > 1; i++)
        out->rows[i].minor = true;
}

static void
leave_out_elsewhere(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (is_in_scope(state, &out->rows[i]))
            out->rows[kept++] = out->rows[i];
    out->elsewhere = out->count - kept;
    out->count = kept;
}

lg_status
lg__growth_rows(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg__grown *found = state->found.data;
    size_t left = state->found.count;
    out->rows = lg__wide_calloc(left + LG_NATIVE_COUNT + 1, sizeof *out->rows);
    if (out->rows == NULL)
        return lg__error_memory(err);
    if (left > 0)
        lg__sort(found, left, sizeof *found, compare_grown);
    while (left > 0) {
        size_t count = count_group(found, left);
        if (!is_covered(state, found) && !add_row(state, found, count, out))
            return lg__error_memory(err);
        found += count;
        left -= count;
    }
    if (!lg__growth_native(state, out))
        return lg__error_memory(err);
    settle_series(state, out);
    sort_rows(out);
    if (!lg__growth_join(state, out))
        return lg__error_memory(err);
    leave_out_small(state, out);
    sort_rows(out);
    mark_minor(out);
    leave_out_elsewhere(state, out);
    return LG_OK;
}

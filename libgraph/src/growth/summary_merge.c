// Adds up summaries.
#include "growth/growth_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A sum of numeric info texts.
typedef struct sum {
    uint32_t key; // a string of the places
    uint64_t value;
} sum;

typedef struct merging {
    lg_summary *to;
    uint64_t *bytes; // [each of to] scratch memory
    lg_allocator allocator;
    lg__vector sums; // sum
} merging;

static bool
add_number(merging *state, lg_string key, uint64_t value)
{
    uint32_t name = lg__places_string(state->to->places, key);
    sum *sums = state->sums.data;
    if (name == LG_NONE)
        return false;
    for (size_t i = 0; i < state->sums.count; i++)
        if (sums[i].key == name) {
            sums[i].value += value;
            return true;
        }
    sum *place = lg__vector_extend(&state->allocator, &state->sums, 1);
    if (place == NULL)
        return false;
    *place = (sum){name, value};
    return true;
}

static bool
add_infos(merging *state, const lg_summary *from)
{
    static const char count[] = "snapshots";
    lg_string key;
    lg_string value;
    uint64_t number;
    bool enough = true;
    for (uint32_t i = 0; enough && lg_summary_info(from, i, &key, &value); i++)
        if ((lg__string_begins(key, "places.") ||
             lg__string_begins(key, "memory.") ||
             lg__string_is(key, LG__SUMMARY_LEAST)) &&
            lg__decimal_read(value, &number))
            enough = add_number(state, key, number);
    int64_t snapshots = lg__summary_bytes(from, count);
    return enough && add_number(state, (lg_string){count, sizeof count - 1},
                                snapshots < 0 ? 1 : (uint64_t)snapshots);
}

// Returns bytes by device of a summary, by device of the sum.
static const uint64_t *
bytes_of(merging *state, const lg_summary *from, uint32_t index)
{
    const uint64_t *bytes = lg__summary_bytes_at(from, index);
    lg_places *to = state->to->places;
    memset(state->bytes, 0, to->each * sizeof *state->bytes);
    for (uint32_t i = 0; i < from->places->each; i++)
        state->bytes[lg__places_device(
            to, lg_places_device_name(from->places, i))] += bytes[i];
    return state->bytes;
}

static bool
add_types(merging *state, const lg_summary *from)
{
    const lg__type_sum *types = from->types.data;
    uint32_t each = state->to->places->each;
    lg__type_sum *place = lg__vector_extend(
        &state->allocator, &state->to->types, from->types.count);
    if (place == NULL)
        return from->types.count == 0;
    memcpy(place, types, from->types.count * sizeof *types);
    for (size_t i = 0; i < from->types.count; i++) {
        place[i].name = lg__places_string(
            state->to->places, lg__places_text(from->places, types[i].name));
        place[i].bytes = lg__summary_add_bytes(
            state->to, bytes_of(state, from, types[i].bytes), each);
        if (place[i].name == LG_NONE || place[i].bytes == LG_NONE)
            return false;
    }
    return true;
}

static bool
add_tallies(merging *state, const lg_summary *from)
{
    const lg__tally *tallies = from->tallies.data;
    for (size_t i = 0; i < from->tallies.count; i++) {
        lg__tally tally = tallies[i];
        tally.name = lg__places_string(
            state->to->places, lg__places_text(from->places, tally.name));
        tally.detail = lg__places_string(
            state->to->places, lg__places_text(from->places, tally.detail));
        if (tally.name == LG_NONE || tally.detail == LG_NONE ||
            !lg__summary_count(state->to, tally,
                               bytes_of(state, from, tally.bytes),
                               state->to->places->each))
            return false;
    }
    return true;
}

// Adds the accounts. The rest of the resident memory has an offset; if it is
// unknown in one summary, the sum is unknown.
static void
add_accounts(lg_summary *to, const lg_summary *from, bool first)
{
    to->objects += from->objects;
    to->large += from->large;
    to->small += from->small;
    to->mapped += from->mapped;
    if (first)
        to->rest = from->rest;
    else if (to->rest == 0 || from->rest == 0)
        to->rest = 0;
    else
        to->rest += from->rest - LG__RESIDENT_ZERO;
}

static bool
put_infos(merging *state)
{
    const sum *sums = state->sums.data;
    for (size_t i = 0; i < state->sums.count; i++) {
        char text[24];
        int length = snprintf(text, sizeof text, "%llu",
                              (unsigned long long)sums[i].value);
        lg__info_text *place =
            lg__vector_extend(&state->allocator, &state->to->infos, 1);
        if (place == NULL)
            return false;
        place->key = sums[i].key;
        place->value = lg__places_string(state->to->places,
                                         (lg_string){text, (uint32_t)length});
        if (place->value == LG_NONE)
            return false;
    }
    return true;
}

static bool
add_all(merging *state, const lg_summary *const *summaries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!add_infos(state, summaries[i]) ||
            !add_types(state, summaries[i]) ||
            !add_tallies(state, summaries[i]))
            return false;
        add_accounts(state->to, summaries[i], i == 0);
    }
    lg__summary_join_types(state->to);
    lg__summary_join_tallies(state->to);
    return put_infos(state);
}

static lg_status
merge_places(const lg_summary *const *summaries, size_t count, lg_places **out,
             lg_error *err)
{
    const lg_places **tables = lg__alloc(count * sizeof *tables);
    if (tables == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        tables[i] = summaries[i]->places;
    lg_status status = lg_places_merge(tables, count, out, err);
    lg__free(tables);
    return status;
}

lg_status
lg_summary_merge(const lg_summary *const *summaries, size_t count,
                 lg_summary **out, lg_error *err)
{
    lg_places *places = NULL;
    if (count == 0)
        return lg_error_set(err, LG_EINVAL,
                            "there is no summary to add up: give one or more");
    lg_status status = merge_places(summaries, count, &places, err);
    if (status != LG_OK)
        return status;
    // lg__summary_begin may free the places.
    uint64_t *bytes = lg__alloc((places->each + 1) * sizeof *bytes);
    merging state = {.to = lg__summary_begin(places),
                     .bytes = bytes,
                     .allocator = lg_allocator_default(),
                     .sums = {.element = sizeof(sum)}};
    if (state.to == NULL || state.bytes == NULL ||
        !add_all(&state, summaries, count)) {
        lg_summary_free(state.to);
        status = lg__error_memory(err);
    } else {
        *out = state.to;
    }
    lg__vector_free(&state.allocator, &state.sums);
    lg__free(state.bytes);
    return status;
}

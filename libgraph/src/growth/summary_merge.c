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
    lg_allocator allocator;
    lg__vector sums; // sum
} merging;

static bool
begins(lg_string text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text.length > length && memcmp(text.data, prefix, length) == 0;
}

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
        if ((begins(key, "places.") || begins(key, "memory.") ||
             lg__string_is(key, LG__SUMMARY_LEAST)) &&
            lg__decimal_read(value, &number))
            enough = add_number(state, key, number);
    int64_t snapshots = lg__summary_bytes(from, count);
    return enough && add_number(state, (lg_string){count, sizeof count - 1},
                                snapshots < 0 ? 1 : (uint64_t)snapshots);
}

static bool
add_types(merging *state, const lg_summary *from)
{
    const lg__type_sum *types = from->types.data;
    lg__type_sum *place = lg__vector_extend(
        &state->allocator, &state->to->types, from->types.count);
    if (place == NULL)
        return from->types.count == 0;
    memcpy(place, types, from->types.count * sizeof *types);
    for (size_t i = 0; i < from->types.count; i++) {
        place[i].name = lg__places_string(
            state->to->places, lg__places_text(from->places, types[i].name));
        if (place[i].name == LG_NONE)
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
            !lg__summary_count(state->to, tally))
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
    lg__types_join(&state->to->types);
    lg__tallies_join(&state->to->tallies);
    return put_infos(state);
}

static lg_status
merge_places(const lg_summary *const *summaries, size_t count, lg_places **out,
             lg_error *err)
{
    const lg_places **tables = malloc(count * sizeof *tables);
    if (tables == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        tables[i] = summaries[i]->places;
    lg_status status = lg_places_merge(tables, count, out, err);
    free(tables);
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
    merging state = {.to = lg__summary_begin(places),
                     .allocator = lg_allocator_default(),
                     .sums = {.element = sizeof(sum)}};
    if (state.to == NULL || !add_all(&state, summaries, count)) {
        lg_summary_free(state.to);
        status = lg__error_memory(err);
    } else {
        *out = state.to;
    }
    lg__vector_free(&state.allocator, &state.sums);
    return status;
}

bool
lg__summary_is_sum(const lg_summary *summary)
{
    return lg__summary_bytes(summary, "snapshots") >= 0;
}

// Adds up tables of places.
#include "growth/growth_private.h"

#include <stdlib.h>

typedef struct merging {
    lg_places *to;
    const lg_places *from;
    uint32_t *place;  // [count of from] number in `to`
    uint32_t *device; // [each of from] device in `to`
} merging;

uint32_t
lg__places_device(const lg_places *places, lg_string name)
{
    for (uint32_t i = 0; i < places->each; i++)
        if (lg__string_same(lg_places_device_name(places, i), name))
            return i;
    return LG_NONE;
}

static bool
add_devices(lg_places *to, const lg_places *from)
{
    for (uint32_t i = 0; i < from->each; i++) {
        lg_string name = lg_places_device_name(from, i);
        if (lg__places_device(to, name) == LG_NONE &&
            !lg__places_add_device(to, name))
            return false;
    }
    return true;
}

static void
add_bytes(const merging *state, const uint64_t *from, uint64_t *to)
{
    for (uint32_t i = 0; i < state->from->each; i++)
        to[state->device[i]] += from[i];
}

static bool
add_place(merging *state, uint32_t index)
{
    const lg_places *from = state->from;
    const lg__place_item *item = lg__place_at(from, index);
    uint32_t parent =
        item->parent == LG_NONE ? LG_NONE : state->place[item->parent];
    uint32_t label =
        lg__places_string(state->to, lg__places_text(from, item->label));
    uint32_t type =
        lg__places_string(state->to, lg__places_text(from, item->type));
    if (label == LG_NONE || type == LG_NONE)
        return false;
    uint32_t place = lg__places_add(state->to, parent,
                                    (lg_place_kind)item->kind, label, type);
    if (place == LG_NONE)
        return false;
    lg__place_item *sum = lg__place_at(state->to, place);
    sum->members += item->members;
    sum->references += item->references;
    add_bytes(state, lg__place_own(from, index),
              lg__place_own(state->to, place));
    add_bytes(state, lg__place_retained(from, index),
              lg__place_retained(state->to, place));
    state->place[index] = place;
    return true;
}

static bool
add_table(lg_places *to, const lg_places *from)
{
    merging state = {
        .to = to,
        .from = from,
        .place = lg__alloc((from->items.count + 1) * sizeof(uint32_t)),
        .device = lg__alloc((from->each + 1) * sizeof(uint32_t)),
    };
    bool enough = state.place != NULL && state.device != NULL;
    for (uint32_t i = 0; i < from->each && enough; i++)
        state.device[i] = lg__places_device(to, lg_places_device_name(from, i));
    for (uint32_t i = 0; i < from->items.count && enough; i++)
        enough = add_place(&state, i);
    enough = enough && lg__places_copy_words(from, state.place, to);
    lg__free(state.place);
    lg__free(state.device);
    return enough;
}

lg_status
lg_places_merge(const lg_places *const *tables, size_t count, lg_places **out,
                lg_error *err)
{
    lg_places *to = lg__places_begin();
    bool enough =
        to != NULL && lg__places_add_device(to, (lg_string){"host", 4});
    for (size_t i = 0; i < count && enough; i++)
        enough = add_devices(to, tables[i]);
    for (size_t i = 0; i < count && enough; i++)
        enough = add_table(to, tables[i]);
    if (!enough) {
        lg_places_free(to);
        return lg__error_memory(err);
    }
    *out = to;
    return LG_OK;
}

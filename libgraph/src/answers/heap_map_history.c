// What the areas of a map had in older snapshots: keys identify their places.
#include "answers/map_search.h"

#include <string.h>

// A summary, with its devices as the map numbers them.
typedef struct older {
    const lg_places *places;
    uint32_t *device; // [its devices] the map's index, or LG_NONE
    uint32_t devices;
} older;

static bool
open_older(older *to, const lg__map_search *state, const lg_summary *summary)
{
    to->places = lg_summary_places(summary);
    to->devices = lg_places_device_count(to->places) + 1;
    to->device = lg__wide_alloc(to->devices * sizeof *to->device);
    for (uint32_t i = 0; to->device != NULL && i < to->devices; i++) {
        lg_string name = lg_places_device_name(to->places, i);
        to->device[i] = LG_NONE;
        for (uint32_t on = 0; on < state->each; on++)
            if (lg__string_same(name, lg_places_device_name(state->places, on)))
                to->device[i] = on;
    }
    return to->device != NULL;
}

static void
add_bytes(const older *from, const uint64_t *bytes, uint64_t *sums)
{
    for (uint32_t i = 0; i < from->devices; i++)
        if (from->device[i] != LG_NONE)
            sums[from->device[i]] += bytes[i];
}

// Returns what a summary says of all places on a device. One by an older
// leakgraph does not say it.
static uint64_t
total_on(const lg_summary *summary, lg_string device, uint64_t otherwise)
{
    static const char prefix[] = "places.";
    const uint32_t length = sizeof prefix - 1;
    lg_string key;
    lg_string value;
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++) {
        if (key.length <= length || memcmp(key.data, prefix, length) != 0)
            continue;
        lg_string name = {key.data + length, key.length - length};
        uint64_t bytes;
        if (lg__string_same(name, device) && lg__decimal_read(value, &bytes))
            return bytes;
    }
    return otherwise;
}

// Sums up all places. Corrects the sums, because a file leaves out small places
// that lie below no other.
static void
find_totals(const lg_summary *summary, const older *from, uint64_t *totals)
{
    for (uint32_t i = 0; i < lg_places_count(from->places); i++)
        add_bytes(from, lg_places_at(from->places, i).own, totals);
    for (uint32_t i = 0; i < from->devices; i++)
        if (from->device[i] != LG_NONE) {
            uint64_t *total = &totals[from->device[i]];
            *total = total_on(summary, lg_places_device_name(from->places, i),
                              *total);
        }
}

// Returns the bytes of an area in one of the older snapshots: those of its
// place, or those of the places in it that have no area.
static uint64_t *
bytes_of(lg__map_search *state, uint32_t area, bool own, size_t index)
{
    const lg_area *found = &state->out.areas[area];
    const uint64_t *series = own ? found->own_before : found->rest_before;
    return state->out.bytes + (series - state->out.bytes) + index * state->each;
}

// Adds what each area had in one snapshot. shown_in: for each item, the area
// that shows it.
static void
add_snapshot(lg__map_search *state, const older *from, size_t index,
             const uint32_t *shown_in)
{
    for (uint32_t i = 0; i < state->count; i++) {
        const lg__map_item *item = &state->items[i];
        if (item->place == LG_NONE)
            continue;
        uint64_t key = lg_places_at(state->places, item->place).key;
        uint32_t known = lg_places_find(from->places, key);
        if (known != LG_NONE)
            add_bytes(
                from, lg_places_at(from->places, known).own,
                bytes_of(state, shown_in[i], item->area != LG_NONE, index));
    }
}

bool
lg__map_history(lg__map_search *state)
{
    uint32_t *shown_in =
        lg__wide_alloc(((size_t)state->count + 1) * sizeof *shown_in);
    bool enough = shown_in != NULL;
    for (uint32_t i = 0; enough && i < state->count; i++)
        shown_in[i] = state->items[i].area != LG_NONE
                          ? state->items[i].area
                          : shown_in[state->items[i].parent];
    for (size_t i = 0; enough && i < state->out.older; i++) {
        older from = {0};
        enough = open_older(&from, state, state->options.older[i]);
        if (enough) {
            add_snapshot(state, &from, i, shown_in);
            find_totals(state->options.older[i], &from,
                        state->out.bytes + i * state->each);
        }
        lg__wide_free(from.device);
    }
    lg__wide_free(shown_in);
    return enough;
}

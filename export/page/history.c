// What the areas of the map had in older snapshots: keys identify their places.

#include "page/history.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 }; // every reader of JSON keeps so many digits

typedef struct older {
    const lg_places *places;
    uint32_t *device; /* [its devices] the index in the map, or LG_NONE */
    uint32_t devices;
} older;

static bool
is_same(lg_string a, lg_string b)
{
    return a.length == b.length &&
           (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}

static bool
open_older(older *to, const lg__map *map, const lg_summary *summary)
{
    to->places = lg_summary_places(summary);
    to->devices = lg_places_device_count(to->places) + 1;
    to->device = malloc(to->devices * sizeof *to->device);
    for (uint32_t i = 0; to->device && i < to->devices; i++) {
        lg_string name = lg_places_device_name(to->places, i);
        to->device[i] = LG_NONE;
        for (uint32_t on = 0; on < map->devices; on++)
            if (is_same(name, lg_places_device_name(map->places, on)))
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

static uint64_t *
bytes_of(const lg__history *history, uint64_t *series, uint32_t at, uint32_t of)
{
    return series + ((size_t)at * history->older + of) * history->devices;
}

// Reads what a summary says of all places on a device. A summary by an older
// leakgraph does not say it, and leaves *out unchanged.
static void
find_total(const lg_summary *summary, lg_string device, uint64_t *out)
{
    static const char prefix[] = "places.";
    const uint32_t length = sizeof prefix - 1;
    lg_string key = {0};
    lg_string value = {0};
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++) {
        lg_string name = {key.data + length, key.length - length};
        if (key.length <= length || memcmp(key.data, prefix, length) != 0 ||
            !is_same(name, device) || value.length > DIGITS)
            continue;
        char digits[DIGITS + 1] = "";
        memcpy(digits, value.data, value.length);
        *out = strtoull(digits, NULL, 10);
    }
}

// Corrects the sum, because a file leaves out small places that lie below no
// other.
static void
correct_total(const lg_summary *summary, const older *from, uint64_t *total)
{
    for (uint32_t i = 0; i < from->devices; i++)
        if (from->device[i] != LG_NONE)
            find_total(summary, lg_places_device_name(from->places, i),
                       &total[from->device[i]]);
}

// Adds what each area had in one snapshot. above: for each item, the item that
// shows it.
static void
add_snapshot(lg__history *history, const lg__map *map, const older *from,
             uint32_t index, const uint32_t *above)
{
    uint64_t *total = history->total + (size_t)index * history->devices;
    for (uint32_t i = 0; i < lg_places_count(from->places); i++)
        add_bytes(from, lg_places_at(from->places, i).own, total);
    for (uint32_t i = 0; i < map->count; i++) {
        const lg__map_item *item = &map->items[i];
        if (item->place == LG_NONE)
            continue;
        uint64_t key = lg_places_at(map->places, item->place).key;
        uint32_t known = lg_places_find(from->places, key);
        if (known == LG_NONE)
            continue;
        uint64_t *series = item->at == LG_NONE ? history->rest : history->own;
        add_bytes(from, lg_places_at(from->places, known).own,
                  bytes_of(history, series, above[i], index));
    }
}

lg_status
lg__history_find(lg__history *history, const lg__map *map, lg_error *err)
{
    const lg_page_options *options = map->page->options;
    size_t older_count =
        options->summary_count > 1 ? options->summary_count - 1 : 0;
    *history =
        (lg__history){.older = (uint32_t)older_count, .devices = map->devices};
    size_t each = older_count * map->devices + 1;
    uint32_t *above = malloc(((size_t)map->count + 1) * sizeof *above);
    history->own = calloc((size_t)map->shown * each + 1, sizeof(uint64_t));
    history->rest = calloc((size_t)map->shown * each + 1, sizeof(uint64_t));
    history->total = calloc(each, sizeof(uint64_t));
    bool made = above && history->own && history->rest && history->total;
    for (uint32_t i = 0; made && i < map->count; i++)
        above[i] = map->items[i].at != LG_NONE ? map->items[i].at
                                               : above[map->items[i].parent];
    for (uint32_t i = 0; made && i < history->older; i++) {
        older from = {0};
        made = open_older(&from, map, options->summaries[i]);
        if (made) {
            add_snapshot(history, map, &from, i, above);
            correct_total(options->summaries[i], &from,
                          history->total + (size_t)i * history->devices);
        }
        free(from.device);
    }
    free(above);
    return made ? LG_OK : lg_error_set(err, LG_ENOMEM, "memory ran out");
}

void
lg__history_free(lg__history *history)
{
    free(history->own);
    free(history->rest);
    free(history->total);
}

static void
write_series(const lg__history *history, const uint64_t *series, lg_json *json)
{
    lg_json_array(json, NULL);
    for (uint32_t i = 0; i < history->older; i++) {
        lg_json_array(json, NULL);
        for (uint32_t on = 0; on < history->devices; on++)
            lg_json_count(json, NULL, series[i * history->devices + on]);
        lg_json_end(json);
    }
    lg_json_end(json);
}

void
lg__history_write(const lg__history *history, const uint64_t *bytes,
                  uint32_t at, const uint64_t *now, lg_json *json)
{
    const uint64_t *series =
        bytes + (size_t)at * history->older * history->devices;
    bool changed = false;
    for (uint32_t i = 0; i < history->older; i++)
        changed |= memcmp(series + (size_t)i * history->devices, now,
                          history->devices * sizeof *now) != 0;
    if (changed)
        write_series(history, series, json);
    else
        lg_json_null(json, NULL);
}

static void
write_time(const lg_summary *summary, lg_json *json)
{
    static const lg_string time = {"time", 4};
    lg_string key = {0};
    lg_string value = {0};
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++)
        if (is_same(key, time)) {
            lg_json_string(json, NULL, value.data, value.length);
            return;
        }
    lg_json_string(json, NULL, "", 0);
}

void
lg__history_write_all(const lg__history *history, const lg__map *map,
                      lg_json *json)
{
    const lg_page_options *options = map->page->options;
    if (history->older == 0)
        return;
    lg_json_array(json, "snapshots");
    for (size_t i = 0; i < options->summary_count; i++)
        write_time(options->summaries[i], json);
    lg_json_end(json);
    lg_json_name(json, "totals", strlen("totals"));
    write_series(history, history->total, json);
}

// Writes the data of the page, for its script and for other programs.
#include "page/page_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

// Writes the dominator tree, folded by place, for the page's script: an array
// for each area, parents first.

/* Nobody can tell more areas apart, and they would make the page large. */
#define MOST 2500u

static lg_status
find_paths(const lg__page *page, const lg_heap_map *map, lg_text *paths,
           lg_error *err)
{
    lg_node *nodes = malloc((map->count + 1) * sizeof *nodes);
    if (!nodes)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    for (size_t i = 0; i < map->count; i++) {
        uint32_t place = map->areas[i].place;
        nodes[i] = place == LG_NONE ? LG_NONE
                                    : lg_places_at(page->places, place).example;
    }
    lg_status status = lg_nodes_path_labels(page->analysis, nodes, map->count,
                                            page->monitor, paths, err);
    free(nodes);
    return status;
}

// Returns whether objects of C have mostly memory that their code asked for,
// such as the pixels of a canvas: a struct is much smaller.
static bool
has_memory_of_c(const lg_heap_map *map, const lg_area *area,
                const lg_place *place)
{
    enum { LEAST = 16 << 10 };
    return area->category == LG_CATEGORY_OTHER && place->members > 0 &&
           lg_bytes_sum(place->own, (size_t)map->devices + 1) /
                   place->members >=
               LEAST;
}

// Names what an area has, as the legend does.
static const char *
kind_of(const lg_heap_map *map, const lg_area *area, const lg_place *place)
{
    if (area->native || has_memory_of_c(map, area, place))
        return "native";
    switch (area->category) {
    case LG_CATEGORY_TYPE:
        return "class";
    case LG_CATEGORY_ATOM:
        return "value";
    default:
        return lg_category_name(area->category);
    }
}

static void
write_text(lg_json *json, lg_string text)
{
    lg_json_string(json, NULL, text.data ? text.data : "", text.length);
}

static void
write_literal(lg_json *json, const char *text)
{
    lg_json_string(json, NULL, text, strlen(text));
}

static void
write_bytes(const lg_heap_map *map, const uint64_t *bytes, lg_json *json)
{
    lg_json_array(json, NULL);
    for (uint32_t on = 0; on <= map->devices; on++)
        lg_json_count(json, NULL, bytes[on]);
    lg_json_end(json);
}

static void
write_parent(const lg_area *area, lg_json *json)
{
    if (area->parent == LG_NONE)
        lg_json_integer(json, NULL, -1);
    else
        lg_json_count(json, NULL, area->parent);
}

static void
write_package(const lg_heap_map *map, const lg_area *area, lg_json *json)
{
    const char *dot = memrchr(area->package.data, '.', area->package.length);
    const char *end = area->package.data + area->package.length;
    const char *name = dot ? dot + 1 : area->package.data;
    write_parent(area, json);
    write_text(json, (lg_string){name, (uint32_t)(end - name)});
    write_literal(json, "");
    write_literal(json, "package");
    lg_json_count(json, NULL, 0);
    lg_json_null(json, NULL);
    write_text(json, dot ? area->package : (lg_string){0});
    lg_json_null(json, NULL);
    write_bytes(map, area->within, json);
}

static void
write_place(const lg_heap_map *map, const lg_area *area, const lg_place *place,
            const lg_text *path, lg_json *json)
{
    write_parent(area, json);
    write_text(json, place->label);
    write_text(json, place->type);
    write_literal(json, kind_of(map, area, place));
    lg_json_count(json, NULL, place->members);
    if (place->example == LG_NONE)
        lg_json_null(json, NULL);
    else
        lg_json_count(json, NULL, place->example);
    write_text(json, (lg_string){path->data, (uint32_t)path->length});
    write_bytes(map, place->own, json);
    write_bytes(map, place->retained, json);
}

// Writes a list of bytes for each older snapshot.
static void
write_series(const lg_heap_map *map, const uint64_t *series, lg_json *json)
{
    lg_json_array(json, NULL);
    for (size_t i = 0; i < map->older; i++)
        write_bytes(map, series + i * (map->devices + 1), json);
    lg_json_end(json);
}

// The same; null if the bytes always were `now`.
static void
write_changes(const lg_heap_map *map, const uint64_t *series,
              const uint64_t *now, lg_json *json)
{
    size_t each = (size_t)map->devices + 1;
    bool changed = false;
    for (size_t i = 0; i < map->older; i++)
        changed |= memcmp(series + i * each, now, each * sizeof *now) != 0;
    if (changed)
        write_series(map, series, json);
    else
        lg_json_null(json, NULL);
}

// Writes what only some rows have: what is left out below, whether the package
// is the program's own, and all their earlier bytes.
static void
write_more(const lg_heap_map *map, const lg_area *area, const lg_place *place,
           lg_json *json)
{
    lg_json_count(json, NULL, area->left_out);
    if (area->left_out == 0 && !area->mine && map->older == 0)
        return;
    if (area->left_out > 0)
        write_bytes(map, area->rest, json);
    else
        lg_json_null(json, NULL);
    lg_json_bool(json, NULL, area->mine);
    if (map->older == 0)
        return;
    if (place)
        write_changes(map, area->own_before, place->own, json);
    else
        lg_json_null(json, NULL);
    write_changes(map, area->rest_before, area->rest, json);
}

static void
write_areas(const lg__page *page, const lg_heap_map *map, const lg_text *paths,
            lg_json *json)
{
    lg_json_lines(json, "places");
    for (size_t i = 0; i < map->count; i++) {
        const lg_area *area = &map->areas[i];
        bool is_place = area->place != LG_NONE;
        lg_place place = {0};
        if (is_place)
            place = lg_places_at(page->places, area->place);
        lg_json_array(json, NULL);
        if (is_place)
            write_place(map, area, &place, &paths[i], json);
        else
            write_package(map, area, json);
        write_more(map, area, is_place ? &place : NULL, json);
        lg_json_end(json);
    }
    lg_json_end(json);
}

static void
write_time(const lg_summary *summary, lg_json *json)
{
    lg_string key = {0};
    lg_string value = {0};
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++)
        if (key.length == strlen("time") &&
            !memcmp(key.data, "time", key.length)) {
            lg_json_string(json, NULL, value.data, value.length);
            return;
        }
    lg_json_string(json, NULL, "", 0);
}

// Writes the members "snapshots" (the times), "steps", if they are known, and
// "totals".
static void
write_snapshots(const lg__page *page, const lg_heap_map *map, lg_json *json)
{
    const lg_page_options *options = page->options;
    if (map->older == 0)
        return;
    lg_json_array(json, "snapshots");
    for (size_t i = 0; i < options->summary_count; i++)
        write_time(options->summaries[i], json);
    lg_json_end(json);
    if (options->steps) {
        lg_json_array(json, "steps");
        for (size_t i = 0; i < options->summary_count; i++)
            lg_json_number(json, NULL, options->steps[i]);
        lg_json_end(json);
    }
    lg_json_name(json, "totals", strlen("totals"));
    write_series(map, map->totals_before, json);
}

static void
write_map(const lg__page *page, const lg_heap_map *map, const lg_text *paths,
          lg_json *json)
{
    write_snapshots(page, map, json);
    lg_json_array(json, "devices");
    for (uint32_t on = 0; on <= map->devices; on++)
        write_text(json, lg_places_device_name(page->places, on));
    lg_json_end(json);
    write_areas(page, map, paths, json);
}

// Adds the places with the most bytes, and their history, to the data.
static lg_status
page_write_map(const lg__page *page, lg_json *json, lg_error *err)
{
    lg_heap_map map = {0};
    lg_text *paths = NULL;
    size_t summaries = page->options->summary_count;
    const lg_heap_map_options options = {.size = sizeof options,
                                         .limit = MOST,
                                         .older = page->options->summaries,
                                         .older_count =
                                             summaries > 0 ? summaries - 1 : 0};
    lg_status status = lg_heap_map_find(page->analysis, page->places, &options,
                                        page->monitor, &map, err);
    if (!status) {
        paths = calloc(map.count + 1, sizeof *paths);
        status = paths ? find_paths(page, &map, paths, err)
                       : lg_error_set(err, LG_ENOMEM, "memory ran out");
    }
    if (!status)
        write_map(page, &map, paths, json);
    for (size_t i = 0; paths && i < map.count; i++)
        lg_text_free(&paths[i]);
    free(paths);
    lg_heap_map_free(&map);
    return status;
}

// Keeps the data from ending its element. In JSON, only strings contain `<`.
static void
add_escaped(const lg_text *json, lg_text *out)
{
    const char *end = json->data + json->length;
    for (const char *at = json->data; at < end;) {
        const char *found = memchr(at, '<', (size_t)(end - at));
        lg_text_add_bytes(out, at, (size_t)((found ? found : end) - at));
        if (found)
            lg_text_add(out, "\\u003c");
        at = found ? found + 1 : end;
    }
}

lg_status
lg__page_add_data(lg__page *page, lg_error *err)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_json_object(&json, NULL);
    lg_json_count(&json, "version", 1);
    if (page->served)
        lg_json_string(&json, "objects", lg__page_links.node,
                       strlen(lg__page_links.node));
    lg_status status = page_write_map(page, &json, err);
    lg_json_end(&json);
    if (!status)
        status = lg_json_finish(&json, err);
    if (!status) {
        lg_text_add(page->out,
                    "<script type=\"application/json\" id=\"data\">");
        add_escaped(&text, page->out);
        lg_text_add(page->out, "</script>\n");
    }
    lg_text_free(&text);
    return status;
}

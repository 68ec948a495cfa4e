// Writes the dominator tree, folded by place, for the page's script: an array
// for each area, parents first.

#include "page/history.h"
#include "view/view_private.h"

#include <stdlib.h>
#include <string.h>

/* Nobody can tell more areas apart, and they would make the page large. */
#define MOST 2500u

static lg_status
find_paths(const lg__map *map, lg_text *paths, lg_error *err)
{
    lg_node *nodes = malloc((map->count + (size_t)1) * sizeof *nodes);
    if (!nodes)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    for (uint32_t i = 0; i < map->count; i++) {
        const lg__map_item *item = &map->items[i];
        if (item->at != LG_NONE)
            nodes[item->at] =
                item->place == LG_NONE
                    ? LG_NONE
                    : lg_places_at(map->places, item->place).example;
    }
    lg_status status = lg_nodes_path_labels(
        map->page->analysis, nodes, map->shown, map->page->monitor, paths, err);
    free(nodes);
    return status;
}

// Marks the packages that the program's own modules hold something of.
static lg_status
find_mine(lg__map *map, lg_error *err)
{
    lg_scope *scope = NULL;
    lg_status status = lg_scope_new(map->page->graph, true, NULL,
                                    map->page->monitor, &scope, err);
    for (uint32_t i = map->packages; !status && scope && i < map->count; i++) {
        lg_place place = lg_places_at(map->places, map->items[i].place);
        lg__map_item *above = &map->items[map->items[i].parent];
        if (place.parent != LG_NONE || place.example == LG_NONE ||
            !lg_scope_has(scope, place.example))
            continue;
        while (above->parent != LG_NONE)
            above = &map->items[above->parent];
        above->mine = true;
    }
    lg_scope_free(scope);
    return status;
}

// Names a category in the legend: "object" for an unknown one.
static const char *
category_name(lg_category category)
{
    switch (category) {
    case LG_CATEGORY_TYPE:
        return "class";
    case LG_CATEGORY_ATOM:
        return "value";
    default:
        return category <= LG_CATEGORY_ATOM ? lg__category_name(category)
                                            : "object";
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
write_bytes(lg_json *json, const uint64_t *bytes, uint32_t devices)
{
    lg_json_array(json, NULL);
    for (uint32_t on = 0; on < devices; on++)
        lg_json_count(json, NULL, bytes[on]);
    lg_json_end(json);
}

static void
write_parent(const lg__map *map, const lg__map_item *item, lg_json *json)
{
    if (item->parent == LG_NONE)
        lg_json_integer(json, NULL, -1);
    else
        lg_json_count(json, NULL, map->items[item->parent].at);
}

static void
write_package(const lg__map *map, const lg__map_item *item, lg_json *json)
{
    const char *dot = memrchr(item->package.data, '.', item->package.length);
    const char *end = item->package.data + item->package.length;
    const char *name = dot ? dot + 1 : item->package.data;
    write_parent(map, item, json);
    write_text(json, (lg_string){name, (uint32_t)(end - name)});
    write_literal(json, "");
    write_literal(json, "package");
    lg_json_count(json, NULL, 0);
    lg_json_null(json, NULL);
    write_text(json, dot ? item->package : (lg_string){0});
    lg_json_null(json, NULL);
    write_bytes(json, item->within, map->devices);
}

static void
write_place(const lg__map *map, const lg__map_item *item, const lg_text *path,
            lg_json *json)
{
    lg_place place = lg_places_at(map->places, item->place);
    write_parent(map, item, json);
    write_text(json, place.label);
    write_text(json, place.type);
    write_literal(json, category_name(lg__map_category(map, item->place)));
    lg_json_count(json, NULL, place.members);
    if (place.example == LG_NONE)
        lg_json_null(json, NULL);
    else
        lg_json_count(json, NULL, place.example);
    write_text(json, (lg_string){path->data, (uint32_t)path->length});
    write_bytes(json, place.own, map->devices);
    write_bytes(json, place.retained, map->devices);
}

// Writes what only some rows have: what is left out below, whether the package
// is the program's own, and all their earlier bytes.
static void
write_more(const lg__map *map, const lg__history *history,
           const lg__map_item *item, lg_json *json)
{
    lg_json_count(json, NULL, item->left_out);
    if (item->left_out == 0 && !item->mine && history->older == 0)
        return;
    if (item->left_out > 0)
        write_bytes(json, item->rest, map->devices);
    else
        lg_json_null(json, NULL);
    lg_json_bool(json, NULL, item->mine);
    if (history->older == 0)
        return;
    if (item->place == LG_NONE)
        lg_json_null(json, NULL);
    else
        lg__history_write(history, history->own, item->at,
                          lg_places_at(map->places, item->place).own, json);
    lg__history_write(history, history->rest, item->at, item->rest, json);
}

static void
write_items(const lg__map *map, const lg__history *history,
            const lg_text *paths, lg_json *json)
{
    lg_json_lines(json, "places");
    for (uint32_t i = 0; i < map->count; i++) {
        const lg__map_item *item = &map->items[i];
        if (item->at == LG_NONE)
            continue;
        lg_json_array(json, NULL);
        if (item->place == LG_NONE)
            write_package(map, item, json);
        else
            write_place(map, item, &paths[item->at], json);
        write_more(map, history, item, json);
        lg_json_end(json);
    }
    lg_json_end(json);
}

static lg_status
write_map(const lg__map *map, const lg_text *paths, lg_json *json,
          lg_error *err)
{
    lg__history history;
    lg_status status = lg__history_find(&history, map, err);
    if (!status) {
        lg__history_write_all(&history, map, json);
        lg_json_array(json, "devices");
        for (uint32_t on = 0; on < map->devices; on++)
            write_text(json, lg_places_device_name(map->places, on));
        lg_json_end(json);
        write_items(map, &history, paths, json);
    }
    lg__history_free(&history);
    return status;
}

lg_status
lg__page_write_map(const lg__page *page, lg_json *json, lg_error *err)
{
    lg__map map;
    lg_text *paths = NULL;
    lg_status status = lg__map_choose(&map, page, MOST, err);
    if (!status)
        status = find_mine(&map, err);
    if (!status) {
        paths = calloc((size_t)map.shown + 1, sizeof *paths);
        status = paths ? find_paths(&map, paths, err)
                       : lg_error_set(err, LG_ENOMEM, "memory ran out");
    }
    if (!status)
        status = write_map(&map, paths, json, err);
    for (uint32_t i = 0; paths && i < map.shown; i++)
        lg_text_free(&paths[i]);
    free(paths);
    lg__map_free(&map);
    return status;
}

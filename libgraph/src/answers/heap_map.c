// Chooses the areas of a map, and adds up what has none.
#include "answers/map_search.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>

static void
add(const lg__map_search *state, uint64_t *sums, const uint64_t *bytes)
{
    for (uint32_t on = 0; on < state->each; on++)
        sums[on] += bytes[on];
}

// Sums from the end, because parents come before their children.
static void
add_up(lg__map_search *state, uint64_t *total)
{
    for (uint32_t i = state->count; i-- > 0;) {
        lg__map_item *item = &state->items[i];
        if (item->place != LG_NONE)
            add(state, item->within,
                lg_places_at(state->places, item->place).own);
        add(state,
            item->parent == LG_NONE ? total : state->items[item->parent].within,
            item->within);
    }
    for (uint32_t i = 0; i < state->count; i++)
        for (uint32_t on = 0; on < state->each; on++) {
            lg__map_item *item = &state->items[i];
            double part = total[on] > 0
                              ? (double)item->within[on] / (double)total[on]
                              : 0;
            item->score = part > item->score ? part : item->score;
        }
}

static int
by_score(const void *left, const void *right, void *context)
{
    const lg__map_item *items = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    if (items[a].score != items[b].score)
        return items[a].score > items[b].score ? -1 : 1;
    return a < b ? -1 : a > b;
}

// A parent scores no less than its children and comes before them. All outer
// packages have an area, so one of them contains what is left out.
static void
choose(lg__map_search *state, uint32_t *order)
{
    lg__map_item *items = state->items;
    size_t limit = state->options.limit;
    for (uint32_t i = 0; i < state->count; i++) {
        order[i] = i;
        items[i].area = items[i].parent == LG_NONE ? 0 : LG_NONE;
    }
    qsort_r(order, state->count, sizeof *order, by_score, items);
    for (uint32_t i = 0; i < state->count && (limit == 0 || i < limit); i++)
        if (items[order[i]].score > 0)
            items[order[i]].area = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (items[i].area != LG_NONE)
            items[i].area = (uint32_t)state->out.count++;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t parent = items[i].parent;
        if (parent == LG_NONE || items[i].area != LG_NONE ||
            items[parent].area == LG_NONE)
            continue;
        items[parent].left_out++;
        add(state, items[parent].rest, items[i].within);
    }
}

// Marks the outer packages that the program's own modules hold something of.
static lg_status
find_mine(lg__map_search *state, const lg_monitor *monitor, lg_error *err)
{
    lg_scope *scope = NULL;
    lg_status status =
        lg_scope_new(state->graph, true, NULL, monitor, &scope, err);
    for (uint32_t i = state->packages;
         status == LG_OK && scope != NULL && i < state->count; i++) {
        lg_place place = lg_places_at(state->places, state->items[i].place);
        lg__map_item *above = &state->items[state->items[i].parent];
        if (place.parent != LG_NONE || place.example == LG_NONE ||
            !lg_scope_has(scope, place.example))
            continue;
        while (above->parent != LG_NONE)
            above = &state->items[above->parent];
        above->mine = true;
    }
    lg_scope_free(scope);
    return status;
}

static lg_area
area_of(const lg__map_search *state, const lg__map_item *item, uint64_t *bytes)
{
    lg_area area = {
        .package = item->package,
        .place = item->place,
        .parent =
            item->parent == LG_NONE ? LG_NONE : state->items[item->parent].area,
        .category = LG_CATEGORY_OTHER,
        .mine = item->mine,
        .left_out = item->left_out,
        .within = bytes,
        .rest = bytes + state->each,
        .own_before = bytes + 2 * (size_t)state->each,
        .rest_before = bytes + (2 + state->out.older) * (size_t)state->each,
    };
    if (item->place != LG_NONE)
        area.category =
            lg_place_category(state->places, item->place, state->graph);
    add(state, bytes, item->within);
    add(state, bytes + state->each, item->rest);
    return area;
}

// Makes the areas; the bytes of all, and of older snapshots, come first.
static bool
make_areas(lg__map_search *state)
{
    lg_heap_map *map = &state->out;
    size_t before = map->older * state->each;
    size_t numbers = 2 * ((size_t)state->each + before);
    map->areas = lg__wide_alloc((map->count + 1) * sizeof *map->areas);
    map->bytes =
        lg__wide_calloc(before + map->count * numbers + 1, sizeof *map->bytes);
    if (map->areas == NULL || map->bytes == NULL)
        return false;
    map->totals_before = map->bytes;
    for (uint32_t i = 0; i < state->count; i++) {
        const lg__map_item *item = &state->items[i];
        if (item->area != LG_NONE)
            map->areas[item->area] = area_of(
                state, item, map->bytes + before + item->area * numbers);
    }
    return lg__map_history(state);
}

static lg_status
find(lg__map_search *state, const lg_monitor *monitor, lg_error *err)
{
    if (!lg__map_items(state))
        return lg__error_memory(err);
    uint64_t *total = lg__wide_calloc(state->each, sizeof *total);
    uint32_t *order =
        lg__wide_alloc(((size_t)state->count + 1) * sizeof *order);
    bool enough = total != NULL && order != NULL;
    if (enough) {
        add_up(state, total);
        choose(state, order);
    }
    lg__wide_free(total);
    lg__wide_free(order);
    lg_status status =
        enough ? find_mine(state, monitor, err) : lg__error_memory(err);
    if (status == LG_OK && !make_areas(state))
        status = lg__error_memory(err);
    return status;
}

lg_status
lg_heap_map_find(const lg_analysis *analysis, const lg_places *places,
                 const lg_heap_map_options *options, const lg_monitor *monitor,
                 lg_heap_map *out, lg_error *err)
{
    lg__map_search state = {.graph = lg_analysis_graph(analysis),
                            .places = places,
                            .options = LG_HEAP_MAP_OPTIONS_INIT};
    lg_status status =
        lg_options_read(&state.options, options, "lg_heap_map_options", err);
    if (status != LG_OK)
        return status;
    state.each = lg_places_device_count(places) + 1;
    state.out.devices = state.each - 1;
    state.out.older = state.options.older_count;
    status = find(&state, monitor, err);
    if (status == LG_OK)
        *out = state.out;
    else
        lg_heap_map_free(&state.out);
    lg__wide_free(state.items);
    lg__wide_free(state.bytes);
    return status;
}

void
lg_heap_map_free(lg_heap_map *map)
{
    lg__wide_free(map->areas);
    lg__wide_free(map->bytes);
    *map = (lg_heap_map){0};
}

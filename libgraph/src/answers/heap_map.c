// Chooses the areas of a map, and adds up what has none.
//
// The items are packages and places, each behind its parent, so that one pass
// from the last to the first adds up what lies below each. The score of an item
// is its greatest share of the bytes of any device, so none scores more than
// its parent, and the items with the highest scores are a tree whose roots are
// outer packages. What has no area counts to the rest of the nearest item above
// it that has one: the areas and their rests add up to all bytes.
#include "answers/answers_private.h"

#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/options.h>

#include <stdlib.h>
#include <string.h>

// A package or another group of roots, or a place.
typedef struct map_item {
    lg_string package; /**< of a package */
    uint32_t place;    /**< LG_NONE: a package */
    uint32_t parent;   /**< an item; LG_NONE: an outer package */
    uint32_t area;     /**< index of its area; LG_NONE: it has none */
    uint32_t left_out; /**< direct children without an area */
    double score;      /**< the greatest share of the bytes of a device */
    uint64_t *within;  /**< [each] its own bytes and all below */
    uint64_t *rest;    /**< [each] the part of `within` without an area */
    bool mine;         /**< an outer package of the program */
} map_item;

typedef struct map_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_places *places;
    lg_heap_map_options options;
    map_item *items; /**< packages, then all places; parents first */
    uint64_t *bytes; /**< what the items point into */
    uint32_t packages;
    uint32_t count;
    uint32_t each; /**< devices, and the host */
    lg_heap_map out;
} map_search;

// Gathers the places below the super-root by package.

// Finds the package of a place below the super-root. A module belongs to
// itself.
static lg_string
package_of(const map_search *state, uint32_t index)
{
    lg_place place = lg_places_at(state->places, index);
    lg_category category =
        lg_place_category(state->places, index, state->graph);
    if (place.kind == LG_PLACE_GARBAGE)
        return lg__string_of("garbage");
    if (category == LG_CATEGORY_ROOT || category == LG_CATEGORY_FRAME)
        return lg__string_of("threads and tasks");
    if (place.label.length == 0)
        return lg__string_of("several holders, or native code");
    if (category == LG_CATEGORY_MODULE)
        return place.label;
    const char *dot = memrchr(place.label.data, '.', place.label.length);
    if (dot == NULL)
        return lg__string_of("builtins");
    return (lg_string){place.label.data, (uint32_t)(dot - place.label.data)};
}

typedef struct root {
    lg_string package;
    uint32_t place;
} root;

// Orders dotted names so that a package comes right before all that is in it: a
// dot comes before any other character, so `json.tool` before `json-lines`.
static int
compare(lg_string a, lg_string b)
{
    uint32_t least = a.length < b.length ? a.length : b.length;
    for (uint32_t i = 0; i < least; i++) {
        unsigned char one = (unsigned char)a.data[i];
        unsigned char other = (unsigned char)b.data[i];
        if (one != other)
            return one == '.' ? -1 : other == '.' ? 1 : one - other;
    }
    return a.length < b.length ? -1 : a.length > b.length;
}

static int
by_package(const void *left, const void *right)
{
    return compare(((const root *)left)->package,
                   ((const root *)right)->package);
}

/* `torch`, `torch.nn` and `torch.nn.modules` are packages; deeper modules
 * belong to the last one. */
enum { LEVELS = 3 };

// Returns the first parts of a dotted name; `*end` says whether these are all.
static lg_string
first_parts(lg_string name, unsigned parts, bool *end)
{
    const char *at = name.data;
    size_t rest = name.length;
    for (; parts > 0; parts--) {
        const char *dot = memchr(at, '.', rest);
        *end = dot == NULL;
        if (*end)
            return name;
        rest -= (size_t)(dot + 1 - at);
        at = dot + 1;
    }
    return (lg_string){name.data, (uint32_t)(at - 1 - name.data)};
}

// Adds the packages that the next name needs, and returns the innermost. Names
// come in order.
static uint32_t
add_package(map_search *state, lg_string name, uint32_t open[LEVELS])
{
    uint32_t parent = LG_NONE;
    bool end = false;
    for (unsigned level = 0; level < LEVELS && !end; level++) {
        lg_string package = first_parts(name, level + 1, &end);
        if (open[level] == LG_NONE ||
            compare(state->items[open[level]].package, package) != 0) {
            state->items[state->packages] = (map_item){
                .package = package, .place = LG_NONE, .parent = parent};
            open[level] = state->packages++;
            for (unsigned inner = level + 1; inner < LEVELS; inner++)
                open[inner] = LG_NONE;
        }
        parent = open[level];
    }
    return parent;
}

// Adds all packages. above[place] becomes the package of each root.
static bool
add_packages(map_search *state, uint32_t places, uint32_t *above)
{
    uint32_t count = 0;
    uint32_t open[LEVELS] = {LG_NONE, LG_NONE, LG_NONE};
    root *roots = lg__alloc(((size_t)places + 1) * sizeof *roots);
    if (roots == NULL)
        return false;
    for (uint32_t i = 0; i < places; i++)
        if (lg_places_at(state->places, i).parent == LG_NONE)
            roots[count++] = (root){package_of(state, i), i};
    qsort(roots, count, sizeof *roots, by_package);
    for (uint32_t i = 0; i < count; i++)
        above[roots[i].place] = add_package(state, roots[i].package, open);
    lg__free(roots);
    return true;
}

static void
add_places(map_search *state, uint32_t places, const uint32_t *above)
{
    state->count = state->packages;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t parent = lg_places_at(state->places, i).parent;
        state->items[state->count++] = (map_item){
            .place = i,
            .parent = parent == LG_NONE ? above[i] : state->packages + parent,
        };
    }
}

// Makes items of all packages and places. Returns false when memory ran out.
static bool
map_items(map_search *state)
{
    uint32_t places = lg_places_count(state->places);
    size_t most = (LEVELS + 1) * (size_t)places + 1;
    uint32_t *above = lg__alloc(((size_t)places + 1) * sizeof *above);
    state->items = lg__calloc(most, sizeof *state->items);
    state->bytes = lg__calloc(2 * most * state->each, sizeof *state->bytes);
    bool made = above != NULL && state->items != NULL && state->bytes != NULL &&
                add_packages(state, places, above);
    if (made)
        add_places(state, places, above);
    for (uint32_t i = 0; made && i < state->count; i++) {
        state->items[i].within = state->bytes + 2 * (size_t)i * state->each;
        state->items[i].rest = state->items[i].within + state->each;
    }
    lg__free(above);
    return made;
}

// What the areas of a map had in older snapshots: keys identify their places.

// A summary, with its devices as the map numbers them.
typedef struct older {
    const lg_places *places;
    uint32_t *device; // [its devices] the map's index, or LG_NONE
    uint32_t devices;
} older;

static bool
open_older(older *to, const map_search *state, const lg_summary *summary)
{
    to->places = lg_summary_places(summary);
    to->devices = lg_places_device_count(to->places) + 1;
    to->device = lg__alloc(to->devices * sizeof *to->device);
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
bytes_of(map_search *state, uint32_t area, bool own, size_t index)
{
    const lg_area *found = &state->out.areas[area];
    const uint64_t *series = own ? found->own_before : found->rest_before;
    return state->out.bytes + (series - state->out.bytes) + index * state->each;
}

// Adds what each area had in one snapshot. shown_in: for each item, the area
// that shows it.
static void
add_snapshot(map_search *state, const older *from, size_t index,
             const uint32_t *shown_in)
{
    for (uint32_t i = 0; i < state->count; i++) {
        const map_item *item = &state->items[i];
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

// Adds up what the areas had in older snapshots. Places go by key. Returns
// false when memory ran out.
static bool
map_history(map_search *state)
{
    uint32_t *shown_in =
        lg__alloc(((size_t)state->count + 1) * sizeof *shown_in);
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
        lg__free(from.device);
    }
    lg__free(shown_in);
    return enough;
}

static void
add(const map_search *state, uint64_t *sums, const uint64_t *bytes)
{
    for (uint32_t on = 0; on < state->each; on++)
        sums[on] += bytes[on];
}

// Sums from the end, because parents come before their children.
static void
add_up(map_search *state, uint64_t *total)
{
    for (uint32_t i = state->count; i-- > 0;) {
        map_item *item = &state->items[i];
        if (item->place != LG_NONE)
            add(state, item->within,
                lg_places_at(state->places, item->place).own);
        add(state,
            item->parent == LG_NONE ? total : state->items[item->parent].within,
            item->within);
    }
    for (uint32_t i = 0; i < state->count; i++)
        for (uint32_t on = 0; on < state->each; on++) {
            map_item *item = &state->items[i];
            double part = total[on] > 0
                              ? (double)item->within[on] / (double)total[on]
                              : 0;
            item->score = part > item->score ? part : item->score;
        }
}

static int
by_score(const void *left, const void *right, void *context)
{
    const map_item *items = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    if (items[a].score != items[b].score)
        return items[a].score > items[b].score ? -1 : 1;
    return a < b ? -1 : a > b;
}

// A parent scores no less than its children and comes before them. All outer
// packages have an area, so one of them contains what is left out.
static void
choose(map_search *state, uint32_t *order)
{
    map_item *items = state->items;
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
find_mine(map_search *state, const lg_monitor *monitor, lg_error *err)
{
    lg_scope *scope = NULL;
    lg_status status =
        lg_scope_new(state->graph, true, NULL, monitor, &scope, err);
    for (uint32_t i = state->packages;
         status == LG_OK && scope != NULL && i < state->count; i++) {
        lg_place place = lg_places_at(state->places, state->items[i].place);
        map_item *above = &state->items[state->items[i].parent];
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

// Returns whether most bytes of a place are memory of C code. The blocks that
// an object holds are a part of it, and the example stands for all members.
static bool
is_native(const map_search *state, uint32_t index)
{
    const lg_analysis *analysis = state->analysis;
    lg_place place = lg_places_at(state->places, index);
    uint64_t blocks = 0;
    if (place.example == LG_NONE || !lg__graph_has_native(state->graph))
        return false;
    if (lg__node_is_native(state->graph, place.example))
        return true;
    const lg__children children = lg__children_of(analysis, place.example);
    for (uint32_t i = children.begin; i < children.end; i++) {
        const uint32_t child = lg__child_at(analysis, i);
        if (lg__node_is_native(state->graph, child))
            blocks += lg__sum_of(&analysis->host, child);
    }
    return 2 * (double)blocks * (double)place.members > (double)place.own[0];
}

static lg_area
area_of(const map_search *state, const map_item *item, uint64_t *bytes)
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
    if (item->place != LG_NONE) {
        area.category =
            lg_place_category(state->places, item->place, state->graph);
        area.native = is_native(state, item->place);
    }
    add(state, bytes, item->within);
    add(state, bytes + state->each, item->rest);
    return area;
}

// Makes the areas; the bytes of all, and of older snapshots, come first.
static bool
make_areas(map_search *state)
{
    lg_heap_map *map = &state->out;
    size_t before = map->older * state->each;
    size_t numbers = 2 * ((size_t)state->each + before);
    map->areas = lg__alloc((map->count + 1) * sizeof *map->areas);
    map->bytes =
        lg__calloc(before + map->count * numbers + 1, sizeof *map->bytes);
    if (map->areas == NULL || map->bytes == NULL)
        return false;
    map->totals_before = map->bytes;
    for (uint32_t i = 0; i < state->count; i++) {
        const map_item *item = &state->items[i];
        if (item->area != LG_NONE)
            map->areas[item->area] = area_of(
                state, item, map->bytes + before + item->area * numbers);
    }
    return map_history(state);
}

static lg_status
find(map_search *state, const lg_monitor *monitor, lg_error *err)
{
    if (!map_items(state))
        return lg__error_memory(err);
    uint64_t *total = lg__calloc(state->each, sizeof *total);
    uint32_t *order = lg__alloc(((size_t)state->count + 1) * sizeof *order);
    bool enough = total != NULL && order != NULL;
    if (enough) {
        add_up(state, total);
        choose(state, order);
    }
    lg__free(total);
    lg__free(order);
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
    map_search state = {.analysis = analysis,
                        .graph = lg_analysis_graph(analysis),
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
    lg__free(state.items);
    lg__free(state.bytes);
    return status;
}

void
lg_heap_map_free(lg_heap_map *map)
{
    lg__free(map->areas);
    lg__free(map->bytes);
    *map = (lg_heap_map){0};
}

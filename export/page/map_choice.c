// Chooses the places that the page shows, and adds up what it leaves out.

#include "page/map.h"

#include <stdlib.h>
#include <string.h>

lg_category
lg__map_category(const lg__map *map, uint32_t place)
{
    return lg_place_category(map->places, place, map->page->graph);
}

static lg_string
literal(const char *text)
{
    return (lg_string){text, (uint32_t)strlen(text)};
}

// Finds the package of a place below the super-root: tens of thousands of
// classes and modules would make a mosaic. A module belongs to itself.
static lg_string
package_of(const lg__map *map, uint32_t index)
{
    lg_place place = lg_places_at(map->places, index);
    lg_string label = place.label;
    if (place.kind == LG_PLACE_GARBAGE)
        return literal("garbage");
    lg_category category = lg__map_category(map, index);
    if (category == LG_CATEGORY_ROOT || category == LG_CATEGORY_FRAME)
        return literal("threads and tasks");
    if (label.length == 0)
        return literal("several holders, or native code");
    if (category == LG_CATEGORY_MODULE)
        return label;
    const char *dot = memrchr(label.data, '.', label.length);
    if (!dot)
        return literal("builtins");
    return (lg_string){label.data, (uint32_t)(dot - label.data)};
}

typedef struct root {
    lg_string package;
    uint32_t place;
} root;

static int
compare(lg_string a, lg_string b)
{
    uint32_t least = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.data, b.data, least);
    if (order != 0)
        return order;
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
package_item(lg__map *map, lg_string name, uint32_t open[LEVELS])
{
    uint32_t parent = LG_NONE;
    bool end = false;
    for (unsigned level = 0; level < LEVELS && !end; level++) {
        lg_string package = first_parts(name, level + 1, &end);
        if (open[level] == LG_NONE ||
            compare(map->items[open[level]].package, package) != 0) {
            map->items[map->packages] = (lg__map_item){
                .package = package, .place = LG_NONE, .parent = parent};
            open[level] = map->packages++;
            for (unsigned inner = level + 1; inner < LEVELS; inner++)
                open[inner] = LG_NONE;
        }
        parent = open[level];
    }
    return parent;
}

// Makes items of packages. above[place] becomes the item of each root.
static bool
add_packages(lg__map *map, uint32_t places, uint32_t *above)
{
    uint32_t count = 0;
    uint32_t open[LEVELS] = {LG_NONE, LG_NONE, LG_NONE};
    root *roots = malloc(((size_t)places + 1) * sizeof *roots);
    if (!roots)
        return false;
    for (uint32_t i = 0; i < places; i++) {
        if (lg_places_at(map->places, i).parent == LG_NONE)
            roots[count++] = (root){package_of(map, i), i};
    }
    qsort(roots, count, sizeof *roots, by_package);
    for (uint32_t i = 0; i < count; i++)
        above[roots[i].place] = package_item(map, roots[i].package, open);
    free(roots);
    return true;
}

static void
add_places(lg__map *map, uint32_t places, const uint32_t *above)
{
    map->count = map->packages;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t parent = lg_places_at(map->places, i).parent;
        map->items[map->count++] = (lg__map_item){
            .place = i,
            .parent = parent == LG_NONE ? above[i] : map->packages + parent,
        };
    }
}

static bool
allocate(lg__map *map, uint32_t places)
{
    size_t most = (LEVELS + 1) * (size_t)places + 1;
    uint32_t *above = malloc(most * sizeof *above);
    map->items = calloc(most, sizeof *map->items);
    map->order = malloc(most * sizeof *map->order);
    map->bytes = calloc(2 * most * map->devices, sizeof *map->bytes);
    bool made = above && map->items && map->order && map->bytes &&
                add_packages(map, places, above);
    if (made)
        add_places(map, places, above);
    for (uint32_t i = 0; made && i < map->count; i++) {
        map->items[i].within = map->bytes + 2 * (size_t)i * map->devices;
        map->items[i].rest = map->items[i].within + map->devices;
    }
    free(above);
    return made;
}

static void
add(const lg__map *map, uint64_t *sums, const uint64_t *bytes)
{
    for (uint32_t on = 0; on < map->devices; on++)
        sums[on] += bytes[on];
}

// Sums from the end, because parents come before their children.
static void
add_up(lg__map *map, uint64_t *total)
{
    for (uint32_t i = map->count; i-- > 0;) {
        lg__map_item *item = &map->items[i];
        if (item->place != LG_NONE)
            add(map, item->within, lg_places_at(map->places, item->place).own);
        add(map,
            item->parent == LG_NONE ? total : map->items[item->parent].within,
            item->within);
    }
    for (uint32_t i = 0; i < map->count; i++)
        for (uint32_t on = 0; on < map->devices; on++) {
            lg__map_item *item = &map->items[i];
            double part = total[on] > 0
                              ? (double)item->within[on] / (double)total[on]
                              : 0;
            item->score = part > item->score ? part : item->score;
        }
}

static int
by_score(const void *left, const void *right, void *context)
{
    const lg__map *map = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    if (map->items[a].score != map->items[b].score)
        return map->items[a].score > map->items[b].score ? -1 : 1;
    return a < b ? -1 : a > b;
}

// A parent scores no less than its children and comes before them. All outer
// packages are shown, so one of them contains what is left out.
static void
choose(lg__map *map, uint32_t most)
{
    for (uint32_t i = 0; i < map->count; i++) {
        map->order[i] = i;
        map->items[i].at = map->items[i].parent == LG_NONE ? 0 : LG_NONE;
    }
    qsort_r(map->order, map->count, sizeof *map->order, by_score, map);
    for (uint32_t i = 0; i < map->count && i < most; i++)
        if (map->items[map->order[i]].score > 0)
            map->items[map->order[i]].at = 0;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->items[i].at != LG_NONE)
            map->items[i].at = map->shown++;
    for (uint32_t i = 0; i < map->count; i++) {
        uint32_t parent = map->items[i].parent;
        if (parent == LG_NONE || map->items[i].at != LG_NONE ||
            map->items[parent].at == LG_NONE)
            continue;
        lg__map_item *above = &map->items[parent];
        above->left_out++;
        add(map, above->rest, map->items[i].within);
    }
}

lg_status
lg__map_choose(lg__map *map, const lg__page *page, uint32_t most, lg_error *err)
{
    *map = (lg__map){.page = page,
                     .places = page->places,
                     .devices = lg_places_device_count(page->places) + 1};
    uint64_t *total = calloc(map->devices, sizeof *total);
    if (!total || !allocate(map, lg_places_count(page->places))) {
        free(total);
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    }
    add_up(map, total);
    choose(map, most);
    free(total);
    return LG_OK;
}

void
lg__map_free(lg__map *map)
{
    free(map->items);
    free(map->order);
    free(map->bytes);
}

// Gathers the places below the super-root by package.
#include "answers/map_search.h"

#include <stdlib.h>
#include <string.h>

static lg_string
literal(const char *text)
{
    return (lg_string){text, (uint32_t)strlen(text)};
}

// Finds the package of a place below the super-root. A module belongs to
// itself.
static lg_string
package_of(const lg__map_search *state, uint32_t index)
{
    lg_place place = lg_places_at(state->places, index);
    lg_category category =
        lg_place_category(state->places, index, state->graph);
    if (place.kind == LG_PLACE_GARBAGE)
        return literal("garbage");
    if (category == LG_CATEGORY_ROOT || category == LG_CATEGORY_FRAME)
        return literal("threads and tasks");
    if (place.label.length == 0)
        return literal("several holders, or native code");
    if (category == LG_CATEGORY_MODULE)
        return place.label;
    const char *dot = memrchr(place.label.data, '.', place.label.length);
    if (dot == NULL)
        return literal("builtins");
    return (lg_string){place.label.data, (uint32_t)(dot - place.label.data)};
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
add_package(lg__map_search *state, lg_string name, uint32_t open[LEVELS])
{
    uint32_t parent = LG_NONE;
    bool end = false;
    for (unsigned level = 0; level < LEVELS && !end; level++) {
        lg_string package = first_parts(name, level + 1, &end);
        if (open[level] == LG_NONE ||
            compare(state->items[open[level]].package, package) != 0) {
            state->items[state->packages] = (lg__map_item){
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
add_packages(lg__map_search *state, uint32_t places, uint32_t *above)
{
    uint32_t count = 0;
    uint32_t open[LEVELS] = {LG_NONE, LG_NONE, LG_NONE};
    root *roots = lg__wide_alloc(((size_t)places + 1) * sizeof *roots);
    if (roots == NULL)
        return false;
    for (uint32_t i = 0; i < places; i++)
        if (lg_places_at(state->places, i).parent == LG_NONE)
            roots[count++] = (root){package_of(state, i), i};
    qsort(roots, count, sizeof *roots, by_package);
    for (uint32_t i = 0; i < count; i++)
        above[roots[i].place] = add_package(state, roots[i].package, open);
    lg__wide_free(roots);
    return true;
}

static void
add_places(lg__map_search *state, uint32_t places, const uint32_t *above)
{
    state->count = state->packages;
    for (uint32_t i = 0; i < places; i++) {
        uint32_t parent = lg_places_at(state->places, i).parent;
        state->items[state->count++] = (lg__map_item){
            .place = i,
            .parent = parent == LG_NONE ? above[i] : state->packages + parent,
        };
    }
}

bool
lg__map_items(lg__map_search *state)
{
    uint32_t places = lg_places_count(state->places);
    size_t most = (LEVELS + 1) * (size_t)places + 1;
    uint32_t *above = lg__wide_alloc(((size_t)places + 1) * sizeof *above);
    state->items = lg__wide_calloc(most, sizeof *state->items);
    state->bytes =
        lg__wide_calloc(2 * most * state->each, sizeof *state->bytes);
    bool made = above != NULL && state->items != NULL && state->bytes != NULL &&
                add_packages(state, places, above);
    if (made)
        add_places(state, places, above);
    for (uint32_t i = 0; made && i < state->count; i++) {
        state->items[i].within = state->bytes + 2 * (size_t)i * state->each;
        state->items[i].rest = state->items[i].within + state->each;
    }
    lg__wide_free(above);
    return made;
}

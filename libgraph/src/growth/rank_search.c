// Finds the places where ranks differ, and the places that all ranks repeat.
#include "growth/ranks_private.h"

#include <stdlib.h>
#include <string.h>

// Numbers of members that differ by less than a tenth are alike, and so are
// bytes.
enum { ALIKE = 10 };

typedef struct search {
    lg__rank_table *table;
    uint64_t min_bytes;
    uint8_t *closed; // [count] what is here belongs to a place above
    uint8_t *far;    // [count][ranks] whether the rank differs here
} search;

static uint64_t
members_of(const search *state, uint32_t place, uint32_t rank)
{
    return state->table->members[(size_t)place * state->table->ranks + rank];
}

// Returns whether only this rank has the place, or only this rank lacks it,
// against the usual.
static bool
is_lone(const search *state, uint32_t place, uint32_t rank)
{
    return (members_of(state, place, rank) == 0) !=
           (state->table->usual_members[place] == 0);
}

// Returns whether the rank has more or fewer members than usual for each object
// above.
static bool
accumulates(const search *state, uint32_t above, uint32_t place, uint32_t rank)
{
    const lg__rank_table *table = state->table;
    double here = (double)members_of(state, place, rank) *
                  (double)table->usual_members[above];
    double usual = (double)table->usual_members[place] *
                   (double)members_of(state, above, rank);
    double more = here > usual ? here : usual;
    double less = here > usual ? usual : here;
    return more > 0 && (more - less) * ALIKE > more;
}

// Returns whether the place has nine tenths of what is above it.
static bool
is_most_of(const search *state, uint32_t above, uint32_t place, uint32_t rank)
{
    uint64_t whole = lg__rank_bytes(state->table, above, rank);
    return lg__rank_bytes(state->table, place, rank) >= whole - whole / ALIKE;
}

// Returns whether the row is about the place above: a named thing that only
// some ranks have, unless one part has almost all of its bytes. Elements belong
// to their container.
static bool
belongs_above(const search *state, uint32_t index, const lg_place *place,
              uint32_t rank)
{
    bool element = place->kind == LG_PLACE_ITEM || place->kind == LG_PLACE_KEY;
    if (is_lone(state, place->parent, rank))
        return element || !is_most_of(state, place->parent, index, rank);
    if (is_lone(state, index, rank))
        return element;
    return accumulates(state, place->parent, index, rank);
}

// Adds to `far` the ranks whose bytes on one kind of device are far from the
// usual.
static bool
find_far(const search *state, const uint64_t *bytes, uint8_t *far)
{
    const lg__rank_table *table = state->table;
    bool any = false;
    memcpy(table->sorted, bytes, table->ranks * sizeof *bytes);
    uint64_t usual = lg__rank_median(table->sorted, table->ranks);
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t apart = bytes[i] > usual ? bytes[i] - usual : usual - bytes[i];
        if (apart < state->min_bytes)
            continue;
        far[i] = 1;
        any = true;
    }
    return any;
}

// Finds the ranks that differ at the place, with everything there counted.
static void
find_different(const search *state, uint32_t place)
{
    const lg__rank_table *table = state->table;
    uint8_t *far = state->far + (size_t)place * table->ranks;
    for (size_t kind = 0; kind < table->each; kind++)
        find_far(state,
                 table->bytes +
                     ((size_t)place * table->each + kind) * table->ranks,
                 far);
}

// Returns whether a row for a place above covers this one. Only ranks that
// differ both here and above decide.
static bool
is_closed(const search *state, uint32_t index)
{
    const lg__rank_table *table = state->table;
    lg_place place = lg_places_at(table->places, index);
    if (table->is_own[index])
        return true;
    if (place.parent == LG_NONE)
        return false;
    if (state->closed[place.parent])
        return true;
    const uint8_t *here = state->far + (size_t)index * table->ranks;
    const uint8_t *above = state->far + (size_t)place.parent * table->ranks;
    for (uint32_t rank = 0; rank < table->ranks; rank++)
        if (here[rank] && above[rank] &&
            belongs_above(state, index, &place, rank))
            return true;
    return false;
}

// Finds the ranks that differ in what no row below reports.
static bool
rest_differs(const search *state, uint32_t place)
{
    const lg__rank_table *table = state->table;
    uint8_t *far = state->far + (size_t)place * table->ranks;
    bool any = false;
    for (uint32_t kind = 0; kind < table->each; kind++) {
        for (uint32_t rank = 0; rank < table->ranks; rank++)
            table->rest[rank] = lg__rank_rest(table, place, kind, rank);
        any |= find_far(state, table->rest, far);
    }
    return any;
}

static void
cover_above(const search *state, uint32_t place, bool is_shown)
{
    const lg__rank_table *table = state->table;
    uint32_t parent = lg_places_at(table->places, place).parent;
    size_t cells = (size_t)table->each * table->ranks;
    const uint64_t *from =
        (is_shown ? table->bytes : table->covered) + place * cells;
    for (size_t i = 0; parent != LG_NONE && i < cells; i++)
        table->covered[parent * cells + i] += from[i];
}

bool
lg__ranks_differ(lg__rank_table *table, uint64_t min_bytes, uint8_t *marks)
{
    search state = {.table = table, .min_bytes = min_bytes};
    state.closed = lg__wide_alloc((size_t)table->count + 1);
    state.far = lg__wide_calloc((size_t)table->count + 1, table->ranks);
    bool enough = state.closed && state.far;
    for (uint32_t i = 0; enough && i < table->count; i++) {
        find_different(&state, i);
        state.closed[i] = is_closed(&state, i);
    }
    for (uint32_t i = enough ? table->count : 0; i-- > 0;) {
        marks[i] = !state.closed[i] && rest_differs(&state, i);
        if (!state.closed[i])
            cover_above(&state, i, marks[i]);
    }
    lg__wide_free(state.closed);
    lg__wide_free(state.far);
    return enough;
}

// Finds the rank with the fewest bytes, what it has, and whether the others
// have about as much.
static uint32_t
fewest_of(const lg__rank_table *table, uint32_t place, uint64_t *least,
          bool *alike)
{
    uint32_t fewest = 0;
    uint64_t most = 0;
    *least = UINT64_MAX;
    for (uint32_t i = 0; i < table->ranks; i++) {
        uint64_t bytes = lg__rank_bytes(table, place, i);
        if (bytes < *least) {
            *least = bytes;
            fewest = i;
        }
        most = bytes > most ? bytes : most;
    }
    *alike = most - *least <= most / ALIKE;
    return fewest;
}

static void
add_each(const lg__rank_table *table, uint32_t place, uint32_t rank,
         uint64_t *bytes)
{
    for (uint32_t kind = 0; kind < table->each; kind++)
        bytes[kind] += table->bytes[lg__rank_cell(table, place, kind, rank)];
}

static bool
is_library(const lg_place *place)
{
    lg_string package = place->label;
    if (place->kind == LG_PLACE_ROOT && package.length == 0)
        return true;
    for (uint32_t i = 0; i < package.length; i++)
        if (package.data[i] == '.')
            package.length = i;
    return lg__package_is_familiar(package);
}

// Marks variables of modules as a whole, or, where ranks differ in one, its
// parts.
bool
lg__ranks_repeat(const lg__rank_table *table, uint64_t min_bytes,
                 uint8_t *marks, uint64_t *libraries)
{
    enum { LOOK_INSIDE = 1, SHOWN = 2 };
    uint8_t *state = lg__wide_calloc((size_t)table->count + 1, 1);
    if (!state)
        return false;
    for (uint32_t i = 0; i < table->count; i++) {
        lg_place place = lg_places_at(table->places, i);
        bool alike;
        uint64_t least;
        uint32_t fewest = fewest_of(table, i, &least, &alike);
        bool inside =
            place.parent == LG_NONE || state[place.parent] == LOOK_INSIDE;
        if (!inside || table->is_own[i])
            continue;
        if (place.parent == LG_NONE && is_library(&place)) {
            add_each(table, i, fewest, libraries);
        } else if (least >= min_bytes) {
            bool shown = alike && place.kind != LG_PLACE_ROOT;
            state[i] = shown ? SHOWN : LOOK_INSIDE;
            marks[i] = shown;
        }
    }
    lg__wide_free(state);
    return true;
}

// Merges places: tables of several snapshots into one, and small places into
// those above them.
#include "growth/growth_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>

typedef struct merging {
    lg_places *to;
    const lg_places *from;
    uint32_t *place;  // [count of from] number in `to`
    uint32_t *device; // [each of from] device in `to`
} merging;

// A row for the order of words by place, and then by text.
typedef struct ranked {
    lg__place_words words;
    lg_string holder;
} ranked;

static int
compare_ranked(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->words.place != b->words.place)
        return a->words.place < b->words.place ? -1 : 1;
    int order = lg__string_compare(a->holder, b->holder);
    if (order != 0)
        return order;
    return a->words.keeper < b->words.keeper
               ? -1
               : a->words.keeper > b->words.keeper;
}

// Sorts the words. Of several for one place, those stay whose holder comes
// first in byte order. Returns false when memory ran out.
static bool
sort_words(lg_places *places)
{
    lg__place_words *words = places->words.data;
    size_t count = places->words.count;
    size_t kept = 0;
    ranked *all = lg__alloc((count + 1) * sizeof *all);
    if (all == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        all[i] =
            (ranked){words[i], words[i].holder == LG_NONE
                                   ? (lg_string){"", 0}
                                   : lg__places_text(places, words[i].holder)};
    if (count > 0)
        lg__sort(all, count, sizeof *all, compare_ranked);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || words[kept - 1].place != all[i].words.place)
            words[kept++] = all[i].words;
    places->words.count = kept;
    lg__free(all);
    return true;
}

// Copies a string of one table to another; LG_NONE stays what it is.
static bool
copy_string(const lg_places *from, lg_places *to, uint32_t *string)
{
    if (*string == LG_NONE)
        return true;
    *string = lg__places_string(to, lg__places_text(from, *string));
    return *string != LG_NONE;
}

// Copies the words of a table to another, in which the places have these
// numbers, or LG_NONE. Returns false when memory ran out.
static bool
copy_words(const lg_places *from, const uint32_t *numbers, lg_places *to)
{
    const lg__place_words *words = from->words.data;
    for (size_t i = 0; i < from->words.count; i++) {
        lg__place_words copy = words[i];
        copy.place = numbers[copy.place];
        if (copy.place == LG_NONE ||
            lg__place_at(to, copy.place)->key !=
                lg__place_at(from, words[i].place)->key)
            continue;
        if (copy.keeper != LG_NONE)
            copy.keeper = numbers[copy.keeper];
        if (!copy_string(from, to, &copy.holder) ||
            !copy_string(from, to, &copy.title) ||
            !lg__places_add_words(to, copy))
            return false;
    }
    return sort_words(to);
}

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

// Adds the step of another table's place below `parent`. Returns the new place;
// LG_NONE when memory ran out.
static uint32_t
add_step(const lg_places *from, const lg__place_item *item, uint32_t parent,
         lg_places *to)
{
    uint32_t label = lg__places_string(to, lg__places_text(from, item->label));
    uint32_t type = lg__places_string(to, lg__places_text(from, item->type));
    return label != LG_NONE && type != LG_NONE
               ? lg__places_add(to, parent, (lg_place_kind)item->kind, label,
                                type)
               : LG_NONE;
}

// A place comes after the one above it, whose number in the sum is then known.
static bool
add_place(merging *state, uint32_t index)
{
    const lg_places *from = state->from;
    const lg__place_item *item = lg__place_at(from, index);
    uint32_t parent =
        item->parent == LG_NONE ? LG_NONE : state->place[item->parent];
    uint32_t place = add_step(from, item, parent, state->to);
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
    enough = enough && copy_words(from, state.place, to);
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

uint64_t
lg__place_total(const lg_places *places, uint32_t index)
{
    return lg_bytes_sum(lg__place_retained(places, index), places->each);
}

static int
compare_totals(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a > b ? -1 : a < b;
}

bool
lg__places_least(const lg_places *places, uint32_t most, uint64_t *out)
{
    uint32_t count = (uint32_t)places->items.count;
    *out = 0;
    if (count <= most)
        return true;
    uint64_t *totals = lg__alloc(count * sizeof *totals);
    if (totals == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        totals[i] = lg__place_total(places, i);
    lg__sort(totals, count, sizeof *totals, compare_totals);
    *out = totals[most];
    lg__free(totals);
    return true;
}

// Marks the places that retain more than `least`, and all places above them.
// Children come after their parents.
static void
mark(const lg_places *places, uint64_t least, uint32_t *place)
{
    for (uint32_t i = (uint32_t)places->items.count; i-- > 0;) {
        uint32_t parent = lg__place_at(places, i)->parent;
        if (least == 0 || lg__place_total(places, i) > least)
            place[i] = 1;
        if (place[i] != 0 && parent != LG_NONE)
            place[parent] = 1;
    }
}

static void
add_up(const uint64_t *from, uint64_t *to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] += from[i];
}

// Copies a place that stays. The bytes of a place that goes become its
// parent's.
static bool
copy(const lg_places *from, uint32_t index, bool stays, uint32_t *place,
     lg_places *to)
{
    const lg__place_item *item = lg__place_at(from, index);
    uint32_t parent = item->parent == LG_NONE ? LG_NONE : place[item->parent];
    place[index] = parent;
    if (stays) {
        place[index] = add_step(from, item, parent, to);
        if (place[index] == LG_NONE)
            return false;
        lg__place_item *made = lg__place_at(to, place[index]);
        made->members = item->members;
        made->references = item->references;
        add_up(lg__place_retained(from, index),
               lg__place_retained(to, place[index]), from->each);
    }
    if (place[index] != LG_NONE)
        add_up(lg__place_own(from, index), lg__place_own(to, place[index]),
               from->each);
    return true;
}

bool
lg__places_prune(const lg_places *from, uint32_t most, lg_places **out,
                 uint64_t *least)
{
    uint32_t count = (uint32_t)from->items.count;
    uint32_t *place = lg__calloc((size_t)count + 1, sizeof *place);
    lg_places *to = lg__places_begin();
    bool enough =
        place != NULL && to != NULL && lg__places_least(from, most, least);
    for (uint32_t i = 0; i < from->each && enough; i++)
        enough = lg__places_add_device(to, lg_places_device_name(from, i));
    if (enough)
        mark(from, *least, place);
    for (uint32_t i = 0; i < count && enough; i++)
        enough = copy(from, i, place[i] != 0, place, to);
    enough = enough && copy_words(from, place, to);
    lg__free(place);
    if (enough)
        *out = to;
    else
        lg_places_free(to);
    return enough;
}

// Finds the places that grow.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/native.h>
#include <leakgraph/internal/retained.h>

#include <string.h>

// Garbage that waits for the collector.
//
// The collector looks at young objects when the program has allocated as many
// as its first threshold says. Until then, cycles of garbage pile up by design,
// up to that many objects. What died later, in its oldest generation, waits for
// a full collection. That one is due when the generations have run as often as
// the other thresholds say, and the objects that reached the oldest since the
// last one are more than a quarter of those that were there.
//
// So much garbage is worth a row if it is large, however few objects it has,
// because the collector counts objects and not bytes; or if the collector will
// not free it. A program that raised the thresholds answers for what they let
// pile up, so only young objects wait there.

// Nobody looks for garbage that has fewer bytes when the collector runs.
static const double LEAST_BYTES = 16 << 20;
// The highest thresholds that an interpreter sets by itself; until 3.12, the
// first is 700.
static const uint64_t USUAL[] = {2000, 10, 10};
enum { GENERATIONS = sizeof USUAL / sizeof *USUAL };
// One object in so many may wait for a full collection.
static const uint64_t SHARE_OF_OLD = 4;

// Reads the numbers of "700, 10, 10"; what is missing is 0.
static void
read_thresholds(const lg_summary *summary, uint64_t out[GENERATIONS])
{
    lg_string text = lg__summary_text(summary, "gc.thresholds");
    for (int i = 0; i < GENERATIONS; i++) {
        uint32_t length = 0;
        while (length < text.length && text.data[length] != ',')
            length++;
        out[i] = 0;
        (void)lg__decimal_read((lg_string){text.data, length}, &out[i]);
        uint32_t next = length + 2 < text.length ? length + 2 : text.length;
        text = (lg_string){text.data + next, text.length - next};
    }
}

// Returns how many objects of garbage may wait for a full collection.
static uint64_t
most_of_old(const lg_summary *summary, const uint64_t thresholds[GENERATIONS])
{
    const lg__type_sum *types = summary->types.data;
    uint64_t runs = 1;
    uint64_t objects = 0;
    for (int i = 0; i < GENERATIONS; i++) {
        if (thresholds[i] > USUAL[i])
            return 0;
        runs *= thresholds[i] > 0 ? thresholds[i] : 1;
    }
    for (size_t i = 0; i < summary->types.count; i++)
        objects += types[i].count;
    return objects / SHARE_OF_OLD > runs ? objects / SHARE_OF_OLD : runs;
}

// Returns whether the collector frees all cycles of the summary that no root
// reaches.
static bool
is_collectable(const lg_summary *summary)
{
    const lg__tally *tallies = summary->tallies.data;
    for (size_t i = 0; i < summary->tallies.count; i++) {
        if (tallies[i].kind != LG_TALLY_CYCLE)
            continue;
        lg_string detail = lg__places_text(summary->places, tallies[i].detail);
        if (!lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_COLLECTABLE)) &&
            !lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_HELD)))
            return false;
    }
    return true;
}

// Returns whether the garbage of the newest summary is as little as the
// collector lets pile up before it runs and frees it.
static bool
growth_is_waiting(const lg__comparison *state)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg_places *places = newest->places;
    uint64_t thresholds[GENERATIONS];
    uint64_t objects = 0;
    double bytes = 0;
    if (!lg__string_is(lg__summary_text(newest, "gc.enabled"), "yes"))
        return false;
    read_thresholds(newest, thresholds);
    for (uint32_t i = 0; i < places->items.count; i++) {
        const lg__place_item *item = lg__place_at(places, i);
        if (item->kind != LG_PLACE_GARBAGE)
            continue;
        objects += item->members;
        for (uint32_t on = 0; on < places->each; on++)
            bytes += (double)lg__place_retained(places, i)[on];
    }
    const uint64_t young = thresholds[0];
    const uint64_t old = most_of_old(newest, thresholds);
    const uint64_t then = objects > young ? objects : young;
    return young > 0 && objects > 0 && (objects <= young || objects <= old) &&
           bytes / (double)objects * (double)then < LEAST_BYTES &&
           is_collectable(newest);
}

// The references that objects must gain in each interval if their bytes do not
// grow in all of them, because a dict grows by doubling. A namespace gains a
// few names in any program.
enum { LEAST_REFERENCES = 4 };

typedef enum column { MEMBERS, REFERENCES, OWN, RETAINED } column;

static double
value_of(const lg_places *places, uint32_t place, column of)
{
    if (place == LG_NONE)
        return 0;
    switch (of) {
    case MEMBERS:
        return (double)lg__place_at(places, place)->members;
    case REFERENCES:
        return (double)lg__place_at(places, place)->references;
    case OWN:
        return (double)lg_bytes_sum(lg__place_own(places, place), places->each);
    default:
        return (double)lg_bytes_sum(lg__place_retained(places, place),
                                    places->each);
    }
}

static void
read_series(const lg__comparison *state, const uint32_t *at, column of,
            double *out)
{
    for (uint32_t i = 0; i < state->count; i++)
        out[i] = value_of(state->summaries[i]->places, at[i], of);
}

static bool
is_constant(const double *numbers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (numbers[i] != numbers[0])
            return false;
    return true;
}

// Returns the group of a place. The keys and values of a container are one
// group; so is all garbage.
static uint32_t
group_of(const lg_places *places, uint32_t place)
{
    const lg__place_item *item = lg__place_at(places, place);
    if (item->kind == LG_PLACE_GARBAGE)
        return LG_NONE;
    bool contained = item->kind == LG_PLACE_ITEM || item->kind == LG_PLACE_KEY;
    return contained && item->parent != LG_NONE ? item->parent : place;
}

// Returns whether the place is unchanged, as most are.
static bool
is_unchanged(const lg__comparison *state, uint32_t place)
{
    const lg_places *oldest = state->summaries[0]->places;
    uint32_t before =
        lg_places_find(oldest, lg__place_at(state->newest, place)->key);
    for (column of = MEMBERS; of <= OWN; of++)
        if (value_of(state->newest, place, of) > value_of(oldest, before, of))
            return false;
    return true;
}

// Returns whether the members are few, and their parents came so late that two
// snapshots have them at most: these are two moments of the calls that make
// such parents, and say nothing about the next.
static bool
has_only_appeared(const lg__comparison *state)
{
    enum { FEW = 8, LEAST = 3 };
    uint32_t with_parents = 0;
    uint32_t newest = state->at[state->count - 1];
    for (uint32_t i = 0; i < state->count; i++)
        with_parents +=
            value_of(state->summaries[i]->places, state->above[i], MEMBERS) > 0;
    return with_parents < state->count && with_parents < LEAST &&
           value_of(state->newest, newest, MEMBERS) < FEW;
}

// Returns how members grow against their parents.
static lg__trend
trend_in_parents(lg__comparison *state)
{
    double *y = state->y;
    double first = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_places *places = state->summaries[i]->places;
        double parents = value_of(places, state->above[i], MEMBERS);
        y[i] =
            parents > 0 ? value_of(places, state->at[i], MEMBERS) / parents : 0;
        first = first > 0 ? first : y[i];
    }
    if (y[state->count - 1] < LG__FULLER * first)
        return LG__TREND_NONE;
    lg__trend trend = lg__trend_of(state->x, y, state->count);
    return trend > LG__TREND_SETTLED && has_only_appeared(state)
               ? LG__TREND_SETTLED
               : trend;
}

static void
add_up_parts(const lg__comparison *state)
{
    for (uint32_t i = 0; i < state->newest->items.count; i++) {
        uint32_t parent = lg__place_at(state->newest, i)->parent;
        state->parts[i] += value_of(state->newest, i, OWN);
        if (parent != LG_NONE)
            state->parts[parent] += value_of(state->newest, i, RETAINED);
    }
}

bool
lg__growth_is_led_back_to(const lg__comparison *state, uint32_t place)
{
    return state->parts[place] > value_of(state->newest, place, RETAINED);
}

// Returns what a place has gained since the oldest summary, where it is
// `before`.
static double
gain_of(const lg__comparison *state, uint32_t place, uint32_t before, column of)
{
    return value_of(state->newest, place, of) -
           value_of(state->summaries[0]->places, before, of);
}

// Returns whether the members are elements that have a container each for such
// elements, so that there are as many new containers in the place of the
// parents.
static bool
bring_containers(const lg__comparison *state, uint32_t place, uint32_t parent)
{
    double more = gain_of(state, place, state->at[0], MEMBERS);
    double parents = gain_of(state, parent, state->above[0], MEMBERS);
    return group_of(state->newest, place) == parent && parents <= more &&
           lg__growth_is_led_back_to(state, parent);
}

// Returns whether there are no more things than before that have a container in
// this place each: what has come is below those that were there.
static bool
has_same_outermost(const lg__comparison *state, uint32_t container)
{
    uint32_t owner = lg__place_at(state->newest, container)->parent;
    if (group_of(state->newest, container) != container || owner == LG_NONE)
        return owner == LG_NONE;
    uint32_t before = lg_places_find(state->summaries[0]->places,
                                     lg__place_at(state->newest, owner)->key);
    return gain_of(state, owner, before, MEMBERS) == 0;
}

// Returns whether the members are the elements of the outermost containers of a
// tree, such as its nodes: they retain most of what these gained.
static bool
are_of_tree(const lg__comparison *state, uint32_t place, uint32_t parent)
{
    double more = gain_of(state, place, state->at[0], RETAINED);
    double all = gain_of(state, parent, state->above[0], RETAINED);
    return group_of(state->newest, place) == parent && 2 * more > all &&
           lg__growth_is_led_back_to(state, parent) &&
           has_same_outermost(state, parent);
}

// Takes back that the containers accumulate: their elements do, each of which
// brings some.
static void
forget_containers(lg__comparison *state, uint32_t place)
{
    lg__grown *found = state->found.data;
    size_t kept = 0;
    for (size_t i = 0; i < state->found.count; i++)
        if (found[i].verdict != LG_GROWTH_ACCUMULATES ||
            found[i].place != place)
            found[kept++] = found[i];
    state->found.count = kept;
}

static lg__trend
trend_of_members(lg__comparison *state, uint32_t place)
{
    uint32_t parent = lg__place_at(state->newest, place)->parent;
    read_series(state, state->at, MEMBERS, state->y);
    lg__trend trend = lg__trend_of(state->x, state->y, state->count);
    if (trend == LG__TREND_NONE || parent == LG_NONE)
        return trend;
    lg__comparison_find(state, parent, state->above);
    read_series(state, state->above, MEMBERS, state->y);
    if (is_constant(state->y, state->count))
        return trend;
    if (bring_containers(state, place, parent) ||
        are_of_tree(state, place, parent)) {
        forget_containers(state, parent);
        return trend;
    }
    // Each accumulating object may have one of these: a number that is not
    // among those that the interpreter shares.
    if (value_of(state->newest, place, MEMBERS) <=
            value_of(state->newest, parent, MEMBERS) &&
        lg__trend_of(state->x, state->y, state->count) >= LG__TREND_UNEVEN)
        return LG__TREND_NONE;
    lg__trend fuller = trend_in_parents(state);
    return fuller < trend ? fuller : trend;
}

// Returns whether the references, which the scratch memory has, come and go: a
// table that is refilled becomes larger now and then, and is no leak.
static bool
is_exchanged(const lg__comparison *state)
{
    return !is_constant(state->y, state->count) &&
           lg__trend_of(state->x, state->y, state->count) == LG__TREND_NONE;
}

// A stale word in a buffer of C code leads to blocks of others for a while. So
// growth of its memory below the first of these is none, and below the second
// one it must bring more references in each interval.
static const double LEAST_OF_C = 4 << 10;
static const double SURE_OF_C = 64 << 10;

// Returns whether all bytes of the objects are exactly known: snapshots do not
// list native memory, or the objects are Python's own, such as a list. Names of
// other types have a module, or are descriptions.
static bool
is_exact(const lg__comparison *state, uint32_t place)
{
    lg_string type = lg__places_text(state->newest,
                                     lg__place_at(state->newest, place)->type);
    return !state->lists_native ||
           (memchr(type.data, '.', type.length) == NULL &&
            memchr(type.data, ' ', type.length) == NULL);
}

// Returns whether the same objects may have more bytes only because malloc
// rounds the same blocks of C code up to other sizes: what is asked for is not
// known. A block of its own mapping has up to a page more, and LEAST_PAGES in
// all; any other has up to 16 bytes more. References count blocks.
static bool
is_rounded(const lg__comparison *state, uint32_t place, double more)
{
    enum { LEAST_PAGES = LG_MALLOC_MAPPED / LG_MALLOC_PAGE };
    const lg__place_item *item = lg__place_at(state->newest, place);
    double blocks = (double)(item->references + item->members);
    return more <= LG_MALLOC_PAGE * blocks &&
           more <= value_of(state->newest, place, OWN) / LEAST_PAGES;
}

// Returns whether the place has more references in each interval than a few.
// Puts their numbers into the scratch memory.
static bool
gains_references(const lg__comparison *state)
{
    const double *y = state->y;
    read_series(state, state->at, REFERENCES, state->y);
    for (uint32_t i = 1; i < state->count; i++)
        if (y[i] - y[i - 1] < LEAST_REFERENCES)
            return false;
    return true;
}

// Returns the growth of a place with the same members all the time: by their
// bytes, or by their references where bytes grow in steps or are a guess.
static lg__trend
trend_in_place(lg__comparison *state, uint32_t place)
{
    double *y = state->y;
    uint32_t last = state->count - 1;
    read_series(state, state->at, MEMBERS, y);
    if (y[0] == 0 || !is_constant(y, state->count))
        return LG__TREND_NONE;
    read_series(state, state->at, OWN, y);
    double more = y[last] - y[0];
    if (!is_exact(state, place) &&
        (more < SURE_OF_C || is_rounded(state, place, more)))
        return more >= LEAST_OF_C && gains_references(state)
                   ? lg__trend_of(state->x, y, state->count)
                   : LG__TREND_NONE;
    lg__trend trend = lg__trend_of(state->x, y, state->count);
    if (more <= 0 || state->count < 3)
        return trend;
    read_series(state, state->at, REFERENCES, y);
    if (trend == LG__TREND_GROWS)
        return is_exchanged(state) ? LG__TREND_SETTLED : trend;
    return y[last] - y[0] >= LEAST_REFERENCES * (double)last
               ? lg__trend_of(state->x, y, state->count)
               : trend;
}

// Returns whether the same activations held a place for too few intervals to
// say more than chance: another call of a function may have the same callers.
static bool
is_brief(const lg__comparison *state, uint32_t since)
{
    enum { ENOUGH = 3 };
    uint32_t all = state->count - 1;
    uint32_t lasting = all - since;
    return lasting == 0 || (lasting < ENOUGH && 2 * lasting < all);
}

// Returns the growth of a place while the same activations of functions hold
// it, if running frames alone do.
static lg__trend
trend_in_activation(lg__comparison *state, uint32_t place, column of,
                    lg__trend trend)
{
    if (trend == LG__TREND_NONE)
        return trend;
    uint32_t since = lg__activations_since(state, place);
    read_series(state, state->at, of, state->y);
    if (since == 0 || lg__rises_beyond_chance(state->x, state->y, state->count))
        return trend;
    if (is_brief(state, since))
        return LG__TREND_NONE;
    lg__trend later =
        lg__trend_of(state->x + since, state->y + since, state->count - since);
    return later < trend ? later : trend;
}

bool
lg__growth_is_own(lg_string name)
{
    return lg__string_is(name, "leakgraph") ||
           lg__string_is(lg__package_of(name), "leakgraph");
}

// Returns the pace. What grows in a container that is full has settled: its
// elements are exchanged. So has what came with a module.
static lg__pace
pace_of(const lg__comparison *state, lg__trend trend, lg_growth_verdict verdict,
        uint32_t place)
{
    lg__limit limit;
    if (trend == LG__TREND_SETTLED || lg__growth_is_imported(state, place) ||
        (state->is_waiting && lg__place_is_garbage(state->newest, place)))
        return LG__PACE_SETTLED;
    if (lg__growth_limit(state, place, verdict, &limit))
        return limit.filled < limit.most ? LG__PACE_FILLS : LG__PACE_SETTLED;
    return trend == LG__TREND_GROWS ? LG__PACE_GROWS : LG__PACE_UNEVEN;
}

bool
lg__place_is_listed(const lg_places *places, uint32_t place)
{
    const lg__place_item *item = lg__place_at(places, place);
    if (item->kind != LG_PLACE_ITEM || item->parent == LG_NONE)
        return false;
    // The interpreter has the list, too, so no module dominates it.
    const lg__place_item *list = lg__place_at(places, item->parent);
    return list->kind == LG_PLACE_ROOT &&
           lg__string_is(lg__places_text(places, list->label), "gc.garbage");
}

static bool
add_grown(lg__comparison *state, lg__trend trend, lg_growth_verdict verdict,
          uint32_t place, column of)
{
    if (trend == LG__TREND_NONE)
        return true;
    lg_allocator allocator = lg_allocator_default();
    lg__grown *grown = lg__vector_extend(&allocator, &state->found, 1);
    if (grown == NULL)
        return false;
    bool own = verdict == LG_GROWTH_IN_PLACE;
    lg__pace pace = pace_of(state, trend, verdict, place);
    if (pace != LG__PACE_FILLS && (lg__place_is_garbage(state->newest, place) ||
                                   lg__place_is_listed(state->newest, place)))
        verdict = LG_GROWTH_GARBAGE;
    int64_t gained =
        (int64_t)(value_of(state->newest, place, of) -
                  value_of(state->summaries[0]->places, state->at[0], of));
    bool key = lg__place_at(state->newest, place)->kind == LG_PLACE_KEY;
    *grown = (lg__grown){
        .verdict = (uint32_t)verdict,
        .pace = (uint32_t)pace,
        .group = own ? place : group_of(state->newest, place),
        .place = place,
        .weight = key ? gained / 2 : gained,
    };
    return true;
}

// Returns whether leakgraph, or an object of it, holds the place.
static bool
is_in_own(const lg_places *places, uint32_t place)
{
    for (uint32_t at = place; at != LG_NONE;
         at = lg__place_at(places, at)->parent)
        if (lg__growth_is_own(
                lg__places_text(places, lg__place_at(places, at)->type)))
            return true;
    return lg__growth_is_own(
        lg__places_text(places, lg__place_top(places, place)->label));
}

// Which small values several modules share depends on what else refers to them:
// a number that a program computes may be that of a constant somewhere. No
// cycle leads through an atom, so if nothing refers to one, CPython's cache of
// attributes has its name. And what leakgraph itself has, such as snapshots,
// and what its modules and classes hold, is no growth.
bool
lg__growth_is_noise(const lg_places *places, uint32_t place)
{
    static const char *const values[] = {"int", "float", "str", "tuple"};
    enum { ATOMS = 3, VALUES = sizeof values / sizeof *values };
    const lg__place_item *item = lg__place_at(places, place);
    lg_string type = lg__places_text(places, item->type);
    if (is_in_own(places, place))
        return true;
    bool nameless = item->kind == LG_PLACE_ROOT &&
                    lg__places_text(places, item->label).length == 0;
    bool loose = item->kind == LG_PLACE_GARBAGE;
    size_t count = nameless ? VALUES : loose ? ATOMS : 0;
    for (size_t i = 0; i < count; i++)
        if (lg__string_is(type, values[i]))
            return true;
    return false;
}

// Returns whether an older summary may have left the place out as small, while
// it is no larger in the newest.
static bool
is_untold(const lg__comparison *state, uint32_t place)
{
    double retained = value_of(state->newest, place, RETAINED);
    for (uint32_t i = 0; i + 1 < state->count; i++)
        if (state->at[i] == LG_NONE && retained <= state->least[i])
            return true;
    return false;
}

bool
lg__growth_search(lg__comparison *state)
{
    state->is_waiting = growth_is_waiting(state);
    state->lists_native =
        lg__summary_has_native(state->summaries[state->count - 1]);
    add_up_parts(state);
    for (uint32_t place = 0; place < state->newest->items.count; place++) {
        if (is_unchanged(state, place) ||
            lg__growth_is_noise(state->newest, place))
            continue;
        lg__comparison_find(state, place, state->at);
        if (is_untold(state, place))
            continue;
        lg__trend members = trend_of_members(state, place);
        lg__trend in_place = members == LG__TREND_NONE
                                 ? trend_in_place(state, place)
                                 : LG__TREND_NONE;
        members = trend_in_activation(state, place, MEMBERS, members);
        in_place = trend_in_activation(state, place, OWN, in_place);
        if (!add_grown(state, members, LG_GROWTH_ACCUMULATES, place,
                       RETAINED) ||
            !add_grown(state, in_place, LG_GROWTH_IN_PLACE, place, OWN))
            return false;
    }
    return true;
}

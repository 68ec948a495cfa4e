// Growth in containers that keep only so many elements: which places belong to
// such containers alone, how far these are filled, and how far they will be.
//
// A container whose elements leave after a known time has as many as come in
// that time. It fills up until then: what goes on growing for much longer keeps
// its elements, whatever its code says.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/samples.h>

// Elements may share that many times more objects each at the end.
static const double MORE_EACH = 1.05;

// Elements may leave that much later than they could: something looks for old
// ones now and then.
static const double LATEST = 1.5;

// Returns whether the machine has the memory for as many elements: a limit that
// nobody reaches is none.
static bool
has_room(const lg_summary *newest, uint32_t place, const lg__limit *limit)
{
    const lg_places *places = newest->places;
    const uint64_t *retained = lg__place_retained(places, place);
    int64_t machine = lg__summary_bytes(newest, "memory.machine");
    double bytes = 0;
    for (uint32_t i = 0; i < places->each; i++)
        bytes += (double)retained[i];
    return machine < 0 || limit->filled == 0 ||
           bytes / (double)limit->filled * (double)limit->most <=
               (double)machine;
}

// Returns how many elements the containers had in the first snapshot.
static uint64_t
filled_at_first(const lg__comparison *state, uint64_t key, lg__limit_kind kind)
{
    const lg__tally *known = lg__summary_limit(state->summaries[0], key, kind);
    return known != NULL ? known->kept : 0;
}

// Sets how many elements containers will have whose elements leave after a
// time. Returns false if they should have left by now, or if nobody knows since
// when they were seen.
static bool
set_lifetime(const lg__comparison *state, uint64_t first, uint64_t lifetime,
             lg__limit *out)
{
    double begin = lg_summary_time(state->summaries[0]);
    double span = lg_summary_time(state->summaries[state->count - 1]) - begin;
    out->lifetime = (double)lifetime / 1e3;
    out->observed = span;
    if (begin < 0 || !(span > 0) || span > LATEST * out->lifetime)
        return false;
    double gained =
        out->filled > first ? (double)out->filled - (double)first : 0;
    double left = span < out->lifetime ? out->lifetime - span : 0;
    out->most = lg__saturated((double)out->filled + 1 + gained / span * left);
    return true;
}

// Sets the limit that a tally says, of a place whose containers have so many
// elements.
static bool
set_limit(const lg__comparison *state, uint32_t place, const lg__tally *known,
          uint64_t first, lg__limit *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    uint64_t most = *lg__summary_bytes_at(newest, known->bytes);
    out->most = most;
    out->lifetime = 0;
    out->observed = 0;
    return (most <= LG__LIMIT_MOST ||
            set_lifetime(state, first, most - LG__LIMIT_MOST, out)) &&
           has_room(newest, place, out);
}

// Returns whether a limit was lower. After which time elements leave may be
// known by those that are there, whose last one is not always as young.
static bool
is_lower(uint64_t then, uint64_t now)
{
    return then > LG__LIMIT_MOST && now > LG__LIMIT_MOST
               ? (double)(now - LG__LIMIT_MOST) >
                     LATEST * (double)(then - LG__LIMIT_MOST)
               : then < now;
}

// Returns whether so many containers had lower limits before: what grows with
// its contents limits nothing.
static bool
was_lower(const lg__comparison *state, uint64_t key, const lg__tally *known)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    uint64_t most = *lg__summary_bytes_at(newest, known->bytes);
    for (uint32_t i = 0; i + 1 < state->count; i++) {
        const lg_summary *summary = state->summaries[i];
        const lg__tally *then =
            lg__summary_limit(summary, key, LG__LIMIT_CONTAINERS);
        if (then != NULL && then->count == known->count &&
            is_lower(*lg__summary_bytes_at(summary, then->bytes), most))
            return true;
    }
    return false;
}

// Returns whether each member of the place has a limit. Summaries of earlier
// versions do not say how many elements there are.
static bool
is_limited(const lg__comparison *state, uint32_t place, lg__limit *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    if (place == LG_NONE)
        return false;
    const lg__place_item *item = lg__place_at(newest->places, place);
    const lg__tally *known =
        lg__summary_limit(newest, item->key, LG__LIMIT_CONTAINERS);
    if (known == NULL || known->count < item->members ||
        was_lower(state, item->key, known))
        return false;
    out->filled = known->kept > 0 ? known->kept : item->references;
    return set_limit(state, place, known,
                     filled_at_first(state, item->key, LG__LIMIT_CONTAINERS),
                     out);
}

// Returns whether members of a place become more that no tally of this kind
// counts, or its references, so that they have no limit.
static bool
has_more_unlimited(const lg__comparison *state, uint32_t place,
                   lg__limit_kind kind)
{
    uint64_t key = lg__place_at(state->newest, place)->key;
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        const lg_summary *summary = state->summaries[i];
        const lg__tally *known = lg__summary_limit(summary, key, kind);
        const lg__place_item *item =
            state->at[i] != LG_NONE
                ? lg__place_at(summary->places, state->at[i])
                : NULL;
        uint64_t all = item == NULL                   ? 0
                       : kind == LG__LIMIT_REFERENCES ? item->references
                                                      : item->members;
        state->y[i] = (double)all - (known ? (double)known->count : 0);
    }
    return lg__trend_of(state->x, state->y, state->count) >= LG__TREND_UNEVEN;
}

// Returns whether each element has a limited part in what containers share: one
// member, or as many as at first.
static bool
are_as_many_each(const lg__comparison *state, const lg__tally *last)
{
    const lg__tally *first = NULL;
    for (uint32_t i = 0; i < state->count && first == NULL; i++)
        first = lg__summary_limit(state->summaries[i], last->holder,
                                  LG__LIMIT_SHARED);
    return last->count <= last->kept ||
           (double)last->count * (double)first->kept <=
               MORE_EACH * (double)first->count * (double)last->kept;
}

// Returns whether all that becomes more in a place is what a tally of this kind
// counts, in containers that have room: a tally of `by` counts those, of the
// place with that key. The place may have other members, or references, if
// these do not become more.
static bool
grows_within(const lg__comparison *state, uint32_t place, lg__limit_kind kind,
             lg__limit_kind by, uint64_t by_key, lg__limit *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    uint64_t key = lg__place_at(newest->places, place)->key;
    const lg__tally *containers = lg__summary_limit(newest, by_key, by);
    if (containers == NULL || lg__summary_limit(newest, key, kind) == NULL ||
        has_more_unlimited(state, place, kind))
        return false;
    out->filled = containers->kept;
    return set_limit(state, place, containers,
                     filled_at_first(state, by_key, by), out);
}

// Returns whether only containers with a limit keep what accumulates in a
// place.
static bool
is_shared(const lg__comparison *state, uint32_t place, lg__limit *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    uint64_t key = lg__place_at(newest->places, place)->key;
    const lg__tally *known = lg__summary_limit(newest, key, LG__LIMIT_SHARED);
    return grows_within(state, place, LG__LIMIT_SHARED, LG__LIMIT_SHARED, key,
                        out) &&
           !lg__place_is_garbage(newest->places, place) &&
           are_as_many_each(state, known);
}

// Returns how many elements limited containers of a place have.
static double
filled_at(const lg__comparison *state, uint32_t snapshot, uint64_t key)
{
    const lg__tally *known = lg__summary_limit(state->summaries[snapshot], key,
                                               LG__LIMIT_CONTAINERS);
    return known != NULL ? (double)known->kept : 0;
}

// Returns whether the elements of a limited container get more and more members
// each: a limit of elements is none for what these keep of one another.
static bool
has_more_each(const lg__comparison *state, uint32_t place)
{
    const lg__place_item *item = lg__place_at(state->newest, place);
    uint64_t key = lg__place_at(state->newest, item->parent)->key;
    uint32_t last = state->count - 1;
    double now = filled_at(state, last, key);
    double first = 0;
    double members = 0;
    lg__comparison_find(state, place, state->at);
    for (uint32_t i = 0; i < last && (first == 0 || members == 0); i++) {
        first = filled_at(state, i, key);
        members = state->at[i] != LG_NONE
                      ? (double)lg__place_at(state->summaries[i]->places,
                                             state->at[i])
                            ->members
                      : 0;
    }
    return first > 0 && members > 0 && (double)item->members > now &&
           (double)item->members * first > MORE_EACH * members * now;
}

// Returns whether containers with a limit alone make a place grow, in which
// others have none: so it is with a dict that two modules have, because its
// place is that of all dicts with several holders. `above` is the place of the
// containers.
static bool
is_of_limited(const lg__comparison *state, uint32_t place, uint32_t above,
              lg__limit_kind kind, lg__limit *out)
{
    return above != LG_NONE &&
           grows_within(state, place, kind, LG__LIMIT_CONTAINERS,
                        lg__place_at(state->newest, above)->key, out);
}

// Returns whether members of a place take the slots of lists that had so many
// from the first snapshot on, as a ring does that was made full of None.
static bool
takes_slots(const lg__comparison *state, uint32_t place, lg__limit *out)
{
    const lg__place_item *item = lg__place_at(state->newest, place);
    if (item->kind != LG_PLACE_ITEM || item->parent == LG_NONE)
        return false;
    const lg__place_item *above = lg__place_at(state->newest, item->parent);
    if (!lg__string_is(lg__places_text(state->newest, above->type), "list"))
        return false;
    lg__comparison_find(state, item->parent, state->at);
    for (uint32_t i = 0; i < state->count; i++) {
        const lg__place_item *then =
            state->at[i] != LG_NONE
                ? lg__place_at(state->summaries[i]->places, state->at[i])
                : NULL;
        if (then == NULL || then->members != above->members ||
            then->references != above->references)
            return false;
    }
    *out = (lg__limit){.most = above->references, .filled = item->members};
    return item->members <= above->references;
}

bool
lg__growth_limit(const lg__comparison *state, uint32_t place,
                 lg_growth_verdict verdict, lg__limit *out)
{
    const lg__place_item *item = lg__place_at(state->newest, place);
    if (verdict == LG_GROWTH_ACCUMULATES)
        return takes_slots(state, place, out) ||
               (is_limited(state, item->parent, out) &&
                !has_more_each(state, place)) ||
               is_shared(state, place, out) ||
               is_of_limited(state, place, item->parent, LG__LIMIT_ELEMENTS,
                             out) ||
               is_of_limited(state, place, place, LG__LIMIT_ELEMENTS, out);
    // A cache has a dict, which grows in place.
    return is_limited(state, place, out) ||
           is_of_limited(state, place, place, LG__LIMIT_REFERENCES, out) ||
           (item->kind == LG_PLACE_NAMED &&
            lg__string_is(lg__places_text(state->newest, item->type), "dict") &&
            is_limited(state, item->parent, out));
}

// Finds what becomes more although none of its places does, because it moves
// from one place to another: what itertools.tee() read for a second iterator
// goes, block by block, from where both can see it to where only the second
// one can.
//
// Objects of a type become more in each interval, and those of no single place
// do. Then the places whose numbers vary most are looked at together: two,
// three and so on, until their sum rises in each interval and has most of what
// the type gained. An object that moves leaves one of these and enters another,
// so the sum does not notice. Places that only fill, one after the other, as
// caches of a program that starts do, are no way: nothing leaves them. What
// such objects hold moves along and is of a type that becomes more, too, so a
// search goes up as long as everything above moves.
#include "growth/growth_comparison.h"

#include <string.h>

// More places than these are no way that objects take.
enum { LEAST_PLACES = 2, MOST_PLACES = 6 };
// Chance lets the sum of two intervals rise.
enum { LEAST_SNAPSHOTS = 4 };
// Types that gained less than this part of all are not looked at.
enum { LEAST_PART = 4 };
// Places that lost less than this part of what they gained are no way.
enum { LEAST_LOSS = 10 };

bool
lg_growth_rises(const uint64_t *counts, uint32_t snapshots)
{
    enum { PART = 10 };
    uint64_t last = counts[snapshots - 1];
    uint64_t most = (uint64_t)PART * (snapshots - 1);
    for (uint32_t i = 1; i < snapshots; i++)
        if (counts[i] <= counts[i - 1] ||
            (counts[i] - counts[i - 1]) * most < last - counts[0])
            return false;
    return snapshots > 2;
}

// Places of one type, those whose numbers of members vary most first.
typedef struct ways {
    uint32_t place[MOST_PLACES];
    uint64_t range[MOST_PLACES]; // by how much the numbers differ
    size_t count;
} ways;

static void
read_members(const lg__comparison *state, uint32_t place)
{
    memset(state->members, 0, state->count * sizeof *state->members);
    lg__comparison_add_members(state, place, state->members);
}

// Returns by how much the numbers that the scratch memory has differ.
static uint64_t
range_of_members(const lg__comparison *state)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (uint32_t i = 0; i < state->count; i++) {
        least = state->members[i] < least ? state->members[i] : least;
        most = state->members[i] > most ? state->members[i] : most;
    }
    return most - least;
}

static void
insert(uint32_t place, uint64_t range, ways *to)
{
    size_t at = to->count < MOST_PLACES ? to->count++ : MOST_PLACES - 1;
    if (to->place[at] != LG_NONE && to->range[at] >= range)
        return;
    for (; at > 0 && to->range[at - 1] < range; at--) {
        to->place[at] = to->place[at - 1];
        to->range[at] = to->range[at - 1];
    }
    to->place[at] = place;
    to->range[at] = range;
}

// Lists the places of a type. Returns false if one of them rises by itself.
// What becomes garbage goes no way: the collector takes it when it runs.
static bool
list_ways(const lg__comparison *state, lg_string type, ways *out)
{
    uint32_t name = lg__places_seek(state->newest, type);
    *out = (ways){0};
    memset(out->place, 0xff, sizeof out->place);
    for (uint32_t i = 0; i < state->newest->items.count; i++) {
        if (lg__place_at(state->newest, i)->type != name ||
            lg__growth_is_noise(state->newest, i))
            continue;
        read_members(state, i);
        if (lg_growth_rises(state->members, state->count))
            return false;
        uint64_t range = range_of_members(state);
        if (range > 0 && !lg__place_is_garbage(state->newest, i))
            insert(i, range, out);
    }
    return out->count >= LEAST_PLACES;
}

// Adds up the members of the first places in the scratch memory. Returns
// whether the sums rise in each interval.
static bool
rise_together(const lg__comparison *state, const ways *of, size_t count)
{
    memset(state->members, 0, state->count * sizeof *state->members);
    for (size_t i = 0; i < count; i++)
        lg__comparison_add_members(state, of->place[i], state->members);
    return lg_growth_rises(state->members, state->count);
}

// Returns how many members left the first places, in all intervals together.
static uint64_t
losses_of(const lg__comparison *state, const ways *of, size_t count)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++) {
        read_members(state, of->place[i]);
        for (uint32_t at = 1; at < state->count; at++)
            if (state->members[at] < state->members[at - 1])
                lost += state->members[at - 1] - state->members[at];
    }
    return lost;
}

// Keeps the places between which the objects move. Returns false if there are
// none.
static bool
choose_ways(const lg__comparison *state, const lg_growth_type *type, ways *of)
{
    uint32_t last = state->count - 1;
    uint64_t all = type->counts[last] - type->counts[0];
    for (size_t count = LEAST_PLACES; count <= of->count; count++) {
        if (!rise_together(state, of, count))
            continue;
        uint64_t gained = state->members[last] - state->members[0];
        if (2 * gained < all ||
            losses_of(state, of, count) * LEAST_LOSS < gained)
            continue;
        of->count = count;
        return true;
    }
    return false;
}

// Finds the places above, without doubles. Returns false if one is none, or has
// the same members all the time.
static bool
find_above(const lg__comparison *state, const ways *of, ways *out)
{
    *out = (ways){0};
    for (size_t i = 0; i < of->count; i++) {
        uint32_t above = lg__place_at(state->newest, of->place[i])->parent;
        if (above == LG_NONE)
            return false;
        read_members(state, above);
        if (range_of_members(state) == 0)
            return false;
        bool known = false;
        for (size_t j = 0; j < out->count; j++)
            known = known || out->place[j] == above;
        if (!known)
            out->place[out->count++] = above;
    }
    return true;
}

// Goes up to what moves with all that it holds.
static void
climb(const lg__comparison *state, ways *of)
{
    ways above;
    for (int i = 0; i < LG__STEPS_MOST && find_above(state, of, &above) &&
                    rise_together(state, &above, above.count);
         i++)
        *of = above;
}

static bool
has_below(const lg__comparison *state, const ways *of, uint32_t place)
{
    for (size_t i = 0; i < of->count; i++)
        if (lg__place_is_below(state->newest, of->place[i], place))
            return true;
    return false;
}

// Takes back what the search found of these places, and of those above: that
// they have settled, or grow now and then.
static void
forget(lg__comparison *state, const ways *of)
{
    lg__grown *found = state->found.data;
    size_t kept = 0;
    for (size_t i = 0; i < state->found.count; i++)
        if (found[i].verdict != LG_GROWTH_ACCUMULATES ||
            !has_below(state, of, found[i].place))
            found[kept++] = found[i];
    state->found.count = kept;
}

static int64_t
gain_of(const lg__comparison *state, uint32_t place)
{
    lg__comparison_find(state, place, state->at);
    uint64_t first =
        state->at[0] == LG_NONE
            ? 0
            : lg__place_total(state->summaries[0]->places, state->at[0]);
    return (int64_t)(lg__place_total(state->newest, place) - first);
}

// Returns whether the places gained as much as what pauses must.
static bool
is_of_size(const lg__comparison *state, const ways *of)
{
    int64_t gained = 0;
    for (size_t i = 0; i < of->count; i++)
        gained += gain_of(state, of->place[i]);
    return gained >= LG__LEAST_UNEVEN;
}

// Adds the places as one group, which the place leads that gained the most.
static bool
add_group(lg__comparison *state, const ways *of)
{
    lg_allocator allocator = lg_allocator_default();
    lg__grown *grown = lg__vector_extend(&allocator, &state->found, of->count);
    uint32_t lead = of->place[0];
    int64_t most = INT64_MIN;
    if (grown == NULL)
        return false;
    for (size_t i = 0; i < of->count; i++) {
        grown[i] = (lg__grown){.verdict = LG_GROWTH_ACCUMULATES,
                               .pace = LG__PACE_GROWS,
                               .place = of->place[i],
                               .weight = gain_of(state, of->place[i])};
        lead = grown[i].weight > most ? of->place[i] : lead;
        most = grown[i].weight > most ? grown[i].weight : most;
    }
    for (size_t i = 0; i < of->count; i++)
        grown[i].group = lead;
    return true;
}

// Returns whether a place, or one above it, is of a group that grows already.
static bool
is_told(const lg__comparison *state, const ways *of)
{
    const lg__grown *found = state->found.data;
    for (size_t i = 0; i < state->found.count; i++)
        if (found[i].pace == LG__PACE_GROWS &&
            has_below(state, of, found[i].place))
            return true;
    return false;
}

bool
lg__growth_search_moving(lg__comparison *state, const lg_growth *growth)
{
    int64_t all = 0;
    if (state->count < LEAST_SNAPSHOTS)
        return true;
    for (size_t i = 0; i < growth->type_count; i++)
        all += growth->types[i].gained;
    for (size_t i = 0; i < growth->type_count; i++) {
        const lg_growth_type *type = &growth->types[i];
        ways of;
        if (type->gained * LEAST_PART < all)
            break;
        if (!lg_growth_rises(type->counts, state->count) ||
            !list_ways(state, type->name, &of) ||
            !choose_ways(state, type, &of) || is_told(state, &of))
            continue;
        climb(state, &of);
        if (!is_of_size(state, &of))
            continue;
        forget(state, &of);
        if (!add_group(state, &of))
            return false;
    }
    return true;
}

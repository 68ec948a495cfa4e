// Candidates, grouped by their places.
//
// A place has a number, so that a candidate needs four bytes for it however
// long the hash is: there may be as many candidates as objects, but few places.
// Places are numbered as they are met, and by their ranks when candidates are
// grouped.
#include "answers/answers_private.h"

#include <string.h>

// A table of places with at least this many slots, and one for which clearing
// all slots takes no time.
enum { FEWEST_SLOTS = 64, QUICK_SLOTS = 1024 };

// From MANY on, candidates are first dealt into buckets. Below FEW, insertion
// is faster than a call for each comparison.
enum { MANY = 256, FEW = 16 };
enum { BITS = 11, BUCKETS = 1 << BITS };

typedef struct place {
    uint64_t hash;
    uint32_t number;
} place;

lg__top_candidates
lg__top_candidates_open(void)
{
    return (lg__top_candidates){
        .allocator = lg_allocator_default(),
        .item.element = sizeof(lg__top_candidate),
        .place.element = sizeof(place),
        .slot.element = sizeof(uint32_t),
    };
}

void
lg__top_candidates_free(lg__top_candidates *all)
{
    lg__vector_free(&all->allocator, &all->item);
    lg__vector_free(&all->allocator, &all->place);
    lg__vector_free(&all->allocator, &all->slot);
}

void
lg__top_candidates_clear(lg__top_candidates *all)
{
    all->item.count = 0;
    all->place.count = 0;
    if (all->slot.count > QUICK_SLOTS)
        lg__vector_free(&all->allocator, &all->slot);
    else if (all->slot.count > 0)
        memset(all->slot.data, 0, all->slot.count * sizeof(uint32_t));
}

// Returns the slot that has the number of the place, plus one, or 0 where the
// number belongs.
static uint32_t *
slot_of(const lg__top_candidates *all, uint64_t hash)
{
    const place *places = all->place.data;
    uint32_t *slots = all->slot.data;
    const size_t mask = all->slot.count - 1;
    size_t at = (size_t)(hash ^ hash >> 32) & mask;
    while (slots[at] != 0 && places[slots[at] - 1].hash != hash)
        at = (at + 1) & mask;
    return &slots[at];
}

static bool
grow_slots(lg__top_candidates *all)
{
    const place *places = all->place.data;
    const size_t slots =
        all->slot.count > 0 ? 2 * all->slot.count : FEWEST_SLOTS;
    all->slot.count = 0;
    uint32_t *fresh = lg__vector_extend(&all->allocator, &all->slot, slots);
    if (fresh == NULL)
        return false;
    memset(fresh, 0, slots * sizeof *fresh);
    for (size_t i = 0; i < all->place.count; i++)
        *slot_of(all, places[i].hash) = (uint32_t)i + 1;
    return true;
}

// Returns the place with that hash, or NULL when memory ran out.
static place *
place_of(lg__top_candidates *all, uint64_t hash)
{
    if (2 * all->place.count >= all->slot.count && !grow_slots(all))
        return NULL;
    uint32_t *slot = slot_of(all, hash);
    if (*slot != 0)
        return (place *)all->place.data + *slot - 1;
    place *added = lg__vector_extend(&all->allocator, &all->place, 1);
    if (added == NULL)
        return NULL;
    *slot = (uint32_t)all->place.count;
    *added = (place){.hash = hash, .number = *slot - 1};
    return added;
}

bool
lg__top_candidates_add(lg__top_candidates *all, uint64_t hash, uint32_t node)
{
    place *at = place_of(all, hash);
    lg__top_candidate *added =
        at != NULL ? lg__vector_extend(&all->allocator, &all->item, 1) : NULL;
    if (added == NULL)
        return false;
    *added = (lg__top_candidate){at->number, node};
    return true;
}

// Places go by the lower half of their hashes, then by the upper one.
static uint64_t
rank_of(const place *one)
{
    return one->hash << 32 | one->hash >> 32;
}

static int
by_rank(const void *left, const void *right)
{
    const uint64_t a = rank_of(left);
    const uint64_t b = rank_of(right);
    return a < b ? -1 : a > b;
}

// Puts the places in the order of their ranks, and numbers them so. The slots
// are of no use from here on, until lg__top_candidates_clear, and there are at
// least as many as places: so the new numbers go there.
static void
rank_places(lg__top_candidates *all)
{
    place *places = all->place.data;
    uint32_t *number = all->slot.data;
    lg__top_candidate *items = all->item.data;
    lg__sort(places, all->place.count, sizeof *places, by_rank);
    for (size_t i = 0; i < all->place.count; i++)
        number[places[i].number] = (uint32_t)i;
    for (size_t i = 0; i < all->item.count; i++)
        items[i].place = number[items[i].place];
}

static int
by_place(const void *left, const void *right)
{
    const uint32_t a = ((const lg__top_candidate *)left)->place;
    const uint32_t b = ((const lg__top_candidate *)right)->place;
    return a < b ? -1 : a > b;
}

static void
insert_each(lg__top_candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        lg__top_candidate one = all[i];
        size_t at = i;
        for (; at > 0 && by_place(&one, &all[at - 1]) < 0; at--)
            all[at] = all[at - 1];
        all[at] = one;
    }
}

static bool
are_of_one_place(const lg__top_candidate *all, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (all[i].place != all[0].place)
            return false;
    return true;
}

static void
sort(lg__top_candidate *all, size_t count)
{
    if (count <= FEW)
        insert_each(all, count);
    else if (!are_of_one_place(all, count))
        lg__sort(all, count, sizeof *all, by_place);
}

static size_t
bucket_of(const place *places, const lg__top_candidate *one)
{
    return (size_t)(rank_of(&places[one->place]) >> (64 - BITS));
}

// Moves each candidate to its bucket, in the array itself: there may be as many
// as objects. *end gets the end of each bucket. O(count). Each step puts one
// candidate where it stays, in exchange for the one that was there. So there
// are as many steps as candidates.
static void
deal(const place *places, lg__top_candidate *all, size_t count,
     size_t end[BUCKETS])
{
    size_t next[BUCKETS];
    size_t sum = 0;
    memset(end, 0, BUCKETS * sizeof *end);
    for (size_t i = 0; i < count; i++)
        end[bucket_of(places, &all[i])]++;
    for (size_t i = 0; i < BUCKETS; i++) {
        next[i] = sum;
        sum += end[i];
        end[i] = sum;
    }
    for (size_t i = 0; i < BUCKETS; i++)
        while (next[i] < end[i]) {
            const lg__top_candidate one = all[next[i]];
            const size_t bucket = bucket_of(places, &one);
            all[next[i]] = all[next[bucket]];
            all[next[bucket]++] = one;
        }
}

lg__top_candidate *
lg__top_candidates_group(lg__top_candidates *all)
{
    lg__top_candidate *items = all->item.data;
    const size_t count = all->item.count;
    size_t end[BUCKETS] = {count};
    const bool is_dealt = count >= MANY;
    const size_t buckets = is_dealt ? BUCKETS : 1;
    if (all->place.count < 2)
        return items;
    rank_places(all);
    if (is_dealt)
        deal(all->place.data, items, count, end);
    for (size_t i = 0, at = 0; i < buckets; at = end[i++])
        sort(items + at, end[i] - at);
    return items;
}

uint64_t
lg__top_weight(const lg_analysis *analysis, uint32_t node, uint32_t device)
{
    return device == LG_NONE ? lg__freed_by(analysis, node)
                             : lg_node_retained_on(analysis, node, device);
}

uint64_t
lg__top_candidates_weigh(const lg_analysis *analysis, uint32_t device,
                         const lg__top_candidate *run, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += lg__top_weight(analysis, run[i].node, device);
    return bytes;
}

uint64_t
lg__top_candidates_lead(const lg_analysis *analysis, uint32_t device,
                        lg__top_candidate *run, size_t count)
{
    size_t best = 0;
    uint64_t most = lg__top_weight(analysis, run[0].node, device);
    for (size_t i = 1; i < count; i++) {
        uint64_t bytes = lg__top_weight(analysis, run[i].node, device);
        if (bytes > most || (bytes == most && run[i].node < run[best].node)) {
            most = bytes;
            best = i;
        }
    }
    lg__top_candidate first = run[0];
    run[0] = run[best];
    run[best] = first;
    return most;
}

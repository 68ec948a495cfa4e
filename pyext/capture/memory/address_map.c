#include "capture/memory/address_map.h"
#include "capture/memory/arena.h"

#include <string.h>
#include <sys/mman.h>

#define TOP_BYTES (LG__ADDRESS_MAP_TOP * sizeof(lg__address_map_leaf *))
#define LINE ((size_t)LG__ADDRESS_MAP_LINE)
#define HEADER ((sizeof(lg__address_map_chunk) + LINE - 1) & ~(LINE - 1))
#define MIDDLE_BYTES (LG__ADDRESS_MAP_MIDDLE * sizeof(lg__address_map_leaf))

/** The chunk of a whole capture: a multiple of huge pages, so that they can be
 *  kept. */
#define BIG_CHUNK (8 * LG__PAGE_CACHE_UNIT)
/** The chunk of a partial capture: few leaves, whose pages are only touched
 *  where needed. */
#define SMALL_CHUNK ((size_t)4 << 20)

bool
lg__address_map_open(lg__address_map *address_map, uint64_t max_bytes,
                     bool whole)
{
    *address_map = (lg__address_map){
        .top = lg__pages_map(TOP_BYTES),
        .limit =
            max_bytes && max_bytes < SIZE_MAX ? (size_t)max_bytes : SIZE_MAX,
        .whole = whole,
    };
    if (address_map->top == NULL)
        return false;
    lg__own_ranges_add(address_map->top, TOP_BYTES);
    return true;
}

static void
free_chunks(lg__address_map_chunk **chunks, bool keeps)
{
    while (*chunks != NULL) {
        lg__address_map_chunk *chunk = *chunks;
        *chunks = chunk->next;
        lg__own_ranges_remove(chunk, chunk->size);
        if (lg__spill_holds(chunk))
            lg__spill_give(chunk, chunk->size);
        else if (keeps)
            lg__page_cache_give(chunk, chunk->size, true);
        else
            munmap(chunk, chunk->size);
    }
}

void
lg__address_map_close(lg__address_map *address_map)
{
    if (address_map->top != NULL) {
        lg__own_ranges_remove(address_map->top, TOP_BYTES);
        munmap(address_map->top, TOP_BYTES);
    }
    address_map->top = NULL;
    free_chunks(&address_map->chunks, address_map->whole);
    free_chunks(&address_map->apart, false);
    address_map->free_size = 0;
}

static bool
add_chunk(lg__address_map *address_map, size_t least)
{
    size_t unit = address_map->whole ? BIG_CHUNK : SMALL_CHUNK;
    size_t size = (least + HEADER + unit - 1) / unit * unit;
    size_t kept = 0;
    lg__address_map_chunk *chunk = lg__spill_take(size, false);
    if (chunk == NULL)
        chunk = address_map->whole ? lg__page_cache_map(size, &kept)
                                   : lg__pages_map(size);
    if (chunk == NULL)
        return false;
    lg__own_ranges_add(chunk, size);
    *chunk = (lg__address_map_chunk){address_map->chunks, size};
    address_map->chunks = chunk;
    address_map->free = (char *)chunk + HEADER;
    address_map->free_size = size - HEADER;
    address_map->unclear_size = kept > HEADER ? kept - HEADER : 0;
    return true;
}

/* Cuts bytes off the rest of the newest chunk. Kept memory has any contents,
   and the kernel clears fresh pages. What is cleared last stays in the cache,
   and the walk uses it next. */
void *
lg__address_map_take(lg__address_map *address_map, size_t size)
{
    const size_t whole = (size + LINE - 1) & ~(LINE - 1);
    if (whole > address_map->limit - address_map->used ||
        (whole > address_map->free_size && !add_chunk(address_map, whole)))
        return NULL;
    const size_t unclear =
        whole < address_map->unclear_size ? whole : address_map->unclear_size;
    char *taken = address_map->free;
    address_map->unclear_size -= unclear;
    address_map->free += whole;
    address_map->free_size -= whole;
    address_map->used += whole;
    return memset(taken, 0, unclear);
}

void *
lg__address_map_take_apart(lg__address_map *address_map, size_t size)
{
    const size_t whole = (size + HEADER + LG__ADDRESS_MAP_PAGE - 1) &
                         ~(size_t)(LG__ADDRESS_MAP_PAGE - 1);
    if (whole > address_map->limit - address_map->used)
        return NULL;
    lg__address_map_chunk *chunk = lg__spill_take(whole, false);
    chunk = chunk != NULL ? chunk : lg__pages_map(whole);
    if (chunk == NULL)
        return NULL;
    lg__own_ranges_add(chunk, whole);
    *chunk = (lg__address_map_chunk){address_map->apart, whole};
    address_map->apart = chunk;
    address_map->used += whole;
    return (char *)chunk + HEADER;
}

/** The units of a step of a leaf. */
static unsigned
step_of(lg__address_map_leaf leaf)
{
    return leaf % LG__ADDRESS_MAP_PLAIN + 1;
}

static size_t
count_slots(unsigned step)
{
    return (LG__ADDRESS_MAP_UNITS - 1) / step + 1;
}

/** The factor that divides by a step. */
static uint64_t
factor_of(unsigned step)
{
    return ((1 << LG__ADDRESS_MAP_SHIFT) + step - 1) / step;
}

/** A leaf without objects, or 0. Takes one that was replaced, if there is one
 *  of that size. */
static lg__address_map_leaf
new_leaf(lg__address_map *address_map, unsigned step)
{
    const size_t size = count_slots(step) * sizeof(uint32_t);
    void **replaced = &address_map->replaced[step - 1];
    void *leaf = *replaced;
    if (leaf == NULL) {
        leaf = lg__address_map_take(address_map, size);
    } else {
        memcpy(replaced, leaf, sizeof leaf);
        memset(leaf, 0, size);
    }
    return leaf != NULL
               ? factor_of(step) << LG__ADDRESS_MAP_FACTOR | (uintptr_t)leaf |
                     LG__ADDRESS_MAP_PLAIN | (step - 1)
               : 0;
}

static void
put_by(lg__address_map *address_map, lg__address_map_leaf leaf)
{
    void **first = &address_map->replaced[step_of(leaf) - 1];
    void *slots = lg__address_map_slots(leaf);
    memcpy(slots, first, sizeof *first);
    *first = slots;
}

/** Where the map has the leaf of an address; NULL if memory ran out. A table
 *  has room for a GiB of addresses, of which few are used. The top has a table
 *  for each GiB, and a table has a leaf for each 16 KiB. */
static lg__address_map_leaf *
place_of_leaf(lg__address_map *address_map, const void *address)
{
    const uintptr_t bits = (uintptr_t)address;
    lg__address_map_leaf **middle =
        &address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    if (*middle == NULL)
        *middle = lg__address_map_take_apart(address_map, MIDDLE_BYTES);
    return *middle != NULL
               ? &(*middle)[(bits >> 14) & (LG__ADDRESS_MAP_MIDDLE - 1)]
               : NULL;
}

lg__address_place
lg__address_map_rare_place(lg__address_map *address_map, const void *address)
{
    lg__address_map_leaf *leaf = place_of_leaf(address_map, address);
    if (leaf != NULL && *leaf == 0)
        *leaf = new_leaf(address_map, LG__ADDRESS_MAP_STEP);
    if (leaf != NULL && *leaf != 0)
        return lg__address_map_place_in(*leaf, address);
    address_map->failed = true;
    return (lg__address_place){.slot = &address_map->lost, .most = UINT32_MAX};
}

/** The objects of a leaf, by their units. */
typedef struct occupied {
    size_t count;
    uint16_t unit[LG__ADDRESS_MAP_UNITS + 1]; /**< ascending */
} occupied;

/** The unit of what a slot of a plain leaf has. */
static uint32_t
unit_of(uint32_t slot, uint32_t number, unsigned step)
{
    const uint32_t begin = number * step;
    const uint32_t part = slot >> LG__ADDRESS_MAP_MARK_BITS;
    return begin + (part - begin) % LG__ADDRESS_MAP_STEP;
}

enum { SLOTS_AT_ONCE = 4 };

static bool
are_empty(const uint32_t *slots)
{
    uint64_t pairs[SLOTS_AT_ONCE / 2];
    memcpy(pairs, slots, sizeof pairs);
    return (pairs[0] | pairs[1]) == 0;
}

/** Lists the objects of a plain leaf. Most leaves are nearly empty when they
 *  are replaced. Slots behind the last are none, but zero, up to a line. */
static void
list_objects(lg__address_map_leaf leaf, occupied *out)
{
    const unsigned step = step_of(leaf);
    const size_t count = count_slots(step);
    const uint32_t *slot = lg__address_map_slots(leaf);
    out->count = 0;
    for (size_t i = 0; i < count; i += SLOTS_AT_ONCE) {
        if (are_empty(slot + i))
            continue;
        for (size_t at = i; at < i + SLOTS_AT_ONCE; at++)
            if (slot[at] != 0)
                out->unit[out->count++] =
                    (uint16_t)unit_of(slot[at], (uint32_t)at, step);
    }
}

static void
insert_unit(occupied *objects, uint32_t unit)
{
    size_t at = objects->count++;
    for (; at > 0 && objects->unit[at - 1] > unit; at--)
        objects->unit[at] = objects->unit[at - 1];
    objects->unit[at] = (uint16_t)unit;
}

/** Whether no two objects begin in the same step. If so, *most is the most
 *  units of a step before an object. */
static bool
is_apart(const occupied *objects, unsigned step, uint32_t *most)
{
    uint32_t end = 0;
    *most = 0;
    for (size_t i = 0; i < objects->count; i++) {
        const uint32_t unit = objects->unit[i];
        const uint32_t before = unit % step;
        if (unit < end)
            return false;
        *most = before > *most ? before : *most;
        end = unit - before + step;
    }
    return true;
}

/** The units of a step for the objects of a leaf, of which two are so many
 *  units apart that they met in a step of `step` units.
 *
 *  They lie in blocks of one size, it seems, and at most HEAD units from the
 *  beginning of theirs: the collector's links and a pointer to the attributes.
 *  So the size is the way between two neighbours, or up to HEAD units more or
 *  less. If all objects begin so in their steps, these are taken for blocks;
 *  otherwise the longest steps in which none meet, and that are not longer than
 *  the way. */
static unsigned
step_for(const occupied *objects, unsigned step, uint32_t way)
{
    enum { HEAD = 2 };
    unsigned apart = 0;
    unsigned longest = way + HEAD < step ? way + HEAD : step - 1;
    for (unsigned next = longest; next + HEAD >= apart && next > 1; next--) {
        uint32_t most;
        if (!is_apart(objects, next, &most))
            continue;
        if (most <= HEAD)
            return next;
        if (apart == 0 && next <= way)
            apart = next;
    }
    return apart > 0 ? apart : 1;
}

/** Puts the marks of a plain leaf into one with shorter steps. Between plain
 *  ones, slots stay as they are. What the object gets for which the leaf is
 *  replaced is of no use. */
static void
copy_marks(lg__address_map_leaf from, lg__address_map_leaf to,
           const occupied *objects)
{
    const uint32_t kept =
        to & LG__ADDRESS_MAP_PLAIN ? UINT32_MAX : LG__ADDRESS_MAP_MARK;
    const uint32_t *slot = lg__address_map_slots(from);
    uint32_t *out = lg__address_map_slots(to);
    for (size_t i = 0; i < objects->count; i++) {
        const uint32_t unit = objects->unit[i];
        out[lg__address_map_slot_of(to, unit)] =
            slot[lg__address_map_slot_of(from, unit)] & kept;
    }
}

/** The units of a step in which an object has a slot of its own, and adds it to
 *  those of its leaf. */
static unsigned
finer_step(lg__address_map_leaf leaf, occupied *objects, uint32_t unit)
{
    const unsigned step = step_of(leaf);
    const uint32_t number = lg__address_map_slot_of(leaf, unit);
    const uint32_t slot = lg__address_map_slots(leaf)[number];
    const uint32_t other = unit_of(slot, number, step);
    insert_unit(objects, unit);
    return step_for(objects, step, unit > other ? unit - other : other - unit);
}

/** A leaf for what a leaf has and a mark that does not fit there, or 0. */
static lg__address_map_leaf
finer_leaf(lg__address_map *address_map, lg__address_map_leaf leaf,
           const void *address, uint32_t mark)
{
    const bool is_large = mark > LG__ADDRESS_MAP_MARK;
    occupied objects;
    list_objects(leaf, &objects);
    const unsigned step =
        is_large ? 1
                 : finer_step(leaf, &objects, lg__address_map_unit(address));
    lg__address_map_leaf finer = new_leaf(address_map, step);
    if (finer == 0)
        return 0;
    if (is_large)
        finer -= LG__ADDRESS_MAP_PLAIN;
    copy_marks(leaf, finer, &objects);
    put_by(address_map, leaf);
    return finer;
}

/** Each time, the steps of the leaf become shorter or its slots have room for
 *  larger marks. With steps of one unit, no two objects have one slot, so a
 *  leaf is replaced a few times at most. */
void
lg__address_map_refine(lg__address_map *address_map, const void *address,
                       uint32_t mark)
{
    lg__address_map_leaf *leaf = place_of_leaf(address_map, address);
    if (leaf == NULL || *leaf == 0) {
        address_map->failed = true;
        return;
    }
    lg__address_place place = lg__address_map_place_in(*leaf, address);
    const bool is_own = lg__address_place_mark(place) != 0;
    if ((*place.slot != 0 && !is_own) || mark > place.most) {
        const lg__address_map_leaf finer =
            finer_leaf(address_map, *leaf, address, mark);
        if (finer == 0) {
            address_map->failed = true;
            return;
        }
        *leaf = finer;
        place = lg__address_map_place_in(finer, address);
    }
    *place.slot = mark ^ place.part;
}

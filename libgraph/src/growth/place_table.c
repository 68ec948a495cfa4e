// Tables of places: computes keys, and finds places by them.
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

// The strings of a table of places. The keys of places contain their hashes, so
// strings are found by their hashes, too: with lg__strings_intern, which hashes
// them once more, the places of a process with libraries take a sixth longer.

// Returns the slot of the string, or the free slot where it belongs.
static uint32_t
find_string_slot(const lg_places *places, uint64_t hash, lg_string string)
{
    uint32_t at = (uint32_t)hash & places->known.mask;
    uint32_t tag = (uint32_t)(hash >> 32);
    for (;; at = (at + 1) & places->known.mask) {
        const lg__key_slot *slot = &places->known.slot[at];
        if (slot->number == 0 ||
            (slot->tag == tag &&
             lg__string_same(lg__places_text(places, slot->number - 1),
                             string)))
            return at;
    }
}

static void
free_slots(lg__key_index *index)
{
    lg__huge_free(index->slot, ((size_t)index->mask + 1) * sizeof *index->slot);
}

static bool
make_string_slots(lg_places *places, size_t slots)
{
    const uint64_t *hash = places->string_hash.data;
    lg__key_slot *slot = lg__huge_calloc(slots * sizeof *slot);
    if (slot == NULL)
        return false;
    free_slots(&places->known);
    places->known = (lg__key_index){slot, (uint32_t)(slots - 1)};
    for (uint32_t i = 0; i < places->string_hash.count; i++)
        slot[find_string_slot(places, hash[i], lg__places_text(places, i))] =
            (lg__key_slot){i + 1, (uint32_t)(hash[i] >> 32)};
    return true;
}

// Makes sure that half of the slots are free with `count` more strings.
static bool
reserve_slots(lg_places *places, size_t count)
{
    size_t slots = lg__key_index_growth(
        &places->known, places->string_hash.count + count - 1, 1024);
    return slots == 0 || make_string_slots(places, slots);
}

// Makes that many slots for strings, a power of two, of which half stay free,
// and room for their bytes. Returns false when memory ran out.
static bool
places_expect_strings(lg_places *places, size_t slots)
{
    enum { BYTES_OF_SLOT = 8 };
    return make_string_slots(places, slots) &&
           lg__vector_reserve(&places->allocator, &places->string_bytes,
                              BYTES_OF_SLOT * slots);
}

uint32_t
lg__places_seek(const lg_places *places, lg_string string)
{
    if (places->known.slot == NULL)
        return LG_NONE;
    uint64_t hash = XXH3_64bits(string.data, string.length);
    uint32_t number =
        places->known.slot[find_string_slot(places, hash, string)].number;
    return number == 0 ? LG_NONE : number - 1;
}

// Drops the last string, which has no slot.
static void
drop_last(lg_places *places, uint32_t length)
{
    places->string_offset.count--;
    places->string_bytes.count -= length;
}

// Adds a string that the table does not have yet.
static uint32_t
append_string(lg_places *places, lg__key_slot *slot, uint64_t hash,
              lg_string string)
{
    uint32_t id = lg__strings_append(&places->allocator, &places->strings,
                                     string.data, string.length);
    if (id == LG_NONE)
        return LG_NONE;
    lg_string kept = lg__places_text(places, id);
    if (!lg__string_same(kept, string)) {
        // Invalid bytes were replaced, and the table may have the result.
        hash = XXH3_64bits(kept.data, kept.length);
        slot = &places->known.slot[find_string_slot(places, hash, kept)];
    }
    uint64_t *last =
        slot->number != 0
            ? NULL
            : lg__vector_extend(&places->allocator, &places->string_hash, 1);
    if (last == NULL) {
        drop_last(places, kept.length);
        return slot->number == 0 ? LG_NONE : slot->number - 1;
    }
    *last = hash;
    *slot = (lg__key_slot){id + 1, (uint32_t)(hash >> 32)};
    return id;
}

uint32_t
lg__places_string(lg_places *places, lg_string string)
{
    if (!reserve_slots(places, 1))
        return LG_NONE;
    uint64_t hash = XXH3_64bits(string.data, string.length);
    lg__key_slot *slot =
        &places->known.slot[find_string_slot(places, hash, string)];
    return slot->number != 0 ? slot->number - 1
                             : append_string(places, slot, hash, string);
}

lg_string
lg__places_text(const lg_places *places, uint32_t string)
{
    const uint64_t *offset = places->string_offset.data;
    const char *bytes = places->string_bytes.data;
    uint64_t begin = offset[string];
    if (bytes == NULL)
        return (lg_string){"", 0};
    return (lg_string){bytes + begin, (uint32_t)(offset[string + 1] - begin)};
}

// Writes the names behind the strings of the table, one after the other. Asks
// for the slots where they belong.
static bool
write_behind(lg_places *places, bool dotted, const lg_string *names,
             uint32_t count, uint64_t *hashes)
{
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++)
        length += dotted + names[i].length;
    char *bytes =
        lg__vector_extend(&places->allocator, &places->string_bytes, length);
    if (bytes == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = dotted + names[i].length;
        bytes[0] = '.';
        memcpy(bytes + dotted, names[i].data, names[i].length);
        hashes[i] = XXH3_64bits(bytes, size);
        __builtin_prefetch(
            &places->known.slot[(uint32_t)hashes[i] & places->known.mask], 1);
        bytes += size;
    }
    return true;
}

// Returns the number of a name that lies behind the strings of the table, which
// has room for one more.
static uint32_t
take_behind(lg_places *places, lg_string name, uint64_t hash)
{
    char *end = (char *)places->string_bytes.data + places->string_bytes.count;
    lg__key_slot *slot =
        &places->known.slot[find_string_slot(places, hash, name)];
    if (slot->number != 0)
        return slot->number - 1;
    if (name.data != end)
        memmove(end, name.data, name.length);
    places->string_bytes.count += name.length;
    uint64_t *offset = places->string_offset.data;
    offset[places->string_offset.count++] = places->string_bytes.count;
    uint64_t *known = places->string_hash.data;
    known[places->string_hash.count++] = hash;
    *slot = (lg__key_slot){(uint32_t)places->string_hash.count,
                           (uint32_t)(hash >> 32)};
    return slot->number - 1;
}

bool
lg__places_names(lg_places *places, bool dotted, const lg_string *names,
                 uint32_t count, uint32_t *numbers)
{
    const lg_allocator *allocator = &places->allocator;
    uint64_t hashes[LG__NAMES_AT_ONCE];
    size_t begin = places->string_bytes.count;
    if (places->string_hash.count + count > LG_NONE ||
        !reserve_slots(places, count) ||
        !lg__vector_grow(allocator, &places->string_offset, count) ||
        !lg__vector_grow(allocator, &places->string_hash, count) ||
        !write_behind(places, dotted, names, count, hashes))
        return false;
    const char *next = (const char *)places->string_bytes.data + begin;
    places->string_bytes.count = begin;
    for (uint32_t i = 0; i < count; i++) {
        lg_string name = {next, dotted + names[i].length};
        numbers[i] = take_behind(places, name, hashes[i]);
        next += name.length;
    }
    return true;
}

lg_places *
lg__places_begin(void)
{
    lg_places *places = lg__calloc(1, sizeof *places);
    if (places == NULL)
        return NULL;
    places->allocator = lg__allocator_huge();
    places->items.element = sizeof(lg__place_item);
    places->bytes.element = sizeof(uint64_t);
    places->string_hash.element = sizeof(uint64_t);
    places->devices.element = sizeof(uint32_t);
    places->words.element = sizeof(lg__place_words);
    if (!lg__strings_open(&places->allocator, &places->strings,
                          &places->string_offset, &places->string_bytes)) {
        lg_places_free(places);
        return NULL;
    }
    return places;
}

static void
free_index(lg_places *places)
{
    free_slots(&places->index);
    lg__free(places->seen);
}

void
lg_places_free(lg_places *places)
{
    if (places == NULL)
        return;
    lg__vector *vectors[] = {
        &places->items,         &places->bytes,       &places->string_bytes,
        &places->string_offset, &places->string_hash, &places->devices,
        &places->words,
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        lg__vector_free(&places->allocator, vectors[i]);
    free_index(places);
    free_slots(&places->known);
    lg__free(places);
}

bool
lg__places_add_device(lg_places *places, lg_string name)
{
    uint32_t id = lg__places_string(places, name);
    uint32_t *place = id == LG_NONE ? NULL
                                    : lg__vector_extend(&places->allocator,
                                                        &places->devices, 1);
    if (place == NULL)
        return false;
    *place = id;
    places->each++;
    return true;
}

// Some slots are always free, and one that has a place never becomes free. So a
// search that starts at the slot of a key and comes to a free one has passed
// all slots in which the key may be: the table does not have it.
//
// Returns the slot of the place with that key, or the free slot where it
// belongs. A slot contains a part of the key, so that a search reads nothing
// else.
static uint32_t
find_slot(const lg_places *places, uint64_t key)
{
    uint32_t at = (uint32_t)key & places->index.mask;
    uint32_t tag = (uint32_t)(key >> 32);
    for (;; at = (at + 1) & places->index.mask) {
        const lg__key_slot *slot = &places->index.slot[at];
        if (slot->number == 0 ||
            (slot->tag == tag &&
             lg__place_at(places, slot->number - 1)->key == key))
            return at;
    }
}

// Returns the word with the bit of a key in a Bloom filter with one hash and
// four bits for each slot. A clear bit proves that the key is new, so the
// slots, which are many and far apart, need not be read.
static uint64_t *
seen_word(const lg_places *places, uint64_t key)
{
    return &places->seen[(key >> 16 & (4 * (uint64_t)places->index.mask + 3)) /
                         64];
}

static uint64_t
seen_bit(uint64_t key)
{
    return UINT64_C(1) << (key >> 16) % 64;
}

static uint16_t
below_bit(uint64_t key)
{
    return (uint16_t)(1 << key % 16);
}

// Returns whether the table may have the key below `parent`. Few places are
// above many others, so the bits of the place above mostly decide.
static bool
may_have(const lg_places *places, uint32_t parent, uint64_t key)
{
    return (parent == LG_NONE ||
            (lg__place_at(places, parent)->below & below_bit(key))) &&
           (*seen_word(places, key) & seen_bit(key));
}

static bool
make_slots(lg_places *places, size_t slots)
{
    lg__key_slot *slot = lg__huge_calloc(slots * sizeof *slot);
    uint64_t *seen = lg__calloc(slots / 16, sizeof *seen);
    if (slot == NULL || seen == NULL) {
        lg__huge_free(slot, slots * sizeof *slot);
        lg__free(seen);
        return false;
    }
    free_index(places);
    places->index = (lg__key_index){slot, (uint32_t)(slots - 1)};
    places->seen = seen;
    places->indexed = 0;
    for (uint32_t i = 0; i < places->items.count; i++) {
        uint64_t key = lg__place_at(places, i)->key;
        *seen_word(places, key) |= seen_bit(key);
    }
    return true;
}

static bool
reserve_slot(lg_places *places)
{
    size_t slots =
        lg__key_index_growth(&places->index, places->items.count, 2048);
    return slots == 0 || make_slots(places, slots);
}

// Prefetches the slots of the next few places.
void
lg__places_index(lg_places *places)
{
    enum { AHEAD = 16 };
    uint32_t count = (uint32_t)places->items.count;
    for (uint32_t i = places->indexed; i < count; i++) {
        uint32_t ahead = i + AHEAD < count ? i + AHEAD : i;
        __builtin_prefetch(
            &places->index.slot[(uint32_t)lg__place_at(places, ahead)->key &
                                places->index.mask]);
        uint64_t key = lg__place_at(places, i)->key;
        places->index.slot[find_slot(places, key)] =
            (lg__key_slot){i + 1, (uint32_t)(key >> 32)};
    }
    places->indexed = count;
}

bool
lg__places_expect(lg_places *places, size_t count)
{
    size_t slots = 2048;
    while (slots < count)
        slots *= 2;
    return lg__vector_reserve(&places->allocator, &places->items, count) &&
           make_slots(places, slots) &&
           places_expect_strings(places, slots / 2) &&
           (places->each == 1 ||
            lg__vector_reserve(&places->allocator, &places->bytes,
                               2 * count * places->each));
}

static uint64_t
key_of(const lg_places *places, uint32_t parent, lg_place_kind kind,
       uint32_t label, uint32_t type)
{
    const uint64_t *hash = places->string_hash.data;
    uint64_t words[4] = {
        parent == LG_NONE ? 0 : lg__place_at(places, parent)->key,
        (uint64_t)kind,
        hash[label],
        hash[type],
    };
    return XXH3_64bits(words, sizeof words);
}

static bool
add_bytes(lg_places *places)
{
    size_t count = (size_t)2 * places->each;
    uint64_t *bytes =
        lg__vector_extend(&places->allocator, &places->bytes, count);
    if (bytes != NULL)
        memset(bytes, 0, count * sizeof *bytes);
    return bytes != NULL;
}

// Adds a place that the table does not have. All other fields become 0.
static uint32_t
append(lg_places *places, uint64_t key, uint32_t parent, uint32_t label,
       uint32_t type)
{
    uint32_t index = (uint32_t)places->items.count;
    if (places->each > 1 && !add_bytes(places))
        return LG_NONE;
    lg__place_item *place =
        lg__vector_extend(&places->allocator, &places->items, 1);
    if (place == NULL) {
        if (places->each > 1)
            places->bytes.count -= (size_t)2 * places->each;
        return LG_NONE;
    }
    // Places are appended in sequence: fetch six entries ahead.
    __builtin_prefetch((char *)place + 6 * sizeof *place, 1);
    // Field by field: to copy what was just put together, the processor waits.
    memset(place, 0, sizeof *place);
    place->key = key;
    place->parent = parent;
    place->label = label;
    place->type = type;
    place->example = LG_NONE;
    *seen_word(places, key) |= seen_bit(key);
    if (parent != LG_NONE)
        lg__place_at(places, parent)->below |= below_bit(key);
    __builtin_prefetch(&places->index.slot[(uint32_t)key & places->index.mask],
                       1);
    return index;
}

// A new place gets no slot at once. The filter knows it, and only when the
// filter cannot rule a key out do the slots of all new places follow, before
// they are searched.
static uint32_t
put(lg_places *places, uint32_t parent, lg_place_kind kind, uint32_t label,
    uint32_t type)
{
    uint64_t key = key_of(places, parent, kind, label, type);
    if (!reserve_slot(places))
        return LG_NONE;
    if (may_have(places, parent, key)) {
        __builtin_prefetch(
            &places->index.slot[(uint32_t)key & places->index.mask]);
        lg__places_index(places);
        uint32_t number = places->index.slot[find_slot(places, key)].number;
        if (number != 0)
            return number - 1;
    }
    uint32_t place = append(places, key, parent, label, type);
    if (place != LG_NONE)
        lg__place_at(places, place)->kind = (uint8_t)kind;
    return place;
}

// Returns one of 64 bits. Most steps to a place have different ones, so the
// bits of all of them mostly say that none is the same.
static uint64_t
step_bit(lg_place_kind kind, uint32_t label, uint32_t type)
{
    uint64_t step = (uint64_t)label << 32 | (type << 4 ^ (uint32_t)kind);
    // Fibonacci hashing: 2^64 divided by the golden ratio.
    return UINT64_C(1) << (step * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

// Returns whether a dict in an attribute belongs to its owner's class, as
// torch's Module._modules does: the same attribute of an object of another
// class is another thing. A tree has its children in such a dict, too, but its
// nodes are of one class.
static bool
is_of_other_class(const lg_places *places, const lg__place_item *above,
                  uint32_t owner)
{
    return above->kind == LG_PLACE_NAMED && above->parent != LG_NONE &&
           lg__place_at(places, above->parent)->type !=
               lg__place_at(places, owner)->type &&
           lg__string_is(lg__places_text(places, above->type), "dict");
}

// Returns the place that the step leads back to: `parent` or one above it.
// LG_NONE if the step repeats none. All places above it were made by
// lg__places_put.
static uint32_t
recurring(const lg_places *places, uint32_t parent, lg_place_kind kind,
          uint32_t label, uint32_t type)
{
    uint64_t bit = step_bit(kind, label, type);
    uint32_t owner = parent;
    for (int i = 0; i < LG__RECURSION && parent != LG_NONE; i++) {
        const lg__place_item *above = lg__place_at(places, parent);
        if (!(above->references & bit))
            return LG_NONE;
        if (above->kind == kind && above->label == label &&
            above->type == type && !is_of_other_class(places, above, owner))
            return parent;
        parent = above->parent;
    }
    return LG_NONE;
}

uint32_t
lg__places_put(lg_places *places, uint32_t parent, lg_place_kind kind,
               uint32_t label, uint32_t type)
{
    uint32_t place = recurring(places, parent, kind, label, type);
    if (place != LG_NONE)
        return place;
    place = put(places, parent, kind, label, type);
    if (place == LG_NONE)
        return LG_NONE;
    uint64_t above =
        parent == LG_NONE ? 0 : lg__place_at(places, parent)->references;
    lg__place_at(places, place)->references =
        above | step_bit(kind, label, type);
    return place;
}

uint32_t
lg__places_add(lg_places *places, uint32_t parent, lg_place_kind kind,
               uint32_t label, uint32_t type)
{
    uint32_t place = put(places, parent, kind, label, type);
    lg__places_index(places);
    return place;
}

uint32_t
lg_places_find(const lg_places *places, uint64_t key)
{
    if (places->index.slot == NULL)
        return LG_NONE;
    uint32_t number = places->index.slot[find_slot(places, key)].number;
    return number == 0 ? LG_NONE : number - 1;
}

uint32_t
lg_places_count(const lg_places *places)
{
    return (uint32_t)places->items.count;
}

lg_place
lg_places_at(const lg_places *places, uint32_t index)
{
    const lg__place_item *item = lg__place_at(places, index);
    return (lg_place){
        .key = item->key,
        .parent = item->parent,
        .kind = (lg_place_kind)item->kind,
        .label = lg__places_text(places, item->label),
        .type = lg__places_text(places, item->type),
        .members = item->members,
        .references = item->references,
        .own = lg__place_own(places, index),
        .retained = lg__place_retained(places, index),
        .example = item->example,
    };
}

uint32_t
lg_places_device_count(const lg_places *places)
{
    return places->each - 1;
}

lg_string
lg_places_device_name(const lg_places *places, uint32_t device)
{
    if (device >= places->each)
        return (lg_string){"", 0};
    return lg__places_text(places, ((uint32_t *)places->devices.data)[device]);
}

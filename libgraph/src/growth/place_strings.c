// The strings of a table of places. The keys of places contain their hashes, so
// strings are found by their hashes, too: with lg__strings_intern, which hashes
// them once more, the places of a process with libraries take a sixth longer.
#include "growth/growth_private.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

// Returns the slot of the string, or the free slot where it belongs.
static uint32_t
find_slot(const lg_places *places, uint64_t hash, lg_string string)
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

static bool
make_slots(lg_places *places, size_t slots)
{
    const uint64_t *hash = places->string_hash.data;
    lg__key_slot *slot = lg__huge_calloc(slots * sizeof *slot);
    if (slot == NULL)
        return false;
    lg__places_free_slots(&places->known);
    places->known = (lg__key_index){slot, (uint32_t)(slots - 1)};
    for (uint32_t i = 0; i < places->string_hash.count; i++)
        slot[find_slot(places, hash[i], lg__places_text(places, i))] =
            (lg__key_slot){i + 1, (uint32_t)(hash[i] >> 32)};
    return true;
}

// Makes sure that half of the slots are free with `count` more strings.
static bool
reserve_slots(lg_places *places, size_t count)
{
    size_t slots = lg__key_index_growth(
        &places->known, places->string_hash.count + count - 1, 1024);
    return slots == 0 || make_slots(places, slots);
}

bool
lg__places_expect_strings(lg_places *places, size_t slots)
{
    enum { BYTES_OF_SLOT = 8 };
    return make_slots(places, slots) &&
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
        places->known.slot[find_slot(places, hash, string)].number;
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
append(lg_places *places, lg__key_slot *slot, uint64_t hash, lg_string string)
{
    uint32_t id = lg__strings_append(&places->allocator, &places->strings,
                                     string.data, string.length);
    if (id == LG_NONE)
        return LG_NONE;
    lg_string kept = lg__places_text(places, id);
    if (!lg__string_same(kept, string)) {
        // Invalid bytes were replaced, and the table may have the result.
        hash = XXH3_64bits(kept.data, kept.length);
        slot = &places->known.slot[find_slot(places, hash, kept)];
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
    lg__key_slot *slot = &places->known.slot[find_slot(places, hash, string)];
    return slot->number != 0 ? slot->number - 1
                             : append(places, slot, hash, string);
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
    lg__key_slot *slot = &places->known.slot[find_slot(places, hash, name)];
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

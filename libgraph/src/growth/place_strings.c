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

static bool
reserve_slot(lg_places *places)
{
    size_t slots =
        lg__key_index_growth(&places->known, places->string_hash.count, 1024);
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
    if (!reserve_slot(places))
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

// Writes the string behind the others, with a dot before it if it is dotted.
static char *
write_behind(lg_places *places, bool dotted, lg_string string)
{
    char *bytes = lg__vector_extend(&places->allocator, &places->string_bytes,
                                    (size_t)dotted + string.length);
    if (bytes == NULL)
        return NULL;
    bytes[0] = '.';
    if (string.length > 0)
        memcpy(bytes + dotted, string.data, string.length);
    return bytes;
}

// Makes a string of the bytes behind the others. Returns LG_NONE when memory
// ran out.
static uint32_t
keep_behind(lg_places *places, uint64_t hash)
{
    const lg_allocator *allocator = &places->allocator;
    uint64_t *end =
        places->string_hash.count < LG_NONE
            ? lg__vector_extend(allocator, &places->string_offset, 1)
            : NULL;
    if (end == NULL)
        return LG_NONE;
    uint64_t *last = lg__vector_extend(allocator, &places->string_hash, 1);
    if (last == NULL) {
        places->string_offset.count--;
        return LG_NONE;
    }
    *end = places->string_bytes.count;
    *last = hash;
    return (uint32_t)places->string_hash.count - 1;
}

// The bytes are written where they stay if they are new.
uint32_t
lg__places_name(lg_places *places, bool dotted, lg_string string)
{
    lg_string name = {NULL, dotted + string.length};
    if (reserve_slot(places))
        name.data = write_behind(places, dotted, string);
    if (name.data == NULL)
        return LG_NONE;
    uint64_t hash = XXH3_64bits(name.data, name.length);
    lg__key_slot *slot = &places->known.slot[find_slot(places, hash, name)];
    uint32_t id = slot->number != 0 ? slot->number - 1 : LG_NONE;
    bool is_new = id == LG_NONE;
    if (is_new)
        id = keep_behind(places, hash);
    if (is_new && id != LG_NONE)
        *slot = (lg__key_slot){id + 1, (uint32_t)(hash >> 32)};
    else
        places->string_bytes.count -= name.length;
    return id;
}

// Interns strings with uthash. Its memory comes from the builder's allocator:
// its macros expand in functions with an `allocator` and an `oom` in scope.
#include "base/base_private.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define HASH_NONFATAL_OOM 1
#define uthash_malloc(size) lg__allocate(allocator, size)
#define uthash_free(block, size) lg__deallocate(allocator, block, size)
#define uthash_nonfatal_oom(element) (oom = true)
#define HASH_FUNCTION(key, length, hash)                                       \
    ((hash) = (unsigned)XXH3_64bits((key), (length)))
#include <uthash.h>

struct lg__entry {
    UT_hash_handle hh;
    uint32_t id;
    uint32_t length;
    char bytes[];
};

struct lg__chunk {
    lg__chunk *next;
    size_t used;
    size_t size;
};

enum { CHUNK_SIZE = 256 * 1024 };

bool
lg__strings_open(const lg_allocator *allocator, lg__strings *strings,
                 lg__vector *offset, lg__vector *bytes)
{
    offset->element = sizeof(uint64_t);
    bytes->element = 1;
    strings->offset = offset;
    strings->bytes = bytes;
    uint64_t *first = lg__vector_extend(allocator, offset, 1);
    if (first != NULL)
        *first = 0;
    return first != NULL;
}

static void *
chunk_take(const lg_allocator *allocator, lg__strings *strings, size_t size)
{
    lg__chunk *chunk = strings->chunks;
    size = (size + 15) & ~(size_t)15;
    if (chunk == NULL || chunk->size - chunk->used < size) {
        chunk = lg__allocate(allocator, CHUNK_SIZE);
        if (chunk == NULL)
            return NULL;
        chunk->next = strings->chunks;
        chunk->used = (sizeof *chunk + 15) & ~(size_t)15;
        chunk->size = CHUNK_SIZE;
        strings->chunks = chunk;
    }
    void *place = (char *)chunk + chunk->used;
    chunk->used += size;
    return place;
}

// Escapes a character that names must not have; 0: a byte that is not UTF-8.
static size_t
escape_one(const char *at, size_t length, char out[LG__ESCAPE_MOST + 1])
{
    if (length > 0)
        return lg__utf8_escape(at, length, out);
    return (size_t)snprintf(out, LG__ESCAPE_MOST + 1, "\\x%02x",
                            (unsigned)(unsigned char)*at);
}

size_t
lg_string_clean(char *out, size_t room, const char *bytes, size_t length)
{
    size_t filled = 0;
    for (size_t at = 0; at < length;) {
        char escape[LG__ESCAPE_MOST + 1];
        const char *add = bytes + at;
        size_t step = lg__utf8_clean_length(add, length - at);
        size_t added = step;
        if (step == 0) {
            step = lg__utf8_length(add, length - at);
            added = escape_one(add, step, escape);
            add = escape;
        }
        if (filled + added > room)
            break;
        memcpy(out + filled, add, added);
        filled += added;
        at += step ? step : 1;
    }
    return filled;
}

static uint32_t
append_clean(const lg_allocator *allocator, lg__strings *strings,
             const char *bytes, size_t length)
{
    if (strings->offset->count >= LG_NONE)
        return LG_NONE;
    uint64_t *end = lg__vector_extend(allocator, strings->offset, 1);
    if (end == NULL)
        return LG_NONE;
    char *place = lg__vector_extend(allocator, strings->bytes, length);
    if (place == NULL && length > 0) {
        strings->offset->count--;
        return LG_NONE;
    }
    if (length > 0)
        memcpy(place, bytes, length);
    *end = strings->bytes->count;
    return (uint32_t)(strings->offset->count - 2);
}

uint32_t
lg__strings_append(const lg_allocator *allocator, lg__strings *strings,
                   const char *bytes, size_t length)
{
    if (length <= LG__STRING_MAX && lg__utf8_is_clean(bytes, length))
        return append_clean(allocator, strings, bytes, length);
    char cleaned[LG__STRING_MAX];
    length = lg_string_clean(cleaned, LG__STRING_MAX, bytes, length);
    return append_clean(allocator, strings, cleaned, length);
}

static uint32_t
intern_clean(const lg_allocator *allocator, lg__strings *strings,
             const char *bytes, size_t length)
{
    lg__entry *entry = NULL;
    HASH_FIND(hh, strings->table, bytes, length, entry);
    if (entry != NULL)
        return entry->id;
    entry = chunk_take(allocator, strings, sizeof *entry + length);
    if (entry == NULL)
        return LG_NONE;
    entry->length = (uint32_t)length;
    if (length > 0)
        memcpy(entry->bytes, bytes, length);
    entry->id = append_clean(allocator, strings, bytes, length);
    if (entry->id == LG_NONE)
        return LG_NONE;
    bool oom = false;
    HASH_ADD_KEYPTR(hh, strings->table, entry->bytes, length, entry);
    // The appended string stays without an entry, because nothing refers to it.
    return oom ? LG_NONE : entry->id;
}

uint32_t
lg__strings_intern(const lg_allocator *allocator, lg__strings *strings,
                   const char *bytes, size_t length)
{
    if (length <= LG__STRING_MAX && lg__utf8_is_clean(bytes, length))
        return intern_clean(allocator, strings, bytes, length);
    char cleaned[LG__STRING_MAX];
    length = lg_string_clean(cleaned, LG__STRING_MAX, bytes, length);
    return intern_clean(allocator, strings, cleaned, length);
}

void
lg__strings_free(const lg_allocator *allocator, lg__strings *strings)
{
    HASH_CLEAR(hh, strings->table);
    while (strings->chunks != NULL) {
        lg__chunk *chunk = strings->chunks;
        strings->chunks = chunk->next;
        lg__deallocate(allocator, chunk, chunk->size);
    }
}

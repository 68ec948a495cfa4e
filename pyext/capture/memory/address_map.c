#include "capture/memory/address_map.h"
#include "capture/memory/own_ranges.h"
#include "capture/memory/pages.h"
#include "capture/memory/page_cache.h"
#include "capture/memory/spill.h"

#include <string.h>
#include <sys/mman.h>

#define TOP_BYTES (LG__ADDRESS_MAP_TOP * sizeof(lg__address_map_leaf **))
#define HEADER ((sizeof(lg__address_map_chunk) + 63) & ~(size_t)63)

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
    const size_t whole = (size + 63) & ~(size_t)63;
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

uint32_t *
lg__address_map_new_slot(lg__address_map *address_map, const void *address)
{
    uintptr_t bits = (uintptr_t)address;
    lg__address_map_leaf ***middle =
        &address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    if (*middle == NULL)
        *middle = lg__address_map_take(address_map, LG__ADDRESS_MAP_MIDDLE *
                                                        sizeof **middle);
    lg__address_map_leaf **leaf =
        *middle != NULL
            ? &(*middle)[(bits >> 20) & (LG__ADDRESS_MAP_MIDDLE - 1)]
            : NULL;
    if (leaf != NULL && *leaf == NULL)
        *leaf = lg__address_map_take(address_map, sizeof **leaf);
    if (leaf != NULL && *leaf != NULL)
        return &(*leaf)->slot[lg__address_map_rank(address)];
    address_map->failed = true;
    return &address_map->lost;
}

enum {
    PLAIN_STEP = LG__ADDRESS_MAP_STEP / 2,
    PLAIN_SLOTS = LG__ADDRESS_MAP_PAGE / PLAIN_STEP,
};

/** The plain slots of an address's page, if its leaf is there. */
static uint32_t **
plain_of(const lg__address_map *address_map, const void *address)
{
    lg__address_map_leaf *leaf = lg__address_map_leaf_of(address_map, address);
    return leaf != NULL
               ? &leaf->plain[(uintptr_t)address / LG__ADDRESS_MAP_PAGE %
                              LG__ADDRESS_MAP_PAGES]
               : NULL;
}

static size_t
plain_rank(const void *address)
{
    return (uintptr_t)address / PLAIN_STEP % PLAIN_SLOTS;
}

uint32_t
lg__address_map_plain(const lg__address_map *address_map, const void *address)
{
    uint32_t *const *plain = plain_of(address_map, address);
    return plain != NULL && *plain != NULL ? (*plain)[plain_rank(address)] : 0;
}

/* A slot that has a node already gives it to the plain slots, too. */
void
lg__address_map_set_plain(lg__address_map *address_map, uint32_t *slot,
                          const void *address, uint32_t mark)
{
    uint32_t **plain = plain_of(address_map, address);
    if (plain != NULL && *plain == NULL)
        *plain =
            lg__address_map_take(address_map, PLAIN_SLOTS * sizeof **plain);
    if (plain == NULL || *plain == NULL) {
        address_map->failed = true;
        return;
    }
    if (*slot > LG__ADDRESS_MAP_PLAIN)
        (*plain)[plain_rank(address) / 2 * 2 + (*slot & 1)] = *slot / 2;
    *slot = LG__ADDRESS_MAP_PLAIN;
    (*plain)[plain_rank(address)] = mark;
}

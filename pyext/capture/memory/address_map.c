#include "capture/memory/address_map.h"
#include "capture/memory/pages.h"
#include "capture/memory/page_cache.h"
#include "capture/memory/spill.h"

#include <string.h>
#include <sys/mman.h>

#define TOP_BYTES (LG_SHADOW_TOP * sizeof(uint32_t **))
#define HEADER ((sizeof(lg_shadow_chunk) + 63) & ~(size_t)63)

/** Of a whole capture: a multiple of huge pages, so that they can be kept. */
#define BIG_CHUNK (8 * LG_SPARE_UNIT)
/** Of a partial one: few leaves, whose pages are only touched where needed. */
#define SMALL_CHUNK ((size_t)4 << 20)

/** Kept memory is cleared, which fresh pages are by the kernel. */
static void *
map_big(size_t size)
{
    size_t kept;
    void *start = lg_spare_map(size, &kept);
    if (start != NULL)
        memset(start, 0, kept);
    return start;
}

bool
lg_shadow_open(lg_shadow *shadow, uint64_t max_bytes, bool whole)
{
    *shadow = (lg_shadow){
        .top = lg_pages_map(TOP_BYTES),
        .limit =
            max_bytes && max_bytes < SIZE_MAX ? (size_t)max_bytes : SIZE_MAX,
        .whole = whole,
    };
    return shadow->top != NULL;
}

void
lg_shadow_close(lg_shadow *shadow)
{
    if (shadow->top != NULL)
        munmap(shadow->top, TOP_BYTES);
    shadow->top = NULL;
    while (shadow->chunks != NULL) {
        lg_shadow_chunk *chunk = shadow->chunks;
        shadow->chunks = chunk->next;
        if (lg_spill_holds(chunk))
            lg_spill_give(chunk, chunk->size);
        else if (shadow->whole)
            lg_spare_give(chunk, chunk->size);
        else
            munmap(chunk, chunk->size);
    }
    shadow->free_size = 0;
}

static bool
add_chunk(lg_shadow *shadow, size_t least)
{
    size_t unit = shadow->whole ? BIG_CHUNK : SMALL_CHUNK;
    size_t size = (least + HEADER + unit - 1) / unit * unit;
    lg_shadow_chunk *chunk = lg_spill_take(size, false);
    if (chunk == NULL)
        chunk = shadow->whole ? map_big(size) : lg_pages_map(size);
    if (chunk == NULL)
        return false;
    *chunk = (lg_shadow_chunk){shadow->chunks, size};
    shadow->chunks = chunk;
    shadow->free = (char *)chunk + HEADER;
    shadow->free_size = size - HEADER;
    return true;
}

void *
lg_shadow_take(lg_shadow *shadow, size_t size)
{
    size = (size + 63) & ~(size_t)63;
    if (size > shadow->limit - shadow->used)
        return NULL;
    if (size > shadow->free_size && !add_chunk(shadow, size))
        return NULL;
    char *taken = shadow->free;
    shadow->free += size;
    shadow->free_size -= size;
    shadow->used += size;
    return taken;
}

uint32_t *
lg_shadow_new_slot(lg_shadow *shadow, const void *address)
{
    uintptr_t bits = (uintptr_t)address;
    uint32_t ***middle = &shadow->top[(bits >> 30) & (LG_SHADOW_TOP - 1)];
    if (*middle == NULL)
        *middle = lg_shadow_take(shadow, LG_SHADOW_MIDDLE * sizeof **middle);
    uint32_t **leaf = *middle != NULL
                          ? &(*middle)[(bits >> 20) & (LG_SHADOW_MIDDLE - 1)]
                          : NULL;
    if (leaf != NULL && *leaf == NULL)
        *leaf = lg_shadow_take(shadow, LG_SHADOW_LEAF * sizeof **leaf);
    if (leaf != NULL && *leaf != NULL)
        return &(*leaf)[(bits >> 4) & (LG_SHADOW_LEAF - 1)];
    shadow->failed = true;
    return &shadow->lost;
}

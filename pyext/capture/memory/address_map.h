/**
 * Address to node, without hashing: a radix map with one u32 for every 16 bytes
 * of address space that holds an object. Neighbouring objects share cache
 * lines, which is the whole gain (a hash table is 3 to 9 times slower here).
 * Static objects may be aligned to 8 bytes only; still no two objects begin in
 * the same 16 bytes, as none is smaller than its header.
 *
 * Three levels: bits 30 to 47 choose a table of 1,024 leaves, bits 20 to 29 a
 * leaf of 1 MiB of addresses, bits 4 to 19 the slot. Tables and leaves are cut
 * from anonymous mappings, which big captures leave to the next one.
 */
#ifndef LEAKGRAPH_ADDRESS_MAP_H
#define LEAKGRAPH_ADDRESS_MAP_H

#include "capture/memory/prefetch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LG__ADDRESS_MAP_TOP = 1 << 18,
    LG__ADDRESS_MAP_MIDDLE = 1 << 10,
    LG__ADDRESS_MAP_LEAF = 1 << 16,
    LG__ADDRESS_MAP_STEP = 16, /**< bytes of address space of a slot */
};

/** Mapped memory that tables and leaves are cut from. */
typedef struct lg__address_map_chunk {
    struct lg__address_map_chunk *next;
    size_t size;
} lg__address_map_chunk;

typedef struct lg__address_map {
    uint32_t ***top;
    lg__address_map_chunk *chunks; /**< the newest first */
    char *free;                    /**< the rest of the newest chunk */
    size_t free_size;
    size_t unclear_size; /**< how much of it, from its beginning, is not zero */
    size_t used;
    size_t limit;  /**< what the budget allows to be used */
    uint32_t lost; /**< the slot of any address once memory ran out */
    bool whole;
    bool failed; /**< memory ran out: what was found since means nothing */
} lg__address_map;

/** False when the address space is exhausted. max_bytes 0: no budget. `whole`
 *  asks for big chunks in huge pages: that pays if the walk will meet most of
 *  the heap, and otherwise wastes time on clearing. */
bool lg__address_map_open(lg__address_map *address_map, uint64_t max_bytes,
                          bool whole);
void lg__address_map_close(lg__address_map *address_map);
/** Zeroed bytes that last until the map is closed, or NULL. */
void *lg__address_map_take(lg__address_map *address_map, size_t size);
/** The same with any contents. */
void *lg__address_map_take_unset(lg__address_map *address_map, size_t size);

/** The slot of an address in a new leaf; &address_map->lost, with `failed`
 *  set, when memory ran out. */
uint32_t *lg__address_map_new_slot(lg__address_map *address_map,
                                   const void *address);

/** The slot of an address: 0 until set. Never NULL: see `failed`. */
static inline uint32_t *
lg__address_map_slot(lg__address_map *address_map, const void *address)
{
    uintptr_t bits = (uintptr_t)address;
    uint32_t **middle =
        address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    if (__builtin_expect(middle == NULL, 0))
        return lg__address_map_new_slot(address_map, address);
    uint32_t *leaf = middle[(bits >> 20) & (LG__ADDRESS_MAP_MIDDLE - 1)];
    if (__builtin_expect(leaf == NULL, 0))
        return lg__address_map_new_slot(address_map, address);
    return &leaf[(bits >> 4) & (LG__ADDRESS_MAP_LEAF - 1)];
}

/** The slot of an address and those of the addresses behind it, up to the next
 *  MiB; NULL if none of them was ever set. Allocates nothing. */
static inline const uint32_t *
lg__address_map_row(const lg__address_map *address_map, const void *address)
{
    uintptr_t bits = (uintptr_t)address;
    uint32_t *const *middle =
        address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    const uint32_t *leaf =
        middle != NULL ? middle[(bits >> 20) & (LG__ADDRESS_MAP_MIDDLE - 1)]
                       : NULL;
    return leaf != NULL ? &leaf[(bits >> 4) & (LG__ADDRESS_MAP_LEAF - 1)]
                        : NULL;
}

/** Brings an address's slot into the cache, if there is one. */
static inline void
lg__address_map_prefetch(const lg__address_map *address_map,
                         const void *address)
{
    const uint32_t *slot = lg__address_map_row(address_map, address);
    if (slot != NULL)
        lg__prefetch(slot);
}

/** The slot's value, 0 if it was never set; allocates nothing. */
static inline uint32_t
lg__address_map_find(const lg__address_map *address_map, const void *address)
{
    const uint32_t *slot = lg__address_map_row(address_map, address);
    return slot != NULL ? *slot : 0;
}

#endif

/**
 * Address to node, without hashing: a radix map with one u32 for every 32 bytes
 * of address space that holds an object. Neighbouring objects share cache
 * lines, which is the whole gain (a hash table is 3 to 9 times slower here).
 *
 * Static objects may be aligned to 8 bytes only; still no two objects begin in
 * the same 16 bytes, as none is smaller than its header. Hardly any two begin
 * in the same 32 bytes, as only instances of `object` have no more than a
 * header. So a slot has a node and a bit that says in which half of the 32
 * bytes it begins. Where two nodes meet, or a number does not fit beside the
 * bit, the page of that address gets plain slots: a u32 for every 16 bytes. The
 * slot only refers to them then.
 *
 * Three levels: bits 30 to 47 choose a table of 1,024 leaves, bits 20 to 29 a
 * leaf of 1 MiB of addresses, bits 5 to 19 the slot. Tables, leaves and plain
 * slots are cut from anonymous mappings, which big captures leave to the next
 * one.
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
    LG__ADDRESS_MAP_LEAF = 1 << 15,
    LG__ADDRESS_MAP_STEP = 32, /**< bytes of address space of a slot */
    LG__ADDRESS_MAP_PAGE = 1 << 12,
    LG__ADDRESS_MAP_PAGES = 1 << 8, /**< pages of a leaf */
    LG__ADDRESS_MAP_PLAIN = 1,      /**< the slot of what has plain slots */
};

/** The slots of a MiB of addresses: 0: nothing; LG__ADDRESS_MAP_PLAIN; or twice
 *  the mark of a node, and 1 if it begins in the upper half. A mark is the
 *  node's number and 1. */
typedef struct lg__address_map_leaf {
    uint32_t slot[LG__ADDRESS_MAP_LEAF];
    uint32_t *plain[LG__ADDRESS_MAP_PAGES]; /**< marks; or NULL */
} lg__address_map_leaf;

/** Mapped memory that tables and leaves are cut from. */
typedef struct lg__address_map_chunk {
    struct lg__address_map_chunk *next;
    size_t size;
} lg__address_map_chunk;

typedef struct lg__address_map {
    lg__address_map_leaf ***top;
    lg__address_map_chunk *chunks; /**< the newest first */
    lg__address_map_chunk *apart;
    char *free; /**< the rest of the newest chunk */
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
/** The same in a mapping of its own, in small pages: for large blocks of which
 *  little is used. */
void *lg__address_map_take_apart(lg__address_map *address_map, size_t size);

/** The slot of an address in a new leaf; &address_map->lost, with `failed`
 *  set, when memory ran out. */
uint32_t *lg__address_map_new_slot(lg__address_map *address_map,
                                   const void *address);
/** The mark in an address's plain slot. */
uint32_t lg__address_map_plain(const lg__address_map *address_map,
                               const void *address);
/** Puts a mark into an address's plain slot. */
void lg__address_map_set_plain(lg__address_map *address_map, uint32_t *slot,
                               const void *address, uint32_t mark);

/** The leaf of an address; NULL if it has none. */
static inline lg__address_map_leaf *
lg__address_map_leaf_of(const lg__address_map *address_map, const void *address)
{
    uintptr_t bits = (uintptr_t)address;
    lg__address_map_leaf *const *middle =
        address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    return __builtin_expect(middle != NULL, 1)
               ? middle[(bits >> 20) & (LG__ADDRESS_MAP_MIDDLE - 1)]
               : NULL;
}

/** The rank of an address's slot in its leaf. */
static inline size_t
lg__address_map_rank(const void *address)
{
    return (uintptr_t)address / LG__ADDRESS_MAP_STEP % LG__ADDRESS_MAP_LEAF;
}

/** 1 if an address lies in the upper half of its slot's bytes. */
static inline uint32_t
lg__address_map_half(const void *address)
{
    return (uintptr_t)address / (LG__ADDRESS_MAP_STEP / 2) & 1;
}

/** The slot of an address: 0 until set. Never NULL: see `failed`. */
static inline uint32_t *
lg__address_map_slot(lg__address_map *address_map, const void *address)
{
    lg__address_map_leaf *leaf = lg__address_map_leaf_of(address_map, address);
    if (__builtin_expect(leaf == NULL, 0))
        return lg__address_map_new_slot(address_map, address);
    return &leaf->slot[lg__address_map_rank(address)];
}

/** The mark of an address, which has that slot; 0 if it was never set. */
static inline uint32_t
lg__address_map_mark(const lg__address_map *address_map, const uint32_t *slot,
                     const void *address)
{
    const uint32_t value = *slot;
    if (__builtin_expect(value == LG__ADDRESS_MAP_PLAIN, 0))
        return lg__address_map_plain(address_map, address);
    return (value & 1) == lg__address_map_half(address) ? value / 2 : 0;
}

/** Sets the mark of an address, which has that slot. */
static inline void
lg__address_map_set(lg__address_map *address_map, uint32_t *slot,
                    const void *address, uint32_t mark)
{
    if (__builtin_expect(*slot != 0 || mark > INT32_MAX, 0))
        lg__address_map_set_plain(address_map, slot, address, mark);
    else
        *slot = 2 * mark + lg__address_map_half(address);
}

/** The slot of an address and those of the addresses behind it, up to the next
 *  MiB; NULL if none of them was ever set. Allocates nothing. */
static inline const uint32_t *
lg__address_map_row(const lg__address_map *address_map, const void *address)
{
    const lg__address_map_leaf *leaf =
        lg__address_map_leaf_of(address_map, address);
    return leaf != NULL ? &leaf->slot[lg__address_map_rank(address)] : NULL;
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

/** The mark of an address, 0 if it was never set; allocates nothing. */
static inline uint32_t
lg__address_map_find(const lg__address_map *address_map, const void *address)
{
    const uint32_t *slot = lg__address_map_row(address_map, address);
    return slot != NULL ? lg__address_map_mark(address_map, slot, address) : 0;
}

#endif

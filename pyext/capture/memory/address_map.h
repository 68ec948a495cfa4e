/**
 * Address to node, without hashing: a radix map with a u32 for every 16 to 256
 * bytes of address space that holds objects. Neighbouring objects share cache
 * lines, which is the whole gain (a hash table is 3 to 9 times slower here).
 *
 * Three levels: bits 30 to 47 choose a table of 65,536 leaves, bits 14 to 29 a
 * leaf of 16 KiB of addresses. That is a pool of pymalloc, whose objects all
 * have one size. So each leaf has a step of its own: the power of two of bytes
 * that a slot stands for.
 *
 * No two objects of a leaf begin in the same step. A leaf begins with steps of
 * 256 bytes. When an object meets another in a slot, a leaf with steps no
 * longer than the way between the two replaces theirs. The least step is a unit
 * of 16 bytes: static objects may be aligned to 8 bytes only, but none is
 * smaller than its header, so no two begin in the same unit.
 *
 * A slot has the mark of a node in its low 28 bits. The upper four are those of
 * the object's unit, which tell where in its step it begins. A larger mark
 * makes the leaf a whole one, which has steps of one unit and marks of 32 bits.
 *
 * Leaves are cut from anonymous mappings, which big captures leave to the next
 * one.
 */
#ifndef LEAKGRAPH_ADDRESS_MAP_H
#define LEAKGRAPH_ADDRESS_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Brings the line of an address into the cache; any address will do. The empty
 *  statement keeps the calls: GCC takes a function that only prefetches for one
 *  without effect. */
static inline void
lg__prefetch(const void *address)
{
    __builtin_prefetch(address);
    __asm__ volatile("");
}

enum {
    LG__ADDRESS_MAP_TOP = 1 << 18,
    LG__ADDRESS_MAP_MIDDLE = 1 << 16,
    LG__ADDRESS_MAP_LEAF = 1 << 14, /**< bytes of address space of a leaf */
    LG__ADDRESS_MAP_PAGE = 1 << 12,
    LG__ADDRESS_MAP_UNIT = 16, /**< bytes of address space */
    LG__ADDRESS_MAP_BITS = 4,  /**< the binary logarithm of the most units of a
                                    step */
    LG__ADDRESS_MAP_LINE = 64, /**< leaves begin at cache lines */
    LG__ADDRESS_MAP_PLAIN = 8, /**< a flag of leaves that are not whole */
    LG__ADDRESS_MAP_MARK_BITS = 28, /**< of the marks of these */
    /** The largest of these marks. */
    LG__ADDRESS_MAP_MARK = (1 << LG__ADDRESS_MAP_MARK_BITS) - 1,
};

/** The slots of a leaf, and in the low bits of their address the binary
 *  logarithm of the units of a step, and LG__ADDRESS_MAP_PLAIN. 0: there is no
 *  leaf. A slot is 0, or has a mark: a node's number and 1. */
typedef uintptr_t lg__address_map_leaf;

/** Mapped memory that leaves are cut from. */
typedef struct lg__address_map_chunk {
    struct lg__address_map_chunk *next;
    size_t size;
} lg__address_map_chunk;

typedef struct lg__address_map {
    lg__address_map_leaf **top;
    lg__address_map_chunk *chunks; /**< the newest first */
    lg__address_map_chunk *apart;
    char *free; /**< the rest of the newest chunk */
    size_t free_size;
    size_t unclear_size; /**< how much of it, from its beginning, is not zero */
    void *replaced[LG__ADDRESS_MAP_BITS + 1]; /**< leaves to use again, by the
                                                  units of a step; each begins
                                                  with the next one */
    size_t used;
    size_t limit;  /**< what the budget allows to be used */
    uint32_t lost; /**< the slot of any address once memory ran out */
    bool whole;
    bool failed; /**< memory ran out: what was found since means nothing */
} lg__address_map;

/** Where a map has an address. Another address that is set may move it. */
typedef struct lg__address_place {
    uint32_t *slot;
    uint32_t part; /**< what the slot has beside the mark */
    uint32_t most; /**< the largest mark */
} lg__address_place;

/** The slots of a page of addresses. */
typedef struct lg__address_page {
    const uint32_t *slot; /**< [count]; see lg__address_page_mark */
    size_t count;         /**< 0: nothing was ever set near */
    uint32_t most;        /**< the largest mark */
} lg__address_page;

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

/** The place of an address in a whole leaf, or in a new one; that of `lost`,
 *  with `failed` set, when memory ran out. */
lg__address_place lg__address_map_rare_place(lg__address_map *address_map,
                                             const void *address);
/** Sets the mark of an address whose slot another address has, or whose mark is
 *  too large: makes the steps of its leaf shorter. Sets `failed` when memory
 *  ran out. */
void lg__address_map_refine(lg__address_map *address_map, const void *address,
                            uint32_t mark);

/** The leaf of an address, or 0. */
static inline lg__address_map_leaf
lg__address_map_leaf_of(const lg__address_map *address_map, const void *address)
{
    const uintptr_t bits = (uintptr_t)address;
    const lg__address_map_leaf *middle =
        address_map->top[(bits >> 30) & (LG__ADDRESS_MAP_TOP - 1)];
    return __builtin_expect(middle != NULL, 1)
               ? middle[(bits >> 14) & (LG__ADDRESS_MAP_MIDDLE - 1)]
               : 0;
}

/** The slot of an address in its leaf. */
static inline uint32_t *
lg__address_map_slot_in(lg__address_map_leaf leaf, const void *address)
{
    const uintptr_t unit =
        (uintptr_t)address % LG__ADDRESS_MAP_LEAF / LG__ADDRESS_MAP_UNIT;
    return (uint32_t *)(leaf & ~(uintptr_t)(LG__ADDRESS_MAP_LINE - 1)) +
           (unit >> leaf % LG__ADDRESS_MAP_PLAIN);
}

/** The place of an address in its leaf. */
static inline lg__address_place
lg__address_map_place_in(lg__address_map_leaf leaf, const void *address)
{
    uint32_t *slot = lg__address_map_slot_in(leaf, address);
    const uint32_t unit = (uint32_t)((uintptr_t)address / LG__ADDRESS_MAP_UNIT);
    return leaf & LG__ADDRESS_MAP_PLAIN
               ? (lg__address_place){slot, unit << LG__ADDRESS_MAP_MARK_BITS,
                                     LG__ADDRESS_MAP_MARK}
               : (lg__address_place){slot, 0, UINT32_MAX};
}

/** The place of an address. Its slot is never NULL: see `failed`. */
static inline lg__address_place
lg__address_map_place(lg__address_map *address_map, const void *address)
{
    const lg__address_map_leaf leaf =
        lg__address_map_leaf_of(address_map, address);
    return __builtin_expect((leaf & LG__ADDRESS_MAP_PLAIN) != 0, 1)
               ? lg__address_map_place_in(leaf, address)
               : lg__address_map_rare_place(address_map, address);
}

/** The mark of the address with that place; 0 if it was never set. */
static inline uint32_t
lg__address_place_mark(lg__address_place place)
{
    const uint32_t mark = *place.slot ^ place.part;
    return mark <= place.most ? mark : 0;
}

/** Sets the mark of an address, which has that place. */
static inline void
lg__address_map_set(lg__address_map *address_map, lg__address_place place,
                    const void *address, uint32_t mark)
{
    if (__builtin_expect(*place.slot != 0 || mark > place.most, 0))
        lg__address_map_refine(address_map, address, mark);
    else
        *place.slot = mark ^ place.part;
}

/** The mark of an address, 0 if it was never set; allocates nothing. */
static inline uint32_t
lg__address_map_find(const lg__address_map *address_map, const void *address)
{
    const lg__address_map_leaf leaf =
        lg__address_map_leaf_of(address_map, address);
    return leaf != 0
               ? lg__address_place_mark(lg__address_map_place_in(leaf, address))
               : 0;
}

/** Brings an address's slot into the cache, if there is one. */
static inline void
lg__address_map_prefetch(const lg__address_map *address_map,
                         const void *address)
{
    const lg__address_map_leaf leaf =
        lg__address_map_leaf_of(address_map, address);
    if (leaf != 0)
        lg__prefetch(lg__address_map_slot_in(leaf, address));
}

/** The slots of an address's page. Allocates nothing. */
static inline lg__address_page
lg__address_map_page(const lg__address_map *address_map, const void *address)
{
    enum { UNITS = LG__ADDRESS_MAP_PAGE / LG__ADDRESS_MAP_UNIT };
    const lg__address_map_leaf leaf =
        lg__address_map_leaf_of(address_map, address);
    const char *begin =
        (const char *)address - (uintptr_t)address % LG__ADDRESS_MAP_PAGE;
    if (leaf == 0)
        return (lg__address_page){.count = 0};
    const lg__address_place first = lg__address_map_place_in(leaf, begin);
    return (lg__address_page){
        .slot = first.slot,
        .count = (size_t)UNITS >> leaf % LG__ADDRESS_MAP_PLAIN,
        .most = first.most,
    };
}

/** The mark in a slot of a page, or 0. */
static inline uint32_t
lg__address_page_mark(const lg__address_page *page, size_t i)
{
    return page->slot[i] & page->most;
}

#endif

/**
 * Address to node, without hashing: a radix map with a u32 for every 16 to 256
 * bytes of address space that holds objects. Neighbouring objects share cache
 * lines, which is the whole gain (a hash table is 3 to 9 times slower here).
 *
 * Three levels: bits 30 to 47 choose a table of 65,536 leaves, bits 14 to 29 a
 * leaf of 16 KiB of addresses. That is a pool of pymalloc, whose blocks all
 * have one size, a multiple of a unit of 16 bytes, and lie behind its head. So
 * each leaf has a step of its own: how many units a slot stands for. Steps are
 * counted from the end of the head, and what is in the head comes last.
 *
 * No two objects of a leaf begin in the same step. A leaf begins with steps of
 * 16 units. When an object meets another in a slot, a leaf with shorter steps
 * replaces theirs; see step_for. The least step is one unit: static objects may
 * be aligned to 8 bytes only, but none is smaller than its header, so no two
 * begin in the same unit.
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
    LG__ADDRESS_MAP_UNITS = LG__ADDRESS_MAP_LEAF / LG__ADDRESS_MAP_UNIT,
    LG__ADDRESS_MAP_HEAD = 48,      /**< bytes of a pool before its blocks */
    LG__ADDRESS_MAP_STEP = 16,      /**< the most units of a step */
    LG__ADDRESS_MAP_LINE = 64,      /**< leaves begin at cache lines */
    LG__ADDRESS_MAP_PLAIN = 16,     /**< a flag of leaves that are not whole */
    LG__ADDRESS_MAP_FACTOR = 48,    /**< the bits of a leaf below its factor */
    LG__ADDRESS_MAP_SHIFT = 15,     /**< the bits of a product below the slot */
    LG__ADDRESS_MAP_MARK_BITS = 28, /**< of the marks of these */
    /** The largest of these marks. */
    LG__ADDRESS_MAP_MARK = (1 << LG__ADDRESS_MAP_MARK_BITS) - 1,
};

/** The address of a leaf's slots, which the system gives 48 bits. Below its
 *  line are the units of a step, less one, and LG__ADDRESS_MAP_PLAIN. Above it
 *  is a factor that divides by the units of a step: 2^15 by them, rounded up,
 *  is exact for 1,024 units. 0: there is no leaf. A slot is 0, or has a mark: a
 *  node's number and 1. */
typedef uint64_t lg__address_map_leaf;

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
    void *replaced[LG__ADDRESS_MAP_STEP]; /**< leaves to use again, by the
                                              units of a step, less one; each
                                              begins with the next one */
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

/** A page of addresses. */
typedef struct lg__address_page {
    lg__address_map_leaf leaf;
    const char *begin;
    size_t count; /**< units; 0: nothing was ever set near */
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

/** The slots of a leaf. */
static inline uint32_t *
lg__address_map_slots(lg__address_map_leaf leaf)
{
    const uint64_t below = UINT64_C(1) << LG__ADDRESS_MAP_FACTOR;
    return (uint32_t *)(uintptr_t)(leaf & (below - LG__ADDRESS_MAP_LINE));
}

/** The unit of an address in its leaf. */
static inline uint32_t
lg__address_map_unit(const void *address)
{
    return ((uint32_t)(uintptr_t)address - LG__ADDRESS_MAP_HEAD) %
           LG__ADDRESS_MAP_LEAF / LG__ADDRESS_MAP_UNIT;
}

/** The number of the slot of a unit. */
static inline uint32_t
lg__address_map_slot_of(lg__address_map_leaf leaf, uint32_t unit)
{
    return unit * (uint32_t)(leaf >> LG__ADDRESS_MAP_FACTOR) >>
           LG__ADDRESS_MAP_SHIFT;
}

/** The slot of an address in its leaf. */
static inline uint32_t *
lg__address_map_slot_in(lg__address_map_leaf leaf, const void *address)
{
    return lg__address_map_slots(leaf) +
           lg__address_map_slot_of(leaf, lg__address_map_unit(address));
}

/** The place of an address in its leaf. */
static inline lg__address_place
lg__address_map_place_in(lg__address_map_leaf leaf, const void *address)
{
    const uint32_t unit = lg__address_map_unit(address);
    uint32_t *slot =
        lg__address_map_slots(leaf) + lg__address_map_slot_of(leaf, unit);
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

/** An address's page. Allocates nothing. */
static inline lg__address_page
lg__address_map_page(const lg__address_map *address_map, const void *address)
{
    enum { UNITS = LG__ADDRESS_MAP_PAGE / LG__ADDRESS_MAP_UNIT };
    const lg__address_map_leaf leaf =
        lg__address_map_leaf_of(address_map, address);
    return (lg__address_page){
        .leaf = leaf,
        .begin =
            (const char *)address - (uintptr_t)address % LG__ADDRESS_MAP_PAGE,
        .count = leaf != 0 ? UNITS : 0,
    };
}

/** The mark of what begins in a unit of a page, or 0. */
static inline uint32_t
lg__address_page_mark(const lg__address_page *page, size_t i)
{
    return lg__address_place_mark(lg__address_map_place_in(
        page->leaf, page->begin + i * LG__ADDRESS_MAP_UNIT));
}

#endif

/**
 * What the writers and readers of a packed graph share.
 */
#ifndef LEAKGRAPH_PACKED_PARTS_H
#define LEAKGRAPH_PACKED_PARTS_H

#include "packed.h"

enum {
    PACKED_CHUNK = 128,    /**< items of a list that have columns together */
    PACKED_WIDE = 1 << 15, /**< in the head of a block: 32 bits, not 16 */
};

/** Ends the program if there is no memory. */
void *packed_allocate(size_t count, size_t size);

/** Makes the number that most members of a large group have the usual one, if
 *  none is. */
void packed_set_usual(uint64_t *usual, const uint64_t *numbers, uint32_t count);

/** Makes room for so many targets, and forgets those that are there. */
void packed_list_fit(packed_list *list, size_t count);

/** Appends the items of a group. */
void packed_put_items(bytes *to, const uint32_t *items, uint64_t count,
                      uint32_t unit, const column_choices *choices);
/** Reads some of them. `at` is where the items of the group are. */
void packed_get_items(const uint8_t *at, uint64_t all, uint32_t unit,
                      uint64_t begin, uint64_t count, uint32_t *out);

/** Moves the lowest bits, mostly 0, behind all others. */
static inline uint64_t
packed_turned(uint64_t address)
{
    return address >> 3 | address << 61;
}

static inline uint64_t
packed_turned_back(uint64_t address)
{
    return address << 3 | address >> 61;
}

/** Returns the bits that tell so many groups apart. */
static inline uint32_t
packed_planes(uint32_t groups)
{
    return groups > 1 ? 32 - (uint32_t)__builtin_clz(groups - 1) : 0;
}

#endif

/**
 * Numbers of vertices, blocks and kinds in arrays of three bytes each where
 * that is enough, and of four bytes in processes with more blocks than that.
 */
#ifndef LEAKGRAPH_IDS_H
#define LEAKGRAPH_IDS_H

#include "base/base_private.h"

#include <string.h>

typedef struct lg__ids {
    uint8_t *bytes;
    uint32_t width; /**< of a number, in bytes */
    uint32_t mask;  /**< of its bits; all of them: LG_NONE */
} lg__ids;

enum { LG__NARROW_ID = 3, LG__WIDE_ID = 4 };

/** Returns ids without memory, for numbers below a limit and LG_NONE. */
static inline lg__ids
lg__ids_below(uint64_t limit)
{
    const uint32_t narrow = (UINT32_C(1) << 8 * LG__NARROW_ID) - 1;
    return limit <= narrow
               ? (lg__ids){.width = LG__NARROW_ID, .mask = narrow}
               : (lg__ids){.width = LG__WIDE_ID, .mask = UINT32_MAX};
}

/** Returns how many bytes so many ids take: the last one is read with the byte
 *  behind it. */
static inline size_t
lg__ids_bytes(lg__ids ids, size_t count)
{
    return count * ids.width + LG__WIDE_ID - LG__NARROW_ID;
}

/** Returns the ids from one on. */
static inline lg__ids
lg__ids_from(lg__ids ids, size_t i)
{
    ids.bytes += i * ids.width;
    return ids;
}

static inline uint32_t
lg__id_at(lg__ids ids, size_t i)
{
    uint32_t number;
    memcpy(&number, ids.bytes + i * ids.width, sizeof number);
    number &= ids.mask;
    return number != ids.mask ? number : LG_NONE;
}

static inline void
lg__id_set(lg__ids ids, size_t i, uint32_t number)
{
    uint8_t *place = ids.bytes + i * ids.width;
    memcpy(place, &number, LG__NARROW_ID);
    if (ids.width == LG__WIDE_ID)
        place[LG__NARROW_ID] = (uint8_t)(number >> 8 * LG__NARROW_ID);
}

#endif

/**
 * Columns as they compress well: cut into blocks, and each block turned from
 * rows of bytes into planes, one for each byte of an element. The high bytes
 * of neighbouring numbers are mostly alike, and in a plane they lie together.
 * Columns of numbers that rise are stored as differences first.
 */
#ifndef LG_PLANES_H
#define LG_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LG__PLANES_BLOCK = 1 << 16, /**< elements; the last block has fewer */
    LG__PLANES_WIDEST = 64,     /**< bytes of an element */
};

/** A column of `count` elements, each of `width` bytes. */
typedef struct lg__planes {
    uint64_t count;
    uint32_t width;
    bool differences; /**< width is 4 or 8. Each number becomes its difference
                           to the one before, modulo 2 to the bits of the
                           width; the first becomes its difference to 0. The
                           sign goes to the lowest bit: 0, -1, 1, -2 become 0,
                           1, 2, 3 */
} lg__planes;

/** Elements in the block that begins at an element. */
static inline size_t
lg__planes_block(const lg__planes *planes, uint64_t at)
{
    uint64_t left = planes->count - at;
    return left < LG__PLANES_BLOCK ? (size_t)left : LG__PLANES_BLOCK;
}

/** Bytes of the largest block. */
static inline size_t
lg__planes_room(const lg__planes *planes)
{
    return lg__planes_block(planes, 0) * planes->width;
}

/** Writes the planes of the block that begins at element `at` of the column.
 *  `spare` and `out` have lg__planes_room() bytes each. */
void lg__planes_split(const lg__planes *planes, const uint8_t *column,
                      uint64_t at, uint8_t *spare, uint8_t *out);

/** Turns a column whose blocks hold planes back into elements, in place.
 *  `spare` has lg__planes_room() bytes. */
void lg__planes_join(const lg__planes *planes, uint8_t *column, uint8_t *spare);

#endif

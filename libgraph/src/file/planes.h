/**
 * Columns as they compress well: cut into blocks, and each block turned from
 * rows of bytes into planes, one for each byte of an element. The high bytes
 * of neighbouring numbers are mostly alike, and in a plane they lie together.
 * Columns of numbers that rise are stored as differences first. What is alike
 * in objects of the same type, or references of the same kind, is sorted by
 * that before.
 */
#ifndef LG_PLANES_H
#define LG_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LG__PLANES_BLOCK = 1 << 16, /**< elements; the last block has fewer */
    LG__PLANES_KNOWN = 1 << 24, /**< elements whose order is kept: 32 MiB */
};

/** A column of `count` elements, each of `width` bytes, and how far it is split
 *  or joined. Blocks are taken in order. */
typedef struct lg__planes {
    uint64_t count;
    uint32_t width;
    bool differences;   /**< width is 4 or 8. Each number becomes its difference
                             to the one before, modulo 2 to the bits of the
                             width; the first becomes its difference to 0. The
                             sign goes to the lowest bit: 0, -1, 1, -2 become 0,
                             1, 2, 3 */
    uint32_t key_width; /**< 1 or 4 bytes; 0: elements stay in their order */
    const uint8_t *key; /**< [count] by which the elements of each block are
                             sorted first, stably; little-endian, aligned */
    uint64_t before;    /**< the number before the next block: 0 at first */
} lg__planes;

/** Memory for the blocks of several columns, one after the other. Zeros at
 *  first. */
typedef struct lg__planes_room {
    uint8_t *planes;
    uint8_t *elements;
    size_t size;                   /**< bytes of each */
    uint16_t *order, *spare_order; /**< [LG__PLANES_BLOCK] */
    const uint8_t *known_key;      /**< the orders of the first blocks by this
                                        key are known: several columns in a row
                                        are sorted by the same one */
    uint16_t *known_order;         /**< [LG__PLANES_KNOWN] at most */
    uint64_t known_count;          /**< elements */
} lg__planes_room;

/** Elements in the block that begins at an element. */
static inline size_t
lg__planes_block(const lg__planes *planes, uint64_t at)
{
    uint64_t left = planes->count - at;
    return left < LG__PLANES_BLOCK ? (size_t)left : LG__PLANES_BLOCK;
}

/** Bytes of the largest block. */
static inline size_t
lg__planes_size(const lg__planes *planes)
{
    return lg__planes_block(planes, 0) * planes->width;
}

/** Writes the planes of the block that begins at element `at` of the column to
 *  room->planes. */
void lg__planes_split(lg__planes *planes, const uint8_t *column, uint64_t at,
                      lg__planes_room *room);

/** Turns room->planes back into the elements of the block that begins at
 *  element `at` of the column. */
void lg__planes_join(lg__planes *planes, uint8_t *column, uint64_t at,
                     lg__planes_room *room);

/** Makes room for the blocks of a column, before they are split or joined;
 *  false if memory ran out. */
bool lg__planes_room_fit(lg__planes_room *room, const lg__planes *planes);
void lg__planes_room_free(lg__planes_room *room);

#endif

/**
 * Columns in a form that compresses well. A column is cut into blocks, and each
 * block turned from rows of bytes into planes, one for each byte of an element.
 * High bytes of neighbouring numbers are mostly equal, and a plane puts them
 * together. Columns of rising numbers are stored as differences first. Columns
 * whose elements are similar for objects of one type or size, or references of
 * one kind, are first sorted by that.
 */
#ifndef LEAKGRAPH_PLANES_H
#define LEAKGRAPH_PLANES_H

#include "file/block.h"

#include <leakgraph/internal/columns.h>

#include <stdbool.h>

/** Elements whose order is kept: 24 MiB, so that two threads have room. */
enum { LG__PLANES_KNOWN = 3 << 22 };

/** A column of `count` elements of `width` bytes, and how far it is split or
 *  joined. Blocks are taken in order. */
typedef struct lg__planes {
    uint64_t count;
    uint32_t width;
    bool differences;    /**< width is 4 or 8; each number becomes its
                              difference to the one before (the first: to 0),
                              modulo 2 to the bits of the width, with the sign
                              in the lowest bit: 0, -1, 1, -2 become 0, 1, 2,
                              3 */
    uint32_t key_width;  /**< 1 or 4 bytes, for a width of 2, 4 or 8; 0:
                              elements keep their order */
    const uint8_t *key;  /**< [count] sort key for a stable sort of each
                              block; little-endian, aligned; NULL: `kinds` if
                              the width is 1, or else `types` */
    lg_type_ids types;   /**< [count] */
    lg_edge_kinds kinds; /**< [count] */
    bool key_is_size;    /**< the key is the shallow sizes, and elements are
                              sorted by their size class: the number of 16
                              bytes that the size needs, from 64 on 64 */
    uint64_t before;     /**< the number before the next block, at first 0 */
} lg__planes;

/** Memory for the blocks of several columns, one column after the other. All
 *  zeros at first. */
typedef struct lg__planes_room {
    uint8_t *planes;
    size_t size;                   /**< of the planes in bytes */
    uint16_t *order, *spare_order; /**< [LG__BLOCK_ELEMENTS] */
    uint8_t *classes;              /**< [LG__BLOCK_ELEMENTS] size classes */
    uint32_t *numbers;             /**< [LG__BLOCK_ELEMENTS] of a key */
    const void *known_key;         /**< the key whose orders are known for
                                        the first blocks, because several
                                        columns in a row are sorted by one
                                        key */
    uint16_t *known_order;         /**< [LG__PLANES_KNOWN] at most */
    uint64_t known_count;          /**< number of elements */
} lg__planes_room;

/** Returns the bytes of the largest block. */
static inline size_t
lg__planes_size(const lg__planes *planes)
{
    return lg__block_count(planes->count, 0) * planes->width;
}

/** Splits the block that begins at element `at` of its column: writes its
 *  planes to room->planes. */
void lg__planes_split(lg__planes *planes, const uint8_t *block, uint64_t at,
                      lg__planes_room *room);

/** Joins room->planes into the elements of the block that begins at element
 *  `at` of the column. */
void lg__planes_join(lg__planes *planes, uint8_t *column, uint64_t at,
                     lg__planes_room *room);

/** Makes room for the blocks of a column before they are split or joined.
 *  Returns false when memory ran out. */
bool lg__planes_room_fit(lg__planes_room *room, const lg__planes *planes);
void lg__planes_room_free(lg__planes_room *room);

#endif

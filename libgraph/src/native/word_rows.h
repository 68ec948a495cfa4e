/**
 * The words of all blocks that lead to blocks, in six bytes each: a process has
 * millions, and each step of the rule reads them.
 *
 * A row says how far its target lies from the block that has the word, in
 * blocks, and how far its place lies behind that of the word before it in the
 * block. What does not fit is listed. So the words of a block are read in order
 * (lg__walk_words), but for their targets.
 *
 * Once words are weighed, rows are *short*: nobody asks for places and traits
 * any more, and four bytes have the rest.
 */
#ifndef LEAKGRAPH_WORD_ROWS_H
#define LEAKGRAPH_WORD_ROWS_H

#include "base/base_private.h"

typedef struct lg__word_row {
    uint8_t distance[3]; /**< of the target, with its sign */
    uint8_t state;       /**< level, doubt, and what follows; the last of a
                              short row */
    uint8_t step;        /**< of the place */
    uint8_t trait;       /**< LG__SHAPE_BIT: its neighbours go with the word;
                              LG__ARRAY_BIT: it counts as an element of an array;
                              LG__STRIDE_MASK: whether it may be one, see
                              lg__word_stride */
} lg__word_row;
enum { LG__SHORT_ROW = 4, LG__MOST_DISTANCE = 1 << 23 };
/** Bits of lg__word_row.state. */
enum {
    LG__LEVEL_MASK = 7,
    LG__DOUBT_SHIFT = 3,
    LG__DOUBT_MASK = 3 << LG__DOUBT_SHIFT,
    LG__FREED_BIT = 1 << 5,
    LG__HANDLE_BIT = LG__FREED_BIT, /**< of a short row */
    LG__SPARE_BIT = 1 << 6,
    LG__LISTED_BIT = 1 << 7,
};

/** A word whose place or target lies too far away for a row. */
typedef struct lg__listed_word {
    uint32_t number; /**< of the word */
    uint32_t target;
    uint32_t place;
} lg__listed_word;

typedef struct lg__word_rows {
    lg__vector bytes;  /**< of rows, by block */
    size_t width;      /**< of a row, in bytes */
    size_t count;      /**< of rows */
    lg__vector listed; /**< lg__listed_word, ascending */
} lg__word_rows;

/** A word of a block that points into a block. */
typedef struct lg__word {
    uint32_t target; /**< block */
    uint32_t place; /**< of the word in its block, in words; 0 in a short row */
    uint8_t level;  /**< lg_native_level */
    uint8_t doubt;  /**< LG__DOUBT_ */
    bool freed;     /**< it looks like the address of a freed text */
    bool spare;     /**< it lies behind the end of the vector that has the
                         block, or in the free rest of a pool */
    bool handle;    /**< in a short row: it is a number that names the block */
} lg__word;

/** Makes rows of which none is written. */
void lg__word_rows_open(lg__word_rows *rows);
void lg__word_rows_free(const lg_allocator *allocator, lg__word_rows *rows);

/** Adds a word of a block behind all others, with the place of the one before
 * it in the block, or 0. Returns false when memory ran out. */
bool lg__word_add(const lg_allocator *allocator, lg__word_rows *rows,
                  uint32_t block, uint32_t before, uint32_t target,
                  uint64_t place);
/** Returns rows of which none is written, short ones in the memory of others.
 */
lg__word_rows lg__word_rows_short(const lg__word_rows *rows);
/** Adds a short row behind all others. Returns false when memory ran out. */
bool lg__word_add_short(const lg_allocator *allocator, lg__word_rows *rows,
                        uint32_t block, const lg__word *word);
/** Gives back the memory behind the last short row. */
void lg__word_rows_trim(const lg_allocator *allocator, lg__word_rows *rows);

/** Returns the word with that number, which is listed. */
const lg__listed_word *lg__word_listed(const lg__word_rows *rows,
                                       uint32_t number);

static inline lg__word_row *
lg__word_row_at(const lg__word_rows *rows, uint32_t number)
{
    return (lg__word_row *)((uint8_t *)rows->bytes.data + number * rows->width);
}

/** Returns the block to which a word of a block leads. */
static inline uint32_t
lg__word_target(const lg__word_rows *rows, uint32_t block, uint32_t number)
{
    const lg__word_row *row = lg__word_row_at(rows, number);
    const uint32_t low = (uint32_t)row->distance[0] | (uint32_t)row->distance[1]
                                                          << 8;
    if (row->state & LG__LISTED_BIT)
        return lg__word_listed(rows, number)->target;
    return block + low +
           (uint32_t)((int32_t)(int8_t)row->distance[2] * (1 << 16));
}

/** Sets what a word is worth. */
static inline void
lg__word_weigh(const lg__word_rows *rows, uint32_t number, unsigned level,
               unsigned doubt)
{
    lg__word_row *row = lg__word_row_at(rows, number);
    row->state = (uint8_t)((row->state &
                            (LG__FREED_BIT | LG__SPARE_BIT | LG__LISTED_BIT)) |
                           doubt << LG__DOUBT_SHIFT | level);
}

/** A walk over words of one block. */
typedef struct lg__word_walk {
    const lg__word_rows *rows;
    uint32_t block;
    uint32_t next;
    uint32_t end;
    uint32_t number; /**< of the word */
    lg__word word;
} lg__word_walk;

static inline lg__word_walk
lg__word_walk_over(const lg__word_rows *rows, uint32_t block, uint32_t first,
                   uint32_t end)
{
    return (lg__word_walk){
        .rows = rows, .block = block, .next = first, .end = end};
}

/** Goes to the next word. Returns false at the end. */
static inline bool
lg__word_walk_next(lg__word_walk *walk)
{
    if (walk->next == walk->end)
        return false;
    const uint32_t number = walk->next++;
    const lg__word_row *row = lg__word_row_at(walk->rows, number);
    const bool whole = walk->rows->width != LG__SHORT_ROW;
    const uint32_t place = !whole ? 0
                           : row->state & LG__LISTED_BIT
                               ? lg__word_listed(walk->rows, number)->place
                               : walk->word.place + row->step;
    walk->number = number;
    walk->word = (lg__word){
        .target = lg__word_target(walk->rows, walk->block, number),
        .place = place,
        .level = row->state & LG__LEVEL_MASK,
        .doubt = (row->state & LG__DOUBT_MASK) >> LG__DOUBT_SHIFT,
        .freed = whole && (row->state & LG__FREED_BIT) != 0,
        .spare = (row->state & LG__SPARE_BIT) != 0,
        .handle = !whole && (row->state & LG__HANDLE_BIT) != 0,
    };
    return true;
}

#endif

/**
 * A short column of numbers in few bits: the distances to a base, or to a line
 * through the base, all in one width. A few numbers may lie elsewhere, and
 * those that equal the usual number may be left out. Any number of it is read
 * in constant time.
 */
#ifndef LEAKGRAPH_COLUMN_H
#define LEAKGRAPH_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** A number that no column has: there is no usual one. */
#define COLUMN_NONE UINT64_MAX

enum {
    COLUMN_MOST = 256,   /**< numbers of a column */
    COLUMN_PADDING = 16, /**< bytes behind the last column that are readable */
};

/** Bytes that grow. A failed allocation ends the program. */
typedef struct bytes {
    uint8_t *data;
    size_t count;
    size_t capacity;
} bytes;

/** Makes room for so many more bytes, and returns where they begin. */
uint8_t *bytes_extend(bytes *to, size_t more);

/** The choices that an encoder has; to compare them. */
typedef struct column_choices {
    bool no_lines;
    bool no_masks;
    bool no_exceptions;
} column_choices;

/** Appends a column. Numbers need at most `raw` bytes each. */
void column_write(bytes *to, const uint64_t *numbers, uint32_t count,
                  uint64_t usual, unsigned raw, const column_choices *choices);

/** A column that can be read. */
typedef struct column {
    const uint8_t *data;
    const uint8_t *mask;       /**< bits of the numbers that are not usual */
    const uint8_t *exceptions; /**< in reverse */
    uint64_t usual;
    uint64_t base;
    uint64_t slope;
    uint64_t bits;  /**< of a distance */
    uint64_t most;  /**< distances above it are exceptions */
    uint32_t count; /**< of all numbers */
    uint8_t width;  /**< in bits */
    uint8_t raw;
    bool all_usual;
} column;

/** Reads what is before the numbers. Returns where the column ends. */
const uint8_t *column_open(column *out, const uint8_t *at, uint32_t count,
                           uint64_t usual, unsigned raw);
/** Reads all numbers. */
void column_read(const column *from, uint32_t *out);
void column_read_wide(const column *from, uint64_t *out);

static inline uint64_t
column_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static inline uint64_t
column_bits(const column *from, uint32_t place)
{
    size_t bit = (size_t)place * from->width;
    uint64_t word = column_word(from->data + bit / 8) >> bit % 8;
    return word & from->bits;
}

static inline uint32_t
column_rank(const uint8_t *mask, uint32_t place)
{
    uint32_t rank = 0;
    for (; place >= 64; place -= 64, mask += 8)
        rank += (uint32_t)__builtin_popcountll(column_word(mask));
    uint64_t below = (UINT64_C(1) << place) - 1;
    return rank + (uint32_t)__builtin_popcountll(column_word(mask) & below);
}

static inline uint64_t
column_exception(const column *from, uint64_t distance)
{
    uint64_t word =
        column_word(from->exceptions + (from->bits - distance) * from->raw);
    return from->raw == 8 ? word : word & ((UINT64_C(1) << from->raw * 8) - 1);
}

/** Reads one number. */
static inline uint64_t
column_at(const column *from, uint32_t place)
{
    if (from->all_usual)
        return from->usual;
    if (from->mask != NULL) {
        if (!(from->mask[place / 8] >> place % 8 & 1))
            return from->usual;
        place = column_rank(from->mask, place);
    }
    uint64_t distance = column_bits(from, place);
    return distance > from->most ? column_exception(from, distance)
                                 : from->base + from->slope * place + distance;
}

#endif

/**
 * Searches whole columns for rare values, several numbers at a time, with the
 * vector types of GCC and Clang.
 */
#ifndef LEAKGRAPH_SIMD_H
#define LEAKGRAPH_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint32_t lg__simd32 __attribute__((vector_size(16)));

/** How many numbers one step compares. */
enum { LG__SIMD_BLOCK = 32 };

static inline bool
lg__simd_any(lg__simd32 found)
{
    uint64_t halves[2];
    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

/** Returns the first index in [from, count) whose number is at least `limit`;
 *  count if there is none. */
static inline uint64_t
lg__first_at_least(const uint32_t *numbers, uint64_t from, uint64_t count,
                   uint32_t limit)
{
    const lg__simd32 limits = {limit, limit, limit, limit};
    for (; count - from >= LG__SIMD_BLOCK; from += LG__SIMD_BLOCK) {
        lg__simd32 found = {0};
        for (unsigned i = 0; i < LG__SIMD_BLOCK; i += 4) {
            lg__simd32 four;
            memcpy(&four, numbers + from + i, sizeof four);
            found |= (lg__simd32)(four >= limits);
        }
        if (lg__simd_any(found))
            break;
    }
    while (from < count && numbers[from] < limit)
        from++;
    return from;
}

/** Returns the first index in [from, count) whose number exceeds that of the
 *  other column; count if there is none. */
static inline uint64_t
lg__first_above(const uint32_t *numbers, const uint32_t *others, uint64_t from,
                uint64_t count)
{
    for (; count - from >= LG__SIMD_BLOCK; from += LG__SIMD_BLOCK) {
        lg__simd32 found = {0};
        for (unsigned i = 0; i < LG__SIMD_BLOCK; i += 4) {
            lg__simd32 four, other;
            memcpy(&four, numbers + from + i, sizeof four);
            memcpy(&other, others + from + i, sizeof other);
            found |= (lg__simd32)(four > other);
        }
        if (lg__simd_any(found))
            break;
    }
    while (from < count && numbers[from] <= others[from])
        from++;
    return from;
}

typedef uint8_t lg__simd8 __attribute__((vector_size(16)));

/** lg__first_at_least for bytes. */
static inline uint64_t
lg__first_byte_at_least(const uint8_t *bytes, uint64_t from, uint64_t count,
                        uint8_t limit)
{
    const lg__simd8 limits = limit - (lg__simd8){0};
    for (; count - from >= sizeof limits; from += sizeof limits) {
        lg__simd8 some;
        memcpy(&some, bytes + from, sizeof some);
        if (lg__simd_any((lg__simd32)(some >= limits)))
            break;
    }
    while (from < count && bytes[from] < limit)
        from++;
    return from;
}

/** Returns the first index in [from, count) whose byte exceeds that of the
 *  other column, or is at least `limit`; count if there is none. */
static inline uint64_t
lg__first_byte_above(const uint8_t *bytes, const uint8_t *others, uint64_t from,
                     uint64_t count, uint8_t limit)
{
    const lg__simd8 limits = limit - (lg__simd8){0};
    for (; count - from >= sizeof limits; from += sizeof limits) {
        lg__simd8 some, other;
        memcpy(&some, bytes + from, sizeof some);
        memcpy(&other, others + from, sizeof other);
        if (lg__simd_any((lg__simd32)((some > other) | (some >= limits))))
            break;
    }
    while (from < count && bytes[from] <= others[from] && bytes[from] < limit)
        from++;
    return from;
}

/** Returns the first index in [0, count) at which the next number is smaller;
 *  count if there is none. The column has count + 1 numbers. */
static inline uint64_t
lg__first_fall(const uint32_t *numbers, uint64_t count)
{
    return lg__first_above(numbers, numbers + 1, 0, count);
}

#endif

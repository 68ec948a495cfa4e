// Chooses how a column needs the fewest bytes, and writes and reads it.
#include "column.h"

#include <stdio.h>
#include <stdlib.h>

// A column begins with a byte: the width, and which parts follow. If there are
// others than these numbers alone, they are: the base, the slope, the number of
// exceptions, the mask, the distances, the exceptions.
enum {
    WIDTH = 0x1f,
    HAS_SLOPE = 0x20,
    HAS_MASK = 0x40,
    HAS_EXCEPTIONS = 0x80,
    ALL_USUAL = 0xff, // in place of the byte
    MOST_EXCEPTIONS = 8,
    NARROW = 28, // a width up to it is its own code
};

typedef struct plan {
    uint64_t base;
    uint64_t slope;
    uint32_t cost;
    uint32_t exceptions;
    unsigned width;
} plan;

uint8_t *
bytes_extend(bytes *to, size_t more)
{
    if (to->count + more + COLUMN_PADDING > to->capacity) {
        to->capacity = 2 * (to->count + more) + 4096;
        to->data = realloc(to->data, to->capacity);
        if (to->data == NULL) {
            fputs("no memory\n", stderr);
            exit(1);
        }
    }
    to->count += more;
    return to->data + to->count - more;
}

// Widths of more bits are rare: addresses.
static const uint8_t wide[] = {32, 48, 64};

static unsigned
bits_of(uint64_t number)
{
    return number == 0 ? 0 : 64 - (unsigned)__builtin_clzll(number);
}

static unsigned
width_of(uint64_t number)
{
    unsigned bits = bits_of(number);
    unsigned i = 0;
    while (bits > NARROW && wide[i] < bits)
        i++;
    return bits > NARROW ? wide[i] : bits;
}

static unsigned
code_of(unsigned width)
{
    unsigned code = width > NARROW ? NARROW + 1 : width;
    while (width > NARROW && wide[code - NARROW - 1] != width)
        code++;
    return code;
}

static uint64_t
ones(unsigned width)
{
    return width == 0 ? 0 : ~UINT64_C(0) >> (64 - width);
}

static uint64_t
signed_first(uint64_t number)
{
    return number << 1 ^ (uint64_t)((int64_t)number >> 63);
}

static uint64_t
signed_last(uint64_t number)
{
    return number >> 1 ^ (~(number & 1) + 1);
}

static unsigned
length_of(uint64_t number)
{
    return (bits_of(signed_first(number) | 1) + 6) / 7;
}

static uint8_t *
put_number(uint8_t *at, uint64_t number)
{
    uint64_t left = signed_first(number);
    for (; left >= 0x80; left >>= 7)
        *at++ = (uint8_t)(left | 0x80);
    *at++ = (uint8_t)left;
    return at;
}

static inline const uint8_t *
get_number(const uint8_t *at, uint64_t *out)
{
    uint64_t number = *at & 0x7f;
    for (unsigned shift = 7; *at++ & 0x80; shift += 7)
        number |= (uint64_t)(*at & 0x7f) << shift;
    *out = signed_last(number);
    return at;
}

// The least and the greatest distance of some numbers to a line, signed.
typedef struct range {
    int64_t low;
    int64_t high;
} range;

static range
range_of(const uint64_t *numbers, uint32_t count, uint64_t slope)
{
    range out = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < count; i++) {
        int64_t number = (int64_t)(numbers[i] - slope * i);
        out.low = number < out.low ? number : out.low;
        out.high = number > out.high ? number : out.high;
    }
    return out;
}

static plan
plan_of(range numbers, uint32_t count, uint64_t slope, uint32_t exceptions,
        unsigned raw)
{
    uint64_t base = (uint64_t)numbers.low;
    uint64_t most = (uint64_t)numbers.high - base;
    plan out = {.base = base, .slope = slope, .exceptions = exceptions};
    out.width =
        width_of(most + exceptions < most ? ~UINT64_C(0) : most + exceptions);
    out.cost = (count * out.width + 7) / 8 + length_of(base) +
               (slope ? length_of(slope) : 0) +
               (exceptions ? 1 + exceptions * raw : 0) + 1;
    return out;
}

static int64_t
median_of(const uint64_t *numbers, uint32_t count, uint64_t slope)
{
    uint32_t at[3] = {count / 4, count / 2, count - count / 4 - 1};
    int64_t of[3];
    for (unsigned i = 0; i < 3; i++)
        of[i] = (int64_t)(numbers[at[i]] - slope * at[i]);
    int64_t low = of[0] < of[1] ? of[0] : of[1];
    int64_t high = of[0] < of[1] ? of[1] : of[0];
    return of[2] < low ? low : of[2] > high ? high : of[2];
}

// Leaves out the numbers that are farthest from the median, by the bits of
// their distances, and takes the range of the others.
static plan
fit_most(const uint64_t *numbers, uint32_t count, uint64_t slope, unsigned raw,
         plan best)
{
    uint32_t with_bits[65] = {0};
    int64_t median = median_of(numbers, count, slope);
    uint32_t left = 0;
    unsigned bits = 64;
    for (uint32_t i = 0; i < count; i++)
        with_bits[bits_of(
            signed_first(numbers[i] - slope * i - (uint64_t)median))]++;
    for (; bits > 0 && left + with_bits[bits] <= MOST_EXCEPTIONS; bits--)
        left += with_bits[bits];
    if (left == 0)
        return best;
    range inner = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = numbers[i] - slope * i;
        if (bits_of(signed_first(number - (uint64_t)median)) > bits)
            continue;
        inner.low = (int64_t)number < inner.low ? (int64_t)number : inner.low;
        inner.high =
            (int64_t)number > inner.high ? (int64_t)number : inner.high;
    }
    plan out = plan_of(inner, count, slope, left, raw);
    return out.cost < best.cost ? out : best;
}

// Finds a base and a width with few bytes, where the numbers lie around a line
// of that slope.
static plan
fit(const uint64_t *numbers, uint32_t count, uint64_t slope, unsigned raw,
    const column_choices *choices)
{
    plan all = plan_of(range_of(numbers, count, slope), count, slope, 0, raw);
    bool pays = count >= 4 && (count * all.width) / 8 > raw + 3;
    return pays && !choices->no_exceptions
               ? fit_most(numbers, count, slope, raw, all)
               : all;
}

// Returns the slope that most numbers agree on. If there is none, returns that
// from the first number to the last.
static uint64_t
slope_of(const uint64_t *numbers, uint32_t count)
{
    uint64_t slope = 0;
    uint32_t votes = 0;
    uint32_t agreed = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint64_t difference = numbers[i] - numbers[i - 1];
        if (votes == 0)
            slope = difference;
        votes = difference == slope ? votes + 1 : votes - 1;
    }
    for (uint32_t i = 1; i < count; i++)
        agreed += numbers[i] - numbers[i - 1] == slope;
    int64_t all = (int64_t)(numbers[count - 1] - numbers[0]);
    return agreed > count / 3 ? slope : (uint64_t)(all / (int64_t)(count - 1));
}

static plan
choose(const uint64_t *numbers, uint32_t count, unsigned raw,
       const column_choices *choices)
{
    plan level = fit(numbers, count, 0, raw, choices);
    if (level.width == 0 || count < 3 || choices->no_lines)
        return level;
    uint64_t slope = slope_of(numbers, count);
    plan rising = fit(numbers, count, slope, raw, choices);
    return rising.cost < level.cost ? rising : level;
}

static void
put_bits(uint8_t *to, uint32_t place, unsigned width, uint64_t distance)
{
    size_t bit = (size_t)place * width;
    uint64_t word = distance << bit % 8;
    for (to += bit / 8; word != 0; word >>= 8)
        *to++ |= (uint8_t)word;
}

// Writes the distances. Those from the greatest down are numbers of exceptions.
static void
put_distances(uint8_t *to, const uint64_t *numbers, uint32_t count,
              const plan *as, unsigned raw)
{
    uint64_t last = ones(as->width);
    uint8_t *exception = to + (count * as->width + 7) / 8;
    uint32_t left = 0;
    memset(to, 0, (count * as->width + 7) / 8);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t distance = numbers[i] - as->base - as->slope * i;
        if (distance > last - as->exceptions) {
            memcpy(exception, &numbers[i], raw);
            exception += raw;
            distance = last - left++;
        }
        put_bits(to, i, as->width, distance);
    }
}

static void
put_column(bytes *to, const uint64_t *numbers, uint32_t count, const plan *as,
           const uint8_t *mask, uint32_t mask_size, unsigned raw)
{
    uint8_t *at = bytes_extend(to, as->cost + mask_size);
    *at++ = (uint8_t)(code_of(as->width) | (as->slope ? HAS_SLOPE : 0) |
                      (mask_size ? HAS_MASK : 0) |
                      (as->exceptions ? HAS_EXCEPTIONS : 0));
    at = put_number(at, as->base);
    if (as->slope)
        at = put_number(at, as->slope);
    if (as->exceptions)
        *at++ = (uint8_t)as->exceptions;
    memcpy(at, mask, mask_size);
    put_distances(at + mask_size, numbers, count, as, raw);
}

// Writes the numbers that are not usual. Returns false, and writes nothing, if
// that costs as much as the plan for all numbers.
static bool
write_masked(bytes *to, const uint64_t *numbers, uint32_t count, uint64_t usual,
             unsigned raw, uint32_t cost, const column_choices *choices)
{
    uint64_t others[COLUMN_MOST];
    uint8_t mask[COLUMN_MOST / 8] = {0};
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != usual) {
            others[left++] = numbers[i];
            mask[i / 8] |= (uint8_t)(1u << i % 8);
        }
    uint32_t mask_size = (count + 7) / 8;
    if (left > count - count / 4 || mask_size + 3 >= cost)
        return false;
    plan best = choose(others, left, raw, choices);
    if (best.cost + mask_size >= cost)
        return false;
    put_column(to, others, left, &best, mask, mask_size, raw);
    return true;
}

void
column_write(bytes *to, const uint64_t *numbers, uint32_t count, uint64_t usual,
             unsigned raw, const column_choices *choices)
{
    bool all_usual = usual != COLUMN_NONE;
    for (uint32_t i = 0; i < count && all_usual; i++)
        all_usual = numbers[i] == usual;
    if (all_usual) {
        *bytes_extend(to, 1) = ALL_USUAL;
        return;
    }
    plan best = choose(numbers, count, raw, choices);
    if (best.width > 1 && usual != COLUMN_NONE && !choices->no_masks &&
        write_masked(to, numbers, count, usual, raw, best.cost, choices))
        return;
    put_column(to, numbers, count, &best, (const uint8_t *)"", 0, raw);
}

const uint8_t *
column_open(column *out, const uint8_t *at, uint32_t count, uint64_t usual,
            unsigned raw)
{
    unsigned head = *at++;
    unsigned head_code;
    uint32_t stored = count;
    uint32_t exceptions = 0;
    *out = (column){.usual = usual, .count = count, .raw = (uint8_t)raw};
    out->all_usual = head == ALL_USUAL;
    if (out->all_usual)
        return at;
    head_code = head & WIDTH;
    out->width =
        head_code > NARROW ? wide[head_code - NARROW - 1] : (uint8_t)head_code;
    out->bits = ones(out->width);
    at = get_number(at, &out->base);
    if (head & HAS_SLOPE)
        at = get_number(at, &out->slope);
    if (head & HAS_EXCEPTIONS)
        exceptions = *at++;
    if (head & HAS_MASK) {
        out->mask = at;
        stored = 0;
        for (uint32_t i = 0; i < (count + 7) / 8; i++)
            stored += (uint32_t)__builtin_popcount(at[i]);
        at += (count + 7) / 8;
    }
    out->data = at;
    out->exceptions = at + (stored * out->width + 7) / 8;
    out->most = out->bits - exceptions;
    return out->exceptions + exceptions * raw;
}

static inline uint64_t
number_at(const column *from, uint32_t place)
{
    uint64_t distance = column_bits(from, place);
    return __builtin_expect(distance > from->most, 0)
               ? column_exception(from, distance)
               : from->base + from->slope * place + distance;
}

void
column_read(const column *from, uint32_t *out)
{
    const uint32_t count = from->count;
    uint32_t place = 0;
    if (from->all_usual)
        for (uint32_t i = 0; i < count; i++)
            out[i] = (uint32_t)from->usual;
    else if (from->mask != NULL)
        for (uint32_t i = 0; i < count; i++)
            out[i] = (uint32_t)(from->mask[i / 8] >> i % 8 & 1
                                    ? number_at(from, place++)
                                    : from->usual);
    else if (from->width == 0)
        for (uint32_t i = 0; i < count; i++)
            out[i] = (uint32_t)(from->base + from->slope * i);
    else
        for (uint32_t i = 0; i < count; i++)
            out[i] = (uint32_t)number_at(from, i);
}

void
column_read_wide(const column *from, uint64_t *out)
{
    for (uint32_t i = 0; i < from->count; i++)
        out[i] = column_at(from, i);
}

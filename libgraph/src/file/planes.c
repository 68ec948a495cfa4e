// Turns columns into planes of bytes, and back.
#include "file/planes.h"

#include <string.h>

// Writes a matrix of bytes with its rows and columns exchanged.
static void
transpose(const uint8_t *restrict from, size_t rows, size_t columns,
          uint8_t *restrict to)
{
    for (size_t column = 0; column < columns; column++)
        for (size_t row = 0; row < rows; row++)
            to[column * rows + row] = from[row * columns + column];
}

// The same from planes to numbers, in a form that compilers turn into vector
// instructions.
static void
weave32(const uint8_t *restrict planes, size_t count, uint32_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint32_t)planes[i] | (uint32_t)planes[count + i] << 8 |
                 (uint32_t)planes[2 * count + i] << 16 |
                 (uint32_t)planes[3 * count + i] << 24;
}

static void
weave64(const uint8_t *restrict planes, size_t count, uint64_t *restrict out)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t number = 0;
        for (size_t plane = 0; plane < 8; plane++)
            number |= (uint64_t)planes[plane * count + i] << 8 * plane;
        out[i] = number;
    }
}

static void
weave(const uint8_t *planes, size_t count, size_t width, void *out)
{
    if (width == 4)
        weave32(planes, count, out);
    else if (width == 8)
        weave64(planes, count, out);
    else
        transpose(planes, width, count, out);
}

// The signed difference as a number with the sign in its lowest bit.
static uint64_t
folded(uint64_t difference, unsigned bits)
{
    uint64_t negative = difference >> (bits - 1) & 1;
    return difference << 1 ^ (0 - negative);
}

static uint64_t
unfolded(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

static void
subtract32(const uint32_t *column, uint64_t at, size_t count, uint32_t *out)
{
    uint32_t before = at > 0 ? column[at - 1] : 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t now = column[at + i];
        out[i] = (uint32_t)folded(now - before, 32);
        before = now;
    }
}

static void
subtract64(const uint64_t *column, uint64_t at, size_t count, uint64_t *out)
{
    uint64_t before = at > 0 ? column[at - 1] : 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t now = column[at + i];
        out[i] = folded(now - before, 64);
        before = now;
    }
}

static void
add32(uint32_t *column, uint64_t count)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        column[i] = sum += (uint32_t)unfolded(column[i]);
}

static void
add64(uint64_t *column, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        column[i] = sum += unfolded(column[i]);
}

void
lg__planes_split(const lg__planes *planes, const uint8_t *column, uint64_t at,
                 uint8_t *spare, uint8_t *out)
{
    size_t count = lg__planes_block(planes, at);
    const uint8_t *block = column + at * planes->width;
    if (planes->differences && planes->width == 4)
        subtract32((const void *)column, at, count, (void *)spare);
    else if (planes->differences)
        subtract64((const void *)column, at, count, (void *)spare);
    transpose(planes->differences ? spare : block, count, planes->width, out);
}

void
lg__planes_join(const lg__planes *planes, uint8_t *column, uint8_t *spare)
{
    for (uint64_t at = 0; at < planes->count; at += LG__PLANES_BLOCK) {
        size_t count = lg__planes_block(planes, at);
        uint8_t *block = column + at * planes->width;
        memcpy(spare, block, count * planes->width);
        weave(spare, count, planes->width, block);
    }
    if (planes->differences && planes->width == 4)
        add32((void *)column, planes->count);
    else if (planes->differences)
        add64((void *)column, planes->count);
}

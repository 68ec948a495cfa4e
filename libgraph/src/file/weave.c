// Turns numbers into planes of bytes, and back. Each step joins two planes, or
// parts one number in two: compilers vectorise that, and no more than two
// planes compete for a place in the cache.
#include "file/weave.h"

#include <string.h>

static void
weave16(const uint8_t *restrict low, const uint8_t *restrict high, size_t count,
        uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)(low[i] | high[i] << 8);
}

static void
weave32(const uint8_t *planes, size_t stride, size_t count,
        uint32_t *restrict out)
{
    uint16_t low[LG__TILE], high[LG__TILE];
    weave16(planes, planes + stride, count, low);
    weave16(planes + 2 * stride, planes + 3 * stride, count, high);
    for (size_t i = 0; i < count; i++)
        out[i] = low[i] | (uint32_t)high[i] << 16;
}

static void
weave64(const uint8_t *planes, size_t stride, size_t count,
        uint64_t *restrict out)
{
    uint32_t low[LG__TILE], high[LG__TILE];
    weave32(planes, stride, count, low);
    weave32(planes + 4 * stride, stride, count, high);
    for (size_t i = 0; i < count; i++)
        out[i] = low[i] | (uint64_t)high[i] << 32;
}

void
lg__weave(const uint8_t *planes, size_t stride, size_t count, size_t width,
          void *out)
{
    uint8_t *bytes = out;
    if (width == 1)
        memcpy(out, planes, count);
    else if (width == 2)
        weave16(planes, planes + stride, count, out);
    else if (width == 4)
        weave32(planes, stride, count, out);
    else if (width == 8)
        weave64(planes, stride, count, out);
    else
        for (size_t i = 0; i < count * width; i++)
            bytes[i] = planes[i % width * stride + i / width];
}

static void
unweave16(const uint16_t *restrict numbers, size_t count, uint8_t *restrict low,
          uint8_t *restrict high)
{
    for (size_t i = 0; i < count; i++)
        low[i] = (uint8_t)numbers[i];
    for (size_t i = 0; i < count; i++)
        high[i] = (uint8_t)(numbers[i] >> 8);
}

static void
unweave32(const uint32_t *restrict numbers, size_t count, size_t stride,
          uint8_t *planes)
{
    uint16_t low[LG__TILE], high[LG__TILE];
    for (size_t i = 0; i < count; i++)
        low[i] = (uint16_t)numbers[i];
    for (size_t i = 0; i < count; i++)
        high[i] = (uint16_t)(numbers[i] >> 16);
    unweave16(low, count, planes, planes + stride);
    unweave16(high, count, planes + 2 * stride, planes + 3 * stride);
}

static void
unweave64(const uint64_t *restrict numbers, size_t count, size_t stride,
          uint8_t *planes)
{
    uint32_t low[LG__TILE], high[LG__TILE];
    for (size_t i = 0; i < count; i++)
        low[i] = (uint32_t)numbers[i];
    for (size_t i = 0; i < count; i++)
        high[i] = (uint32_t)(numbers[i] >> 32);
    unweave32(low, count, stride, planes);
    unweave32(high, count, stride, planes + 4 * stride);
}

void
lg__unweave(const void *numbers, size_t count, size_t width, size_t stride,
            uint8_t *planes)
{
    const uint8_t *bytes = numbers;
    if (width == 1)
        memcpy(planes, numbers, count);
    else if (width == 2)
        unweave16(numbers, count, planes, planes + stride);
    else if (width == 4)
        unweave32(numbers, count, stride, planes);
    else if (width == 8)
        unweave64(numbers, count, stride, planes);
    else
        for (size_t i = 0; i < count * width; i++)
            planes[i % width * stride + i / width] = bytes[i];
}

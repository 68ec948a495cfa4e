/**
 * Signed differences as numbers that are small if they are: with the sign in
 * the lowest bit, 0, -1, 1, -2 become 0, 1, 2, 3.
 */
#ifndef LEAKGRAPH_FOLDED_H
#define LEAKGRAPH_FOLDED_H

#include <stdint.h>

static inline uint32_t
lg__folded32(uint32_t difference)
{
    return difference << 1 ^ (0 - (difference >> 31));
}

static inline uint32_t
lg__unfolded32(uint32_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

static inline uint64_t
lg__folded64(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t
lg__unfolded64(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

#endif

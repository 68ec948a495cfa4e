/**
 * The checksum of bytes in a file: XXH3-64. Where libxxhash has functions for
 * several processors, the one for this processor computes it.
 */
#ifndef LEAKGRAPH_CHECKSUM_H
#define LEAKGRAPH_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>
#ifdef LEAKGRAPH_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

static inline uint64_t
lg__checksum(const void *bytes, size_t length)
{
#ifdef LEAKGRAPH_XXH_DISPATCH
    return XXH3_64bits_dispatch(bytes, length);
#else
    return XXH3_64bits(bytes, length);
#endif
}

#endif

/**
 * Numbers as planes: their lowest bytes, then the next ones, and so on. Tiles
 * of numbers stay in the fastest cache between one step and the next.
 */
#ifndef LEAKGRAPH_WEAVE_H
#define LEAKGRAPH_WEAVE_H

#include <stddef.h>
#include <stdint.h>

/** Most numbers of a tile. */
enum { LG__TILE = 512 };

/** Makes numbers of `width` bytes, which may be any, of the tile that begins in
 *  the first of their planes. Planes are `stride` bytes apart. */
void lg__weave(const uint8_t *planes, size_t stride, size_t count, size_t width,
               void *out);

/** Makes planes of such numbers. */
void lg__unweave(const void *numbers, size_t count, size_t width, size_t stride,
                 uint8_t *planes);

#endif

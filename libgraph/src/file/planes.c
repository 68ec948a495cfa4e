// Turns columns into planes of bytes, and back.
#include "base/base_private.h"
#include "file/planes.h"
#include "file/folded.h"
#include "file/weave.h"
#include "graph/graph_private.h"

#include <stdlib.h>
#include <string.h>

// Turns numbers into planes of bytes, and back. Each step joins two planes, or
// parts one number in two: compilers vectorise that, and no more than two
// planes compete for a place in the cache.

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

// A tile of a block, as numbers or as other elements.
typedef union tile {
    uint8_t bytes[LG__TILE * sizeof(uint64_t)];
    uint16_t half[LG__TILE];
    uint32_t number[LG__TILE];
    uint64_t wide[LG__TILE];
} tile;

static void
subtract32(const uint32_t *restrict numbers, size_t count, uint64_t *before,
           uint32_t *restrict out)
{
    out[0] = lg__folded32(numbers[0] - (uint32_t)*before);
    for (size_t i = 1; i < count; i++)
        out[i] = lg__folded32(numbers[i] - numbers[i - 1]);
    *before = numbers[count - 1];
}

static void
subtract64(const uint64_t *restrict numbers, size_t count, uint64_t *before,
           uint64_t *restrict out)
{
    out[0] = lg__folded64(numbers[0] - *before);
    for (size_t i = 1; i < count; i++)
        out[i] = lg__folded64(numbers[i] - numbers[i - 1]);
    *before = numbers[count - 1];
}

// The first loop, which depends on nothing before, is vectorised.
static void
add32(uint32_t *numbers, size_t count, uint64_t *before)
{
    uint32_t sum = (uint32_t)*before;
    for (size_t i = 0; i < count; i++)
        numbers[i] = lg__unfolded32(numbers[i]);
    for (size_t i = 0; i < count; i++)
        numbers[i] = sum += numbers[i];
    *before = sum;
}

static void
add64(uint64_t *numbers, size_t count, uint64_t *before)
{
    uint64_t sum = *before;
    for (size_t i = 0; i < count; i++)
        numbers[i] = lg__unfolded64(numbers[i]);
    for (size_t i = 0; i < count; i++)
        numbers[i] = sum += numbers[i];
    *before = sum;
}

// Sorts places of elements by one byte of their keys. Keeps the order of equal
// bytes, so that a sort byte by byte, the lowest first, sorts by whole keys.
// Two counts of each byte, because equal bytes in a row would wait for each
// other.
static void
sort_by_byte(const uint8_t *bytes, size_t stride, size_t count,
             const uint16_t *from, uint16_t *to)
{
    uint32_t next[2][256] = {{0}, {0}};
    for (size_t i = 0; i < count; i++)
        next[i & 1][bytes[i * stride]]++;
    uint32_t sum = 0;
    for (size_t byte = 0; byte < 256; byte++) {
        uint32_t here = next[0][byte] + next[1][byte];
        next[0][byte] = sum;
        sum += here;
    }
    for (size_t i = 0; i < count; i++)
        to[next[0][bytes[from[i] * stride]]++] = from[i];
}

// Returns the bits in which keys differ.
static uint32_t
different_bits(const uint8_t *key, size_t width, size_t count)
{
    uint32_t different = 0;
    if (width == 4) {
        const uint32_t *numbers = (const void *)key;
        for (size_t i = 1; i < count; i++)
            different |= numbers[i] ^ numbers[0];
    } else {
        for (size_t i = 1; i < count; i++)
            different |= (uint32_t)(key[i] ^ key[0]);
    }
    return different;
}

// Sorts the places of a block's elements by their keys. The result is in
// room->order.
static void
sort_block(const uint8_t *key, size_t width, size_t count,
           lg__planes_room *room)
{
    uint32_t different = different_bits(key, width, count);
    for (size_t i = 0; i < count; i++)
        room->order[i] = (uint16_t)i;
    for (size_t byte = 0; byte < width; byte++)
        if (different >> 8 * byte & UINT8_MAX) {
            uint16_t *order = room->order;
            sort_by_byte(key + byte, width, count, order, room->spare_order);
            room->order = room->spare_order;
            room->spare_order = order;
        }
}

// Sorts the places of a block's elements by the classes of their sizes.
static void
sort_by_size(const uint32_t *sizes, size_t count, lg__planes_room *room)
{
    enum { UNIT = 16, MOST = 64 };
    for (size_t i = 0; i < count; i++)
        room->classes[i] = sizes[i] > UNIT * (MOST - 1)
                               ? MOST
                               : (uint8_t)((sizes[i] + UNIT - 1) / UNIT);
    for (size_t i = 0; i < count; i++)
        room->spare_order[i] = (uint16_t)i;
    sort_by_byte(room->classes, 1, count, room->spare_order, room->order);
}

// Returns the keys from an element on, where they are or in the room.
static const uint8_t *
key_from(const lg__planes *planes, uint64_t at, size_t count, uint32_t *room)
{
    if (planes->key != NULL)
        return planes->key + at * planes->key_width;
    if (planes->key_width != 1)
        return (const void *)lg__type_ids_some(&planes->types, at, count, room);
    uint8_t *bytes = (void *)room;
    for (size_t i = 0; i < count; i++)
        bytes[i] = lg_edge_kinds_at(&planes->kinds, at + i);
    return bytes;
}

// Returns the order of the column's block, from the known orders if it is
// there. The order is not in the file: the column of the keys comes first, so a
// reader sorts the same keys in the same way.
static const uint16_t *
order_of(const lg__planes *planes, uint64_t at, size_t count,
         lg__planes_room *room)
{
    if (at + count <= room->known_count)
        return room->known_order + at;
    const uint8_t *key = key_from(planes, at, count, room->numbers);
    if (planes->key_is_size)
        sort_by_size((const void *)key, count, room);
    else
        sort_block(key, planes->key_width, count, room);
    if (at == room->known_count && at + count <= LG__PLANES_KNOWN) {
        memcpy(room->known_order + at, room->order, 2 * count);
        room->known_count += count;
    }
    return room->order;
}

// Takes elements of a block in their order.
static void
gather(const uint16_t *order, size_t count, size_t width, const void *block,
       tile *out)
{
    const uint16_t *half = block;
    const uint32_t *number = block;
    const uint64_t *wide = block;
    for (size_t i = 0; i < count && width == 2; i++)
        out->half[i] = half[order[i]];
    for (size_t i = 0; i < count && width == 4; i++)
        out->number[i] = number[order[i]];
    for (size_t i = 0; i < count && width == 8; i++)
        out->wide[i] = wide[order[i]];
}

// Puts elements in their order to their places in a block.
static void
scatter(const uint16_t *order, size_t count, size_t width, const tile *from,
        void *block)
{
    uint16_t *half = block;
    uint32_t *number = block;
    uint64_t *wide = block;
    for (size_t i = 0; i < count && width == 2; i++)
        half[order[i]] = from->half[i];
    for (size_t i = 0; i < count && width == 4; i++)
        number[order[i]] = from->number[i];
    for (size_t i = 0; i < count && width == 8; i++)
        wide[order[i]] = from->wide[i];
}

void
lg__planes_split(lg__planes *planes, const uint8_t *block, uint64_t at,
                 lg__planes_room *room)
{
    size_t count = lg__block_count(planes->count, at);
    size_t width = planes->width;
    tile sorted, different;
    const uint16_t *order =
        planes->key_width > 0 ? order_of(planes, at, count, room) : NULL;
    for (size_t i = 0; i < count; i += LG__TILE) {
        size_t part = count - i < LG__TILE ? count - i : LG__TILE;
        const void *from = block + i * width;
        if (order != NULL) {
            gather(order + i, part, width, block, &sorted);
            from = &sorted;
        }
        if (planes->differences) {
            if (width == 4)
                subtract32(from, part, &planes->before, different.number);
            else
                subtract64(from, part, &planes->before, different.wide);
            from = &different;
        }
        lg__unweave(from, part, width, count, room->planes + i);
    }
}

void
lg__planes_join(lg__planes *planes, uint8_t *column, uint64_t at,
                lg__planes_room *room)
{
    size_t count = lg__block_count(planes->count, at);
    size_t width = planes->width;
    uint8_t *block = column + at * width;
    tile sorted;
    const uint16_t *order =
        planes->key_width > 0 ? order_of(planes, at, count, room) : NULL;
    for (size_t i = 0; i < count; i += LG__TILE) {
        size_t part = count - i < LG__TILE ? count - i : LG__TILE;
        void *to = order != NULL ? (void *)&sorted : block + i * width;
        lg__weave(room->planes + i, count, part, width, to);
        if (planes->differences && width == 4)
            add32(to, part, &planes->before);
        else if (planes->differences)
            add64(to, part, &planes->before);
        if (order != NULL)
            scatter(order + i, part, width, &sorted, block);
    }
}

static bool
fit_block(lg__planes_room *room, size_t size)
{
    if (size <= room->size)
        return true;
    lg__free(room->planes);
    room->planes = lg__alloc(size);
    room->size = room->planes != NULL ? size : 0;
    return room->planes != NULL;
}

// Returns what tells one key from another.
static const void *
key_of(const lg__planes *planes)
{
    return planes->key != NULL      ? planes->key
           : planes->key_width == 1 ? (const void *)planes->kinds.byte
                                    : planes->types.numbers;
}

static bool
fit_orders(lg__planes_room *room, const lg__planes *planes)
{
    const size_t block = LG__BLOCK_ELEMENTS * sizeof(uint16_t);
    uint64_t known =
        planes->count < LG__PLANES_KNOWN ? planes->count : LG__PLANES_KNOWN;
    if (room->known_key == key_of(planes))
        return true;
    if (room->order == NULL)
        room->order = lg__alloc(block);
    if (room->spare_order == NULL)
        room->spare_order = lg__alloc(block);
    if (room->classes == NULL)
        room->classes = lg__alloc(LG__BLOCK_ELEMENTS);
    if (room->numbers == NULL && planes->key == NULL)
        room->numbers = lg__alloc(LG__BLOCK_ELEMENTS * sizeof(uint32_t));
    lg__free(room->known_order);
    room->known_order = lg__alloc((size_t)known * sizeof(uint16_t));
    room->known_count = 0;
    bool fits = room->order != NULL && room->spare_order != NULL &&
                room->classes != NULL && room->known_order != NULL &&
                (room->numbers != NULL || planes->key != NULL);
    room->known_key = fits ? key_of(planes) : NULL;
    return fits;
}

bool
lg__planes_room_fit(lg__planes_room *room, const lg__planes *planes)
{
    return fit_block(room, lg__planes_size(planes)) &&
           (planes->key_width == 0 || fit_orders(room, planes));
}

void
lg__planes_room_free(lg__planes_room *room)
{
    lg__free(room->planes);
    lg__free(room->order);
    lg__free(room->spare_order);
    lg__free(room->classes);
    lg__free(room->numbers);
    lg__free(room->known_order);
}

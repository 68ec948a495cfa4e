// Turns columns into planes of bytes, and back.
#include "file/planes.h"
#include "file/folded.h"

#include <stdlib.h>
#include <string.h>

// Transposes a matrix of bytes.
static void
transpose(const uint8_t *restrict from, size_t rows, size_t columns,
          uint8_t *restrict to)
{
    if (columns == 1)
        memcpy(to, from, rows);
    for (size_t column = 0; column < columns && columns > 1; column++)
        for (size_t row = 0; row < rows; row++)
            to[column * rows + row] = from[row * columns + column];
}

// Transposes planes into numbers, in a form that compilers vectorise.
static void
weave16(const uint8_t *restrict planes, size_t count, uint16_t *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (uint16_t)(planes[i] | planes[count + i] << 8);
}

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
    if (width == 1)
        memcpy(out, planes, count);
    else if (width == 2)
        weave16(planes, count, out);
    else if (width == 4)
        weave32(planes, count, out);
    else if (width == 8)
        weave64(planes, count, out);
    else
        transpose(planes, width, count, out);
}

static void
subtract32(uint32_t *numbers, size_t count, uint64_t *before)
{
    uint32_t last = (uint32_t)*before;
    for (size_t i = 0; i < count; i++) {
        uint32_t now = numbers[i];
        numbers[i] = lg__folded32(now - last);
        last = now;
    }
    *before = last;
}

static void
subtract64(uint64_t *numbers, size_t count, uint64_t *before)
{
    uint64_t last = *before;
    for (size_t i = 0; i < count; i++) {
        uint64_t now = numbers[i];
        numbers[i] = lg__folded64(now - last);
        last = now;
    }
    *before = last;
}

static void
add32(uint32_t *numbers, size_t count, uint64_t *before)
{
    uint32_t sum = (uint32_t)*before;
    for (size_t i = 0; i < count; i++)
        numbers[i] = sum += lg__unfolded32(numbers[i]);
    *before = sum;
}

static void
add64(uint64_t *numbers, size_t count, uint64_t *before)
{
    uint64_t sum = *before;
    for (size_t i = 0; i < count; i++)
        numbers[i] = sum += lg__unfolded64(numbers[i]);
    *before = sum;
}

// Sorts places of elements by one byte of their keys.
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

// Returns the order of the column's block, from the known orders if it is
// there.
static const uint16_t *
order_of(const lg__planes *planes, uint64_t at, size_t count,
         lg__planes_room *room)
{
    const uint8_t *key = planes->key + at * planes->key_width;
    if (at + count <= room->known_count)
        return room->known_order + at;
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

// Copies elements from their places to their order, or back.
static void
permute(const uint16_t *order, size_t count, size_t width, bool back,
        const uint8_t *from, uint8_t *to)
{
    for (size_t i = 0; i < count; i++) {
        size_t source = back ? i : order[i];
        size_t target = back ? order[i] : i;
        if (width == 4)
            memcpy(to + 4 * target, from + 4 * source, 4);
        else if (width == 8)
            memcpy(to + 8 * target, from + 8 * source, 8);
        else
            memcpy(to + width * target, from + width * source, width);
    }
}

void
lg__planes_split(lg__planes *planes, const uint8_t *block, uint64_t at,
                 lg__planes_room *room)
{
    size_t count = lg__block_count(planes->count, at);
    size_t width = planes->width;
    if (planes->key_width > 0) {
        permute(order_of(planes, at, count, room), count, width, false, block,
                room->elements);
        block = room->elements;
    } else if (planes->differences) {
        memcpy(room->elements, block, count * width);
        block = room->elements;
    }
    if (planes->differences && width == 4)
        subtract32((void *)room->elements, count, &planes->before);
    else if (planes->differences)
        subtract64((void *)room->elements, count, &planes->before);
    transpose(block, count, width, room->planes);
}

void
lg__planes_join(lg__planes *planes, uint8_t *column, uint64_t at,
                lg__planes_room *room)
{
    size_t count = lg__block_count(planes->count, at);
    size_t width = planes->width;
    uint8_t *place = column + at * width;
    uint8_t *block = planes->key_width > 0 ? room->elements : place;
    weave(room->planes, count, width, block);
    if (planes->differences && width == 4)
        add32((void *)block, count, &planes->before);
    else if (planes->differences)
        add64((void *)block, count, &planes->before);
    if (planes->key_width > 0)
        permute(order_of(planes, at, count, room), count, width, true, block,
                place);
}

static bool
fit_block(lg__planes_room *room, size_t size)
{
    if (size <= room->size)
        return true;
    free(room->planes);
    free(room->elements);
    room->planes = malloc(size);
    room->elements = malloc(size);
    bool fits = room->planes != NULL && room->elements != NULL;
    room->size = fits ? size : 0;
    return fits;
}

static bool
fit_orders(lg__planes_room *room, const lg__planes *planes)
{
    const size_t block = LG__BLOCK_ELEMENTS * sizeof(uint16_t);
    uint64_t known =
        planes->count < LG__PLANES_KNOWN ? planes->count : LG__PLANES_KNOWN;
    if (room->known_key == planes->key)
        return true;
    if (room->order == NULL)
        room->order = malloc(block);
    if (room->spare_order == NULL)
        room->spare_order = malloc(block);
    if (room->classes == NULL)
        room->classes = malloc(LG__BLOCK_ELEMENTS);
    free(room->known_order);
    room->known_order = malloc((size_t)known * sizeof(uint16_t));
    room->known_count = 0;
    bool fits = room->order != NULL && room->spare_order != NULL &&
                room->classes != NULL && room->known_order != NULL;
    room->known_key = fits ? planes->key : NULL;
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
    free(room->planes);
    free(room->elements);
    free(room->order);
    free(room->spare_order);
    free(room->classes);
    free(room->known_order);
}

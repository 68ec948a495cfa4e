// Blocks of numbers with one, two, three or four bytes for each distance; with
// none if the numbers are equal.
//
// A block is never longer than the numbers that it replaces, and blocks are
// written in order, so each overwrites only numbers that were read.
#include "graph/compact.h"

enum { WIDEST = sizeof(uint32_t) };

uint32_t *
lg__compact_open(const lg_allocator *allocator, size_t count, lg__compact *out)
{
    const size_t blocks = lg__compact_blocks(count);
    *out = (lg__compact){.block.element = sizeof(lg_compact_block),
                         .bytes.element = 1};
    if (lg__vector_reserve(allocator, &out->block, blocks + 1) &&
        lg__vector_reserve(allocator, &out->bytes, (count + 1) * WIDEST))
        return out->bytes.data;
    lg__compact_free(allocator, out);
    return NULL;
}

static void
write_bytes(const uint32_t *numbers, uint32_t base, char *to)
{
    uint8_t low[LG_COMPACT_BLOCK];
    for (unsigned i = 0; i < LG_COMPACT_BLOCK; i++)
        low[i] = (uint8_t)(numbers[i] - base);
    memcpy(to, low, sizeof low);
}

static void
write_words(const uint32_t *numbers, uint32_t base, char *to)
{
    uint16_t low[LG_COMPACT_BLOCK];
    for (unsigned i = 0; i < LG_COMPACT_BLOCK; i++)
        low[i] = (uint16_t)(numbers[i] - base);
    memcpy(to, low, sizeof low);
}

static void
write_distances(const uint32_t *numbers, uint32_t base, unsigned width,
                char *to)
{
    for (unsigned i = 0; i < LG_COMPACT_BLOCK; i++) {
        const uint32_t above = numbers[i] - base;
        memcpy(to + (size_t)i * width, &above, width);
    }
}

// Writes the distances of a block, which lie that many times 64 bytes behind
// the begin.
static lg_compact_block
write_block(const uint32_t *numbers, uint32_t place, char *to)
{
    uint32_t least = numbers[0];
    uint32_t most = numbers[0];
    for (unsigned i = 1; i < LG_COMPACT_BLOCK; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    const uint32_t range = most - least;
    const unsigned width =
        range != 0 ? WIDEST - (unsigned)__builtin_clz(range) / 8 : 0;
    if (width == 1)
        write_bytes(numbers, least, to);
    else if (width == 2)
        write_words(numbers, least, to);
    else
        write_distances(numbers, least, width, to);
    return (lg_compact_block){least, place << LG_COMPACT_WIDTH | width};
}

// The last number stands for those that are missing in the last block, whose
// distances are not written.
size_t
lg__compact_write(uint32_t *numbers, size_t count, lg_compact_block *block)
{
    char *begin = (char *)numbers;
    uint32_t place = 0;
    size_t used = 0;
    for (size_t at = 0; at < count; at += LG_COMPACT_BLOCK, block++) {
        uint32_t plain[LG_COMPACT_BLOCK];
        char last[sizeof plain];
        char *to = begin + (size_t)place * LG_COMPACT_BLOCK;
        const size_t left =
            count - at < LG_COMPACT_BLOCK ? count - at : LG_COMPACT_BLOCK;
        const bool full = left == LG_COMPACT_BLOCK;
        memcpy(plain, numbers + at, left * sizeof *plain);
        for (size_t i = left; i < LG_COMPACT_BLOCK; i++)
            plain[i] = plain[left - 1];
        *block = write_block(plain, place, full ? to : last);
        const unsigned width = lg_compact_width(block);
        if (!full)
            memcpy(to, last, left * width);
        place += width;
        used = (size_t)(to - begin) + left * width + WIDEST - width;
    }
    return used;
}

void
lg__compact_close(const lg_allocator *allocator, lg__compact *numbers,
                  size_t count)
{
    const size_t used =
        lg__compact_write(numbers->bytes.data, count, numbers->block.data);
    numbers->block.count = lg__compact_blocks(count);
    numbers->bytes.count = used > 0 ? used : WIDEST;
    lg__vector_trim(allocator, &numbers->bytes);
}

void
lg__compact_free(const lg_allocator *allocator, lg__compact *numbers)
{
    lg__vector_free(allocator, &numbers->block);
    lg__vector_free(allocator, &numbers->bytes);
}

void
lg__compact_copy(const lg__compact *numbers, size_t from, size_t count,
                 uint32_t *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = lg__compact_at(numbers, from + i);
}

const uint32_t *
lg__compact_some(const lg_compact *numbers, uint64_t from, size_t count,
                 uint32_t *room)
{
    if (numbers->wide != NULL)
        return numbers->wide + from;
    for (size_t i = 0; i < count; i++)
        room[i] = lg_compact_at(numbers, from + i);
    return room;
}

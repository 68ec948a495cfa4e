// Blocks of numbers with one, two, three or four bytes for each distance; with
// none if the numbers are equal.
//
// A block is never longer than the numbers that it replaces, and blocks are
// written in order, so each overwrites only numbers that were read.
#include "graph/compact.h"

enum { WIDEST = sizeof(uint32_t) };

static size_t
blocks_of(size_t count)
{
    return (count + LG__COMPACT_BLOCK - 1) / LG__COMPACT_BLOCK;
}

// The last distance is read with the bytes behind it.
static size_t
bytes_for(size_t blocks)
{
    return (blocks * LG__COMPACT_BLOCK + 1) * WIDEST;
}

uint32_t *
lg__compact_open(const lg_allocator *allocator, size_t count, lg__compact *out)
{
    const size_t blocks = blocks_of(count);
    *out = (lg__compact){.block.element = sizeof(lg__compact_block),
                         .bytes.element = 1};
    if (lg__vector_reserve(allocator, &out->block, blocks + 1) &&
        lg__vector_reserve(allocator, &out->bytes, bytes_for(blocks)))
        return out->bytes.data;
    lg__compact_free(allocator, out);
    return NULL;
}

static void
write_bytes(const uint32_t *numbers, uint32_t base, char *to)
{
    uint8_t low[LG__COMPACT_BLOCK];
    for (unsigned i = 0; i < LG__COMPACT_BLOCK; i++)
        low[i] = (uint8_t)(numbers[i] - base);
    memcpy(to, low, sizeof low);
}

static void
write_words(const uint32_t *numbers, uint32_t base, char *to)
{
    uint16_t low[LG__COMPACT_BLOCK];
    for (unsigned i = 0; i < LG__COMPACT_BLOCK; i++)
        low[i] = (uint16_t)(numbers[i] - base);
    memcpy(to, low, sizeof low);
}

static void
write_distances(const uint32_t *numbers, uint32_t base, unsigned width,
                char *to)
{
    for (unsigned i = 0; i < LG__COMPACT_BLOCK; i++) {
        const uint32_t above = numbers[i] - base;
        memcpy(to + (size_t)i * width, &above, width);
    }
}

// Writes a block of numbers to that many times 64 bytes behind the begin.
static lg__compact_block
write_block(const uint32_t *numbers, char *begin, uint32_t place)
{
    uint32_t least = numbers[0];
    uint32_t most = numbers[0];
    for (unsigned i = 1; i < LG__COMPACT_BLOCK; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    const uint32_t range = most - least;
    const unsigned width =
        range != 0 ? WIDEST - (unsigned)__builtin_clz(range) / 8 : 0;
    char *to = begin + (size_t)place * LG__COMPACT_BLOCK;
    if (width == 1)
        write_bytes(numbers, least, to);
    else if (width == 2)
        write_words(numbers, least, to);
    else
        write_distances(numbers, least, width, to);
    return (lg__compact_block){least, place << LG__COMPACT_WIDTH | width};
}

// The last number stands for those that are missing in the last block. Copies a
// block before it is written, because its new place may overlap the old one.
void
lg__compact_close(const lg_allocator *allocator, lg__compact *numbers,
                  size_t count)
{
    const size_t blocks = blocks_of(count);
    uint32_t *all = numbers->bytes.data;
    lg__compact_block *block = numbers->block.data;
    uint32_t place = 0;
    for (size_t i = count; i < blocks * LG__COMPACT_BLOCK; i++)
        all[i] = all[count - 1];
    for (size_t k = 0; k < blocks; k++) {
        uint32_t plain[LG__COMPACT_BLOCK];
        memcpy(plain, all + k * LG__COMPACT_BLOCK, sizeof plain);
        block[k] = write_block(plain, numbers->bytes.data, place);
        place += lg__compact_width(&block[k]);
    }
    numbers->block.count = blocks;
    numbers->bytes.count = (size_t)place * LG__COMPACT_BLOCK + WIDEST;
    lg__vector_trim(allocator, &numbers->bytes);
}

size_t
lg__compact_room(size_t count)
{
    return bytes_for(blocks_of(count));
}

bool
lg__compact_take(const lg_allocator *allocator, lg__vector *numbers,
                 size_t count, lg__compact *out)
{
    *out = (lg__compact){.block.element = sizeof(lg__compact_block),
                         .bytes = *numbers};
    const bool enough =
        lg__vector_reserve(allocator, &out->block, blocks_of(count));
    if (enough)
        lg__compact_close(allocator, out, count);
    else
        lg__compact_free(allocator, out);
    return enough;
}

static bool
reserve(const lg_allocator *allocator, lg__vector *vector, size_t more)
{
    enum { SHARE = 8 };
    const size_t needed = vector->count + more;
    return needed <= vector->capacity ||
           lg__vector_reserve(allocator, vector,
                              needed + vector->count / SHARE);
}

static bool
add_block(lg__compact_writer *writer)
{
    lg__compact *numbers = &writer->numbers;
    const size_t most = (LG__COMPACT_BLOCK + 1) * WIDEST;
    numbers->block.element = sizeof(lg__compact_block);
    numbers->bytes.element = 1;
    if (!reserve(writer->allocator, &numbers->block, 1) ||
        !reserve(writer->allocator, &numbers->bytes, most))
        return false;
    const lg__compact_block block =
        write_block(writer->waiting, numbers->bytes.data,
                    (uint32_t)(numbers->bytes.count / LG__COMPACT_BLOCK));
    lg__compact_block *blocks = numbers->block.data;
    blocks[numbers->block.count++] = block;
    numbers->bytes.count +=
        (size_t)lg__compact_width(&block) * LG__COMPACT_BLOCK;
    writer->count = 0;
    return true;
}

bool
lg__compact_add(lg__compact_writer *writer, uint32_t number)
{
    writer->waiting[writer->count++] = number;
    return writer->count < LG__COMPACT_BLOCK || add_block(writer);
}

// The last number stands for those that are missing in the last block.
bool
lg__compact_end(lg__compact_writer *writer)
{
    lg__compact *numbers = &writer->numbers;
    const uint32_t last =
        writer->count > 0 ? writer->waiting[writer->count - 1] : 0;
    while (writer->count > 0)
        if (!lg__compact_add(writer, last))
            return false;
    if (numbers->block.count > 0)
        numbers->bytes.count += WIDEST;
    lg__vector_trim(writer->allocator, &numbers->block);
    lg__vector_trim(writer->allocator, &numbers->bytes);
    return true;
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

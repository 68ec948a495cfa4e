// Numbers in blocks of a width of their own. Below, numbers are complements of
// those that are packed, but for the one that is sought.
//
// A block takes the range of numbers that needs the fewest bytes: its width
// for each number, and a word for each number outside. To find it, the numbers
// are counted by how many bits their distance to one in the middle has.
#include "graph/graph_private.h"

#include <string.h>

enum {
    DISTANCES = 65,
    NEAR = 32,  // bits of a range that is taken as a whole: one heap
    WIDEST = 54 // bits of a distance; with both signs and what is listed, all
                // bits of a number are in the 8 bytes that begin at its first
};

typedef struct range {
    uint64_t low;
    uint64_t high;
    uint64_t differ; // bits in which numbers of the range differ
    unsigned listed; // how many numbers of the block are outside
} range;

static unsigned
bits_of(uint64_t number)
{
    return number != 0 ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

static unsigned
distance(uint64_t a, uint64_t b)
{
    return bits_of(a < b ? b - a : a - b);
}

// Returns the second of three numbers by their size.
static uint64_t
middle(uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t low = a < b ? a : b;
    const uint64_t high = a < b ? b : a;
    return c < low ? low : c < high ? c : high;
}

// Returns the bits of the distances with which a block has the fewest bytes. A
// range on both sides of the middle may need a bit more, so to list numbers
// must save more than that. Goes from the widest range to narrower ones, and
// takes a narrower one if the bits that it saves are worth more than the words
// of the numbers that it lists, or if it lists none more.
static unsigned
choose_bits(const uint8_t *bits)
{
    const size_t bit = LG_PACKED_BLOCK / 8;
    uint32_t count[DISTANCES] = {0};
    for (unsigned i = 0; i < LG_PACKED_BLOCK; i++)
        count[bits[i]]++;
    uint32_t listed = 0;
    for (unsigned width = DISTANCES - 1; width > WIDEST; width--)
        listed += count[width];
    unsigned best = WIDEST;
    uint32_t beyond = listed;
    for (unsigned width = WIDEST; width-- > 0;) {
        beyond += count[width + 1];
        if (beyond == listed ||
            bit * (best - width) > bit + (beyond - listed) * sizeof(uint64_t)) {
            best = width;
            listed = beyond;
        }
    }
    return best;
}

static range
whole_range(const uint64_t *numbers)
{
    range out = {numbers[0], numbers[0], 0, 0};
    for (unsigned i = 1; i < LG_PACKED_BLOCK; i++) {
        out.low = numbers[i] < out.low ? numbers[i] : out.low;
        out.high = numbers[i] > out.high ? numbers[i] : out.high;
        out.differ |= numbers[i] ^ numbers[0];
    }
    return out;
}

// Returns the range of numbers that have no more bits between them and one in
// the middle than is best.
static range
best_range(const uint64_t *numbers)
{
    const uint64_t around = middle(numbers[0], numbers[LG_PACKED_BLOCK / 2],
                                   numbers[LG_PACKED_BLOCK - 1]);
    uint8_t bits[LG_PACKED_BLOCK];
    for (unsigned i = 0; i < LG_PACKED_BLOCK; i++)
        bits[i] = (uint8_t)distance(numbers[i], around);
    const unsigned most = choose_bits(bits);
    uint64_t near[LG_PACKED_BLOCK];
    unsigned listed = 0;
    for (unsigned i = 0; i < LG_PACKED_BLOCK; i++) {
        listed += bits[i] > most;
        near[i] = bits[i] <= most ? numbers[i] : around;
    }
    range out = whole_range(near);
    out.listed = listed;
    return out;
}

static range
choose_range(const uint64_t *numbers)
{
    const range whole = whole_range(numbers);
    return bits_of(whole.high - whole.low) > NEAR ? best_range(numbers) : whole;
}

static lg_packed_block
block_of(const range *taken)
{
    const unsigned shift =
        taken->differ != 0 ? (unsigned)__builtin_ctzll(taken->differ) : 0;
    const uint64_t most = (taken->high - taken->low) >> shift;
    return (lg_packed_block){
        .base = taken->low,
        .width = (uint8_t)bits_of(most + taken->listed),
        .shift = (uint8_t)shift,
        .listed = (uint8_t)taken->listed,
    };
}

// Writes the code of each number: its distance to the base, or which of the
// listed ones it is, counted from the greatest code down. The codes up to the
// span are distances, and those above it, of which there is one for each listed
// number, name these from the greatest down. block_of has chosen a width that
// has room for both.
static void
write_block(const uint64_t *numbers, const lg_packed_block *block,
            uint64_t span, uint64_t *words)
{
    uint64_t *listed = words + lg_packed_words(block);
    uint64_t bits = 0;
    unsigned filled = 0;
    uint64_t next = lg_packed_greatest(block);
    for (unsigned i = 0; i < LG_PACKED_BLOCK; i++) {
        const uint64_t above = numbers[i] - block->base;
        uint64_t code = above >> block->shift;
        if (above > span) {
            *listed++ = numbers[i];
            code = next--;
        }
        bits |= code << filled;
        filled += block->width;
        if (filled >= 64) {
            filled -= 64;
            *words++ = bits;
            bits = filled > 0 ? code >> (block->width - filled) : 0;
        }
    }
}

bool
lg__packing_open(const lg_allocator *allocator, uint64_t count,
                 lg__packing *out)
{
    *out = (lg__packing){.block.element = sizeof(lg_packed_block),
                         .word.element = sizeof(uint64_t)};
    return lg__vector_reserve(allocator, &out->block,
                              (size_t)lg_packed_blocks(count));
}

static bool
add(const lg_allocator *allocator, lg__packing *packing,
    const uint64_t *numbers)
{
    const range taken = choose_range(numbers);
    lg_packed_block block = block_of(&taken);
    const size_t begin = packing->word.count;
    uint64_t *words = lg__vector_extend(allocator, &packing->word,
                                        lg_packed_words(&block) + block.listed);
    lg_packed_block *at = begin <= UINT32_MAX && words != NULL
                              ? lg__vector_extend(allocator, &packing->block, 1)
                              : NULL;
    if (at == NULL) {
        packing->word.count = begin;
        return false;
    }
    block.begin = (uint32_t)begin;
    *at = block;
    write_block(numbers, &block, taken.high - taken.low, words);
    return true;
}

// The last number stands for those that are missing.
bool
lg__packing_add(const lg_allocator *allocator, lg__packing *packing,
                const uint64_t *complements, size_t count)
{
    uint64_t all[LG_PACKED_BLOCK];
    if (count == LG_PACKED_BLOCK)
        return add(allocator, packing, complements);
    for (size_t i = 0; i < LG_PACKED_BLOCK; i++)
        all[i] = complements[i < count ? i : count - 1];
    return add(allocator, packing, all);
}

static bool
make_room(const lg_allocator *allocator, lg__vector *vector, size_t count)
{
    return vector->capacity - vector->count >= count ||
           lg__vector_grow(allocator, vector, count);
}

bool
lg__packing_move(const lg_allocator *allocator, lg__packing *from,
                 lg__packing *to)
{
    const lg_packed_block *blocks = from->block.data;
    const size_t before = to->word.count;
    if (from->block.count == 0)
        return true;
    if (before + from->word.count > UINT32_MAX ||
        !make_room(allocator, &to->word, from->word.count + 1) ||
        !make_room(allocator, &to->block, from->block.count))
        return false;
    lg_packed_block *moved =
        lg__vector_extend(allocator, &to->block, from->block.count);
    for (size_t i = 0; i < from->block.count; i++) {
        moved[i] = blocks[i];
        moved[i].begin += (uint32_t)before;
    }
    if (from->word.count > 0)
        memcpy(lg__vector_extend(allocator, &to->word, from->word.count),
               from->word.data, from->word.count * sizeof(uint64_t));
    from->block.count = from->word.count = 0;
    return true;
}

// The bits of the last number may be read with a word behind them.
bool
lg__packing_end(const lg_allocator *allocator, lg__packing *packing,
                lg_packed *out)
{
    uint64_t *behind = lg__vector_extend(allocator, &packing->word, 1);
    if (behind == NULL)
        return false;
    *behind = 0;
    lg__vector_trim(allocator, &packing->word);
    lg__vector_trim(allocator, &packing->block);
    *out = (lg_packed){packing->block.data, packing->word.data};
    return true;
}

void
lg__packing_free(const lg_allocator *allocator, lg__packing *packing)
{
    lg__vector_free(allocator, &packing->block);
    lg__vector_free(allocator, &packing->word);
}

bool
lg__packing_finish(const lg_allocator *allocator, lg__packing *packing,
                   uint64_t count, lg__made_column *out)
{
    lg_packed packed;
    if (!lg__packing_end(allocator, packing, &packed)) {
        lg__packing_free(allocator, packing);
        return false;
    }
    *out = (lg__made_column){
        .array = {NULL, count, packing->word.data,
                  packing->word.capacity * packing->word.element},
        .beside = {packing->block.data, packing->block.count,
                   packing->block.data,
                   packing->block.capacity * packing->block.element},
        .addresses.packed = packed,
    };
    return true;
}

// Returns whether a block may have a complement: in its range, or listed.
static bool
may_have(const lg_packed *packed, const lg_packed_block *block,
         uint64_t complement)
{
    const uint64_t *listed =
        packed->word + block->begin + lg_packed_words(block);
    bool has = complement >= block->base &&
               (complement - block->base) >> block->shift <=
                   lg_packed_greatest(block) - block->listed;
    for (unsigned i = 0; i < block->listed && !has; i++)
        has = listed[i] == complement;
    return has;
}

uint64_t
lg__packed_find(const lg_packed *packed, uint64_t count, uint64_t number)
{
    const lg_packed_block *block = packed->block;
    for (uint64_t begin = 0; begin < count; begin += LG_PACKED_BLOCK, block++) {
        const uint64_t left = count - begin;
        const uint64_t end =
            left < LG_PACKED_BLOCK ? count : begin + LG_PACKED_BLOCK;
        if (!may_have(packed, block, ~number))
            continue;
        for (uint64_t index = begin; index < end; index++)
            if (lg_packed_at(packed, index) == number)
                return index;
    }
    return count;
}

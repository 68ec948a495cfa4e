// Which words are elements of arrays: much of what their block holds points the
// same way, or what lies at one distance in it does, as in an array of structs.
// Neither depends on the block's siblings, so one look is enough.
#include "native/native_private.h"

#include <string.h>

enum { MOST_STRIDE = 32, STRIDE_WORDS = 32, STRIDE_POINTERS = 6 };
enum { ARRAY_WORDS = 4, INVERSE_BITS = 38 };
// What the trait of a word is while strides are tried.
enum { CANDIDATE = LG__ALIKE - 1 };

typedef struct array_search {
    lg__native *native;
    lg__key_table alike; // how many words of a block point the same way
    uint64_t inverse[MOST_STRIDE + 1]; // see remainder_of
} array_search;

// Places are below 2^25, and an inverse is too large by less than 2^-38, so the
// quotient is exact.
static uint32_t
remainder_of(const array_search *search, uint32_t place, uint32_t stride)
{
    const uint64_t quotient = place * search->inverse[stride] >> INVERSE_BITS;
    return place - (uint32_t)quotient * stride;
}

static uint8_t *
trait_of(const lg__native *native, uint32_t word)
{
    return &lg__word_row_at(&native->words, word)->trait;
}

static uint32_t
count_filled(const lg_native_block *block, uint64_t from, uint32_t stride)
{
    const uint64_t *words =
        (const uint64_t *)(uintptr_t)lg_block_address(block);
    const uint64_t places = lg_block_bytes(block) / 8;
    uint32_t filled = 0;
    for (uint64_t place = from; place < places; place += stride)
        filled += words[place] != 0;
    return filled;
}

// Elements lead to the same depth as the first pointer of the array, or to
// beginnings. What leads elsewhere is no pointer of these structs. Returns how
// many words may be elements.
static uint32_t
find_candidates(const lg__native *native, uint32_t block)
{
    enum { HEADER = 16 };
    lg__word_walk at = lg__walk_words(native, block);
    uint64_t usual = 0;
    uint32_t count = 0;
    for (bool first = true; lg__word_walk_next(&at); first = false) {
        const uint64_t depth = lg__word_depth(native, block, &at.word);
        usual = first ? depth : usual;
        if (depth > HEADER && depth != usual)
            continue;
        *trait_of(native, at.number) |= CANDIDATE;
        count++;
    }
    return count;
}

// A stride is the distance, in words, at which nine of ten words that are not 0
// are elements. Returns a bit for each remainder of places at which they are.
static uint32_t
fitting(const array_search *search, uint32_t block, uint32_t stride)
{
    const lg__native *native = search->native;
    const lg_native_block *at = &native->memory->blocks[block];
    lg__word_walk word = lg__walk_words(native, block);
    const uint64_t size = lg_block_bytes(at) / 8;
    uint32_t elements[MOST_STRIDE] = {0};
    uint32_t fits = 0;
    while (lg__word_walk_next(&word))
        elements[remainder_of(search, word.word.place, stride)] +=
            (*trait_of(native, word.number) & LG__STRIDE_MASK) != 0;
    for (uint32_t rest = 0; rest < stride; rest++)
        if (elements[rest] >= STRIDE_POINTERS &&
            (uint64_t)elements[rest] * stride * 4 >= size &&
            elements[rest] * 10 >= count_filled(at, rest, stride) * 9)
            fits |= 1U << rest;
    return fits;
}

// Marks the elements at these remainders. No other word has a stride.
static void
set_stride(const array_search *search, uint32_t block, uint32_t stride,
           uint32_t fits)
{
    const lg__native *native = search->native;
    lg__word_walk at = lg__walk_words(native, block);
    while (lg__word_walk_next(&at)) {
        uint8_t *trait = trait_of(native, at.number);
        const bool element =
            (*trait & LG__STRIDE_MASK) != 0 && fits != 0 &&
            (fits >> remainder_of(search, at.word.place, stride) & 1);
        *trait &= LG__SHAPE_BIT;
        *trait |= (uint8_t)(element ? stride : 0);
    }
}

// At a stride that fits, a quarter of the places with one remainder are
// elements, and all elements are candidates. So strides too short for the
// number of candidates are left out. At the end no word is marked as a
// candidate any more.
static void
find_stride(const array_search *search, uint32_t block)
{
    const lg__native *native = search->native;
    const uint64_t pointers = lg__block_words(native, block);
    const uint64_t size = lg_block_bytes(&native->memory->blocks[block]) / 8;
    uint32_t fits = 0;
    uint32_t stride = 0;
    if (size < STRIDE_WORDS || pointers < STRIDE_POINTERS ||
        pointers * MOST_STRIDE * 4 < size)
        return;
    const uint64_t most = 4 * (uint64_t)find_candidates(native, block);
    while (fits == 0 && ++stride <= MOST_STRIDE)
        if (most * stride >= size)
            fits = fitting(search, block, stride);
    set_stride(search, block, stride, fits);
}

static uint64_t
direction_of(const lg__native *native, uint32_t block, const lg__word *word)
{
    return lg__native_key(lg__block_shown(native, word->target),
                          lg__word_direction(native, block, word), 0);
}

// Whether that many words that point the same way make a block an array. In a
// large block, half of the words are also alike where a tree lay that was
// freed.
static bool
is_share_of_array(const lg_native_block *block, uint64_t alike, uint64_t all)
{
    const bool large = lg_block_bytes(block) > LG__LARGE_BLOCK;
    return alike >= ARRAY_WORDS &&
           (large ? 10 * alike >= 9 * all : 2 * alike >= all);
}

static bool
find_alike(array_search *search, uint32_t block)
{
    enum { MOST_EXPECTED = 512 };
    const lg__native *native = search->native;
    const lg_native_block *at = &native->memory->blocks[block];
    const uint32_t pointers = lg__block_words(native, block);
    const uint64_t all = pointers >= ARRAY_WORDS ? count_filled(at, 0, 1) : 0;
    if (!is_share_of_array(at, pointers, all))
        return true;
    lg__key_table_clear(&search->alike,
                        pointers < MOST_EXPECTED ? pointers : MOST_EXPECTED);
    lg__word_walk word = lg__walk_words(native, block);
    while (lg__word_walk_next(&word)) {
        uint32_t *count =
            lg__key_table_at(&native->allocator, &search->alike,
                             direction_of(native, block, &word.word));
        if (count == NULL)
            return false;
        ++*count;
    }
    word = lg__walk_words(native, block);
    while (lg__word_walk_next(&word)) {
        const uint32_t alike = lg__key_table_find(
            &search->alike, direction_of(native, block, &word.word));
        if (lg__word_stride(native, word.number) == 0 &&
            is_share_of_array(at, alike, all))
            *trait_of(native, word.number) |= LG__ALIKE;
    }
    return true;
}

bool
lg__native_arrays(lg__native *native)
{
    array_search search = {.native = native};
    bool enough = lg__key_table_open(&native->allocator, &search.alike);
    for (uint32_t stride = 1; stride <= MOST_STRIDE; stride++)
        search.inverse[stride] = (UINT64_C(1) << INVERSE_BITS) / stride + 1;
    for (uint32_t block = 0; block < native->blocks && enough; block++) {
        if (native->memory->blocks[block].node != LG_NONE ||
            lg__block_words(native, block) < ARRAY_WORDS)
            continue;
        find_stride(&search, block);
        enough = find_alike(&search, block);
    }
    if (search.alike.entries != NULL)
        lg__key_table_free(&native->allocator, &search.alike);
    return enough;
}

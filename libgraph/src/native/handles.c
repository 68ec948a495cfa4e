// Numbers by which Python has what C code allocated: an int that is an address,
// and a field of an object that names an entry of a library's table.
#include "native/native_private.h"

// HDF5 and others give out numbers of their own instead of addresses, and keep
// a table from the number to what it stands for. An entry begins with its
// number, and has a pointer. A number is a name if it is too large for a count,
// is no address, no text and no usual fraction, and a block begins with it. Of
// several, the entry is the one whose size most entries have. The value of a
// number here is 1 if an object has it, and 2 more than the block that it
// names.
enum { HAD = 1, NAMED = 2 };

static uint64_t
handle_key(uint64_t number)
{
    return lg__native_key(number, 0, 7);
}

static bool
is_text(uint64_t number)
{
    for (; number != 0; number >>= 8)
        if ((number & 0xff) < ' ' || (number & 0xff) > '~')
            return false;
    return true;
}

// A double between 1e-150 and 1e150 has such an exponent.
static bool
is_fraction(uint64_t number)
{
    const uint64_t exponent = number >> 52;
    return exponent >= 0x200 && exponent < 0x600;
}

static bool
may_name(uint64_t number)
{
    enum { ADDRESS_BITS = 47, SIGN_BIT = 63 };
    return number >> ADDRESS_BITS != 0 && number >> SIGN_BIT == 0 &&
           !is_fraction(number) && !is_text(number);
}

static bool
may_have_handles(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    return node != LG_NONE && native->block_of[node] == block &&
           !(native->graph->columns.node_flags[node] & LG_NODE_BUFFER) &&
           !(native->mark[block] & LG__BLOCK_SILENT);
}

static uint32_t *
known_at(lg__native *native, uint64_t key)
{
    return lg__key_table_at(&native->allocator, &native->handles, key);
}

static bool
note_numbers(lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    uint64_t from;
    uint64_t to;
    lg__block_searched(native, block, &from, &to);
    for (; from < to; from += 8) {
        uint64_t number = lg__word_at(lg_block_address(at) + from);
        if (!may_name(number))
            continue;
        uint32_t *known = known_at(native, handle_key(number));
        if (known == NULL)
            return false;
        *known = HAD;
    }
    return true;
}

static bool
has_pointer(const lg__native *native, const lg_native_block *at)
{
    enum { MOST = 16 };
    for (uint64_t place = 1; place < MOST; place++)
        if (lg__block_find(&native->index, lg__block_word(at, 8 * place)) !=
            LG_NONE)
            return true;
    return false;
}

static uint64_t
size_key(const lg__native *native, uint32_t block)
{
    return lg__native_key(lg_block_bytes(&native->memory->blocks[block]), 1, 7);
}

// Whether a block begins with a number that an object has.
static bool
is_entry(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    uint64_t number = lg__block_word(at, 0);
    return at->node == LG_NONE && may_name(number) &&
           !(native->mark[block] & LG__BLOCK_HIDDEN) &&
           lg__key_table_find(&native->handles, handle_key(number)) != 0 &&
           has_pointer(native, at);
}

static bool
count_size(lg__native *native, uint32_t block)
{
    uint32_t *count = known_at(native, size_key(native, block));
    if (count != NULL)
        ++*count;
    return count != NULL;
}

static bool
note_entry(lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    uint32_t *known = known_at(native, handle_key(lg__block_word(at, 0)));
    if (known == NULL)
        return false;
    if (*known == HAD) {
        *known = block + NAMED;
        return true;
    }
    uint32_t here =
        lg__key_table_find(&native->handles, size_key(native, block));
    uint32_t there =
        lg__key_table_find(&native->handles, size_key(native, *known - NAMED));
    if (here > there)
        *known = block + NAMED;
    return true;
}

bool
lg__native_handles(lg__native *native)
{
    if (!lg__key_table_open(&native->allocator, &native->handles))
        return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (may_have_handles(native, block) && !note_numbers(native, block))
            return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (is_entry(native, block) && !count_size(native, block))
            return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (is_entry(native, block) && !note_entry(native, block))
            return false;
    return true;
}

uint32_t
lg__handle_find(const lg__native *native, uint32_t block, uint64_t number)
{
    if (!may_name(number) || !may_have_handles(native, block))
        return LG_NONE;
    uint32_t known = lg__key_table_find(&native->handles, handle_key(number));
    return known >= NAMED ? known - NAMED : LG_NONE;
}

enum { DIGITS_PLACE = 3 }; // of an int, in words

// Returns the number in an int of one or two digits, as an address has; 0: it
// has more, or none. One has an address of a program that lies at the bottom.
static uint64_t
number_in(const lg_native_block *at)
{
    enum { COUNT = 16, DIGIT_BITS = 30, MOST_BYTES = 64 };
    // CPython 3.12 has the sign and a flag in the lowest three bits
    enum { TAG_BITS = 3 };
    const uint64_t mask = (UINT64_C(1) << DIGIT_BITS) - 1;
    const uint64_t count = lg__block_word(at, lg_block_lead(at) + COUNT);
    const uint64_t digits =
        lg__block_word(at, lg_block_lead(at) + 8 * DIGITS_PLACE);
    if (lg_block_bytes(at) >= MOST_BYTES)
        return 0;
    if (count == 1 || count == 1 << TAG_BITS)
        return digits & mask;
    return count == 2 || count == 2 << TAG_BITS
               ? (digits & mask) | (digits >> 32 & mask) << DIGIT_BITS
               : 0;
}

// ctypes and other bindings hand an address of C code to Python as an int.
// Addresses of objects are those that id() gives.
bool
lg__list_number(lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    const uint64_t number = number_in(at);
    uint32_t target = lg__block_find(&native->index, number);
    if (target == LG_NONE)
        return true;
    const lg_native_block *to = &native->memory->blocks[target];
    if (lg_block_address(to) != number || to->node != LG_NONE ||
        to->kind > LG_ALLOCATOR_MAPPED ||
        (native->mark[target] & LG__BLOCK_HIDDEN))
        return true;
    lg__word *word = lg__vector_extend(&native->allocator, &native->word, 1);
    if (word != NULL)
        *word = (lg__word){.target = target,
                           .place = (lg_block_lead(at) / 8 + DIGITS_PLACE) &
                                    (LG__MOST_PLACES - 1)};
    return word != NULL;
}

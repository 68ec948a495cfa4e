// What Python has of C code without a pointer to it: by an int that is an
// address, by a field that names an entry of a library's table, and by the
// address of an object under which a library's table keeps something.
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
has_object(const lg__native *native, uint32_t block)
{
    uint32_t node = native->memory->blocks[block].node;
    return node != LG_NONE && lg__block_of_node(native, node) == block &&
           !(lg_columns_flags(&native->graph->columns, node) & LG_NODE_BUFFER);
}

static bool
may_have_handles(const lg__native *native, uint32_t block)
{
    return has_object(native, block) &&
           !(native->mark[block] & LG__BLOCK_SILENT);
}

static uint32_t *
known_at(lg__native *native, uint64_t key)
{
    return lg__key_table_at(&native->allocator, &native->handles, key);
}

static bool
count_key(lg__native *native, uint64_t key)
{
    uint32_t *count = known_at(native, key);
    if (count != NULL)
        ++*count;
    return count != NULL;
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

// pybind11 and others have a table from an object, which it borrows, to a
// vector of objects that it keeps as long as the first one lives. Who keeps the
// address of an object that is not its own forgets it when the object goes, and
// what it has under that address goes along. So the vector is the object's. An
// entry of std::unordered_map has the next entry, the address and the vector.
enum { NEXT = 0, KEY = 8, BEGIN = 16, END = 24, CAPACITY = 32, ENTRY = 40 };

static uint64_t
company_key(uint32_t block)
{
    return lg__native_key(block, 2, 7);
}

// Returns the object of which a word is the address, or LG_NONE.
static uint32_t
object_at(const lg__native *native, uint64_t word)
{
    uint32_t block = lg__block_find(&native->index, word);
    if (block == LG_NONE)
        return LG_NONE;
    const lg_native_block *at = &native->memory->blocks[block];
    return has_object(native, block) &&
                   word - lg_block_address(at) == lg_block_lead(at)
               ? at->node
               : LG_NONE;
}

static bool
is_borrowed(const lg__native *native, uint32_t node)
{
    return node != LG_NONE && !native->graph->partial &&
           lg_columns_refcount(&native->graph->columns, node) > 0 &&
           lg_node_unexplained(native->graph, node) == 0;
}

// Whether words from here to there are addresses of objects to which something
// else than objects refers.
static bool
are_kept(const lg__native *native, uint64_t from, uint64_t to)
{
    for (; from < to; from += 8) {
        uint32_t node = object_at(native, lg__word_at(from));
        if (node == LG_NONE || lg_node_unexplained(native->graph, node) <= 0)
            return false;
    }
    return true;
}

// Returns the block of a vector of objects that an entry has under the address
// of one, or LG_NONE.
static uint32_t
company_in(const lg__native *native, const lg_native_block *entry)
{
    const uint64_t begin = lg__block_word(entry, BEGIN);
    const uint64_t end = lg__block_word(entry, END);
    const uint64_t next = lg__block_word(entry, NEXT);
    if (entry->node != LG_NONE || lg_block_bytes(entry) != ENTRY ||
        (next != 0 && lg__block_find(&native->index, next) == LG_NONE) ||
        !is_borrowed(native, object_at(native, lg__block_word(entry, KEY))))
        return LG_NONE;
    uint32_t block = lg__block_find(&native->index, begin);
    if (block == LG_NONE)
        return LG_NONE;
    const lg_native_block *vector = &native->memory->blocks[block];
    return begin == lg_block_address(vector) && begin < end &&
                   end <= lg__block_word(entry, CAPACITY) &&
                   lg__block_word(entry, CAPACITY) <= lg__block_end(vector) &&
                   are_kept(native, begin, end)
               ? block
               : LG_NONE;
}

static uint64_t
vector_key(uint32_t block)
{
    return lg__native_key(block, 3, 7);
}

static uint64_t
member_key(uint32_t node)
{
    return lg__native_key(node, 4, 7);
}

static bool
note_company(lg__native *native, uint32_t block)
{
    const lg_native_block *entry = &native->memory->blocks[block];
    const uint64_t end = lg__block_word(entry, END);
    uint32_t company = company_in(native, entry);
    if (company == LG_NONE)
        return true;
    uint32_t *known =
        known_at(native, company_key(lg__block_find(
                             &native->index, lg__block_word(entry, KEY))));
    if (known == NULL || !count_key(native, vector_key(company)))
        return false;
    *known = company + NAMED;
    for (uint64_t at = lg__block_word(entry, BEGIN); at < end; at += 8)
        if (!count_key(native, member_key(object_at(native, lg__word_at(at)))))
            return false;
    return true;
}

// To tell entries takes the numbers of all objects, and to choose among entries
// takes how many have each size, so there are three passes over the blocks.
bool
lg__native_handles(lg__native *native)
{
    if (!lg__key_table_open(&native->allocator, &native->handles))
        return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (may_have_handles(native, block) && !note_numbers(native, block))
            return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (is_entry(native, block) &&
            !count_key(native, size_key(native, block)))
            return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if ((is_entry(native, block) && !note_entry(native, block)) ||
            !note_company(native, block))
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

uint32_t
lg__company_find(const lg__native *native, uint32_t block)
{
    uint32_t known =
        native->memory->blocks[block].node != LG_NONE
            ? lg__key_table_find(&native->handles, company_key(block))
            : 0;
    return known >= NAMED ? known - NAMED : LG_NONE;
}

bool
lg__company_outvotes(const lg__native *native, uint32_t block, uint32_t node)
{
    uint32_t known = lg__key_table_find(&native->handles, member_key(node));
    return known > 0 && known == lg_node_unexplained(native->graph, node) &&
           lg__key_table_find(&native->handles, vector_key(block)) == 0;
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
    return lg__word_add(&native->allocator, &native->words, block, 0, target,
                        lg_block_lead(at) / 8 + DIGITS_PLACE);
}

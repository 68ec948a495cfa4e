// Lists the words that point into blocks: of the blocks themselves, and of what
// lies outside of them.
#include "native/native_private.h"

#include <string.h>

// Element sizes that arrays have as a rule.
static bool
fits(uint64_t count, uint64_t bytes)
{
    static const uint8_t sizes[] = {1,  2,  4,  8,  12, 16,  24,  32,  40, 48,
                                    56, 64, 72, 80, 96, 104, 112, 120, 128};
    enum { ROUNDING = 16 };
    if (count == 0 || count > bytes)
        return false;
    if (count + 1 <= bytes && count + 1 + ROUNDING > bytes)
        return true;
    for (size_t i = 0; i < sizeof sizes; i++)
        if (count * sizes[i] <= bytes && count * sizes[i] + ROUNDING > bytes)
            return true;
    return false;
}

// begin, end and capacity of a vector: malloc rounds the capacity up, and may
// give the rest of a chunk along
static bool
is_vector(const uint64_t w[5], const lg_native_block *to)
{
    enum { ROUNDING = 24, GIFT = 16 };
    return w[1] == lg_block_address(to) && w[2] >= w[1] && w[3] >= w[2] &&
           w[3] <= lg__block_end(to) && w[3] > w[1] &&
           w[3] + ROUNDING + GIFT > lg__block_end(to);
}

// control bytes, mask, room and items of a hash table, as Rust has it
static bool
is_hash_table(const uint64_t w[5], const lg_native_block *to)
{
    uint64_t mask = w[2];
    return mask != 0 && (mask & (mask + 1)) == 0 && mask >> 40 == 0 &&
           w[4] != 0 && w[3] + w[4] == (mask < 8 ? mask : (mask + 1) / 8 * 7) &&
           w[1] > lg_block_address(to) && w[1] + mask + 1 <= lg__block_end(to);
}

// pointer, length and capacity in any order, so that the capacity fits
static bool
is_array(const uint64_t w[5], const lg_native_block *to)
{
    if (w[1] != lg_block_address(to) || lg_block_bytes(to) < 24)
        return false;
    return (w[2] <= w[3] && fits(w[3], lg_block_bytes(to))) ||
           (w[3] <= w[2] && w[3] != 0 && fits(w[2], lg_block_bytes(to))) ||
           (w[2] != 0 && w[2] <= w[0] && fits(w[0], lg_block_bytes(to)));
}

// an object, and the block that counts its owners and has it inside
static bool
is_shared_pointer(const uint64_t w[5], const lg_native_block *to)
{
    return w[1] == lg_block_address(to) + 16 && w[2] == lg_block_address(to);
}

// A word and its neighbours.
typedef struct surroundings {
    uint64_t w[5];
    const lg_native_block *to;
} surroundings;

static surroundings
around(const lg__native *native, uint32_t block, const lg__word *word)
{
    const lg_native_block *from = &native->memory->blocks[block];
    uint64_t at = 8 * (uint64_t)word->place;
    return (surroundings){
        {
            at >= 8 ? lg__block_word(from, at - 8) : 0,
            lg__block_word(from, at),
            lg__block_word(from, at + 8),
            lg__block_word(from, at + 16),
            lg__block_word(from, at + 24),
        },
        &native->memory->blocks[word->target],
    };
}

bool
lg__word_is_proved(const lg__native *native, uint32_t block,
                   const lg__word *word)
{
    surroundings at = around(native, block, word);
    return is_vector(at.w, at.to) || is_hash_table(at.w, at.to) ||
           is_shared_pointer(at.w, at.to);
}

// Whether the neighbours of a word go with it. Small numbers do by chance.
static bool
has_shape(const lg__native *native, uint32_t block, const lg__word *word)
{
    surroundings at = around(native, block, word);
    return is_array(at.w, at.to) || lg__word_is_proved(native, block, word);
}

// Whether the graph has the reference of a node, or cannot say so quickly.
static bool
is_known(const lg_graph *graph, uint32_t source, uint32_t target)
{
    enum { MOST = 64 };
    const lg_columns *columns = &graph->columns;
    uint64_t edge = lg_columns_first_edge(columns, source);
    const uint64_t end = lg_columns_first_edge(columns, source + 1);
    if (end - edge > MOST)
        return true;
    while (edge < end && lg_columns_target(columns, edge) != target)
        edge++;
    return edge < end;
}

// Returns whether a block of C code may keep the node: not an object whose
// references are all known to be others. A word that leads to it is borrowed,
// or what an earlier owner has left.
static bool
may_keep(const lg__native *native, uint32_t node)
{
    const lg_graph *graph = native->graph;
    return lg_node_unexplained(graph, node) > 0 ||
           (!native->furniture[lg_columns_type(&graph->columns, node)] &&
            (graph->partial ||
             lg_columns_refcount(&graph->columns, node) == 0));
}

// An object is entered at its beginning only. The references of objects to each
// other are known exactly, but for those that a type of C code does not tell
// the collector.
static bool
may_refer(const lg__native *native, uint32_t source, uint32_t target,
          uint64_t depth)
{
    const lg_native_block *to = &native->memory->blocks[target];
    unsigned mark = native->mark[target];
    if (source == target)
        return false;
    if (mark & LG__BLOCK_OWN)
        return native->memory->blocks[source].node == LG_NONE;
    if (mark & LG__BLOCK_HIDDEN)
        return depth == lg_block_lead(to);
    if (to->node == LG_NONE)
        return true;
    uint32_t node = native->memory->blocks[source].node;
    if (depth != lg_block_lead(to))
        return false;
    if (node != LG_NONE)
        return lg_node_unexplained(native->graph, to->node) > 0 &&
               !is_known(native->graph, node, to->node);
    return may_keep(native, to->node) &&
           !lg__company_outvotes(native, source, to->node);
}

// How many words of a block lead to blocks, and how many to memory between
// them, which is free. The end of what a neighbour points to is no such place.
typedef struct address_count {
    uint32_t live;
    uint32_t dead;
    uint64_t end; // of the block to which the last word led
} address_count;

static void
count_address(const lg__native *native, uint64_t value, uint32_t target,
              address_count *count)
{
    enum { HEADER = 8 };
    if (target != LG_NONE) {
        count->live++;
        count->end = lg__block_end(&native->memory->blocks[target]);
    } else if (value != 0 && value - count->end >= HEADER &&
               lg__block_is_near(&native->index, value))
        count->dead++;
}

// Notes that a word leads into an object, which is then not forgotten, though
// the word may be no reference: it leads behind the beginning, or the object is
// one that C code uses and does not keep. What leads before the beginning is of
// the collector's lists.
static void
meet(lg__native *native, uint32_t source, uint32_t target, uint64_t value)
{
    const lg_native_block *to = &native->memory->blocks[target];
    if (to->node != LG_NONE && source != target &&
        value - lg_block_address(to) >= lg_block_lead(to) &&
        native->told[to->node] == 0 && !(native->mark[target] & LG__BLOCK_OWN))
        native->told[to->node] = LG__MET;
}

// Whether a word of C code leads to where only an object's own code points:
// into a table of the object, or before it, to the collector's head. What data
// have in a table may be borrowed.
static bool
is_stray(const lg__native *native, uint32_t source, uint32_t target,
         uint64_t value)
{
    const lg_native_block *to = &native->memory->blocks[target];
    if (native->memory->blocks[source].node != LG_NONE || to->node == LG_NONE)
        return false;
    if (!(native->mark[target] & LG__BLOCK_OWN))
        return value - lg_block_address(to) < lg_block_lead(to);
    const lg_columns *columns = &native->graph->columns;
    return !(lg_columns_flags(columns, to->node) & LG_NODE_BUFFER) &&
           !native->extent[lg_columns_type(columns, to->node)].data;
}

// Whether the next of these words that leads to a block is a stray one.
static bool
is_before_stray(const lg__native *native, uint32_t block, uint64_t from,
                uint64_t to)
{
    for (; from < to; from += 8) {
        uint64_t value = lg__word_at(
            lg_block_address(&native->memory->blocks[block]) + from);
        uint32_t target = lg__block_find(&native->index, value);
        if (target != LG_NONE)
            return is_stray(native, block, target, value);
    }
    return false;
}

static bool
is_object(const lg__native *native, uint32_t target)
{
    return native->memory->blocks[target].node != LG_NONE &&
           !(native->mark[target] & LG__BLOCK_OWN);
}

// Returns the block to which a word of a block may refer, or LG_NONE.
static uint32_t
referred_by(const lg__native *native, uint32_t block, uint32_t target,
            uint64_t value)
{
    const lg_native_block *blocks = native->memory->blocks;
    if (target != LG_NONE)
        return may_refer(native, block, target,
                         value - lg_block_address(&blocks[target]))
                   ? target
                   : LG_NONE;
    return blocks[block].node != LG_NONE ? lg__handle_find(native, block, value)
                                         : LG_NONE;
}

// Returns the length of a text that a block begins with, and that ends in it;
// 0: there is none. An address is none, though its bytes may be printable.
static uint64_t
length_of_text(const lg__native *native, const lg_native_block *block)
{
    enum { LEAST = 4 };
    const unsigned char *text =
        (const unsigned char *)(uintptr_t)lg_block_address(block);
    const uint64_t bytes = lg_block_bytes(block);
    uint64_t length = 0;
    if (bytes == 0 || text[0] < ' ')
        return 0;
    while (
        length < bytes && text[length] != 0x7f &&
        (text[length] >= ' ' || (text[length] >= '\t' && text[length] <= '\r')))
        length++;
    return length >= LEAST && length < bytes && text[length] == 0 &&
                   !lg__block_is_near(&native->index,
                                      lg__block_word(block, 0)) &&
                   lg__range_find(native->memory, lg__block_word(block, 0)) ==
                       NULL
               ? length
               : 0;
}

// Marks a block that begins with a text, and returns the first of its words
// that have none of its letters. The word that has the last ones may look like
// an address: of the one that lay there before, they have changed some bytes.
static uint64_t
first_behind_text(lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    const uint64_t text = at->node == LG_NONE ? length_of_text(native, at) : 0;
    native->mark[block] |= text > 0 ? LG__BLOCK_TEXT : 0;
    return (text + 7) / 8 * 8;
}

// A word that leads to an object is left over if the words before and behind it
// that lead to blocks are stray. All of them are from memory that was freed,
// such as the items of a list: some happen to lead to the beginnings of what
// lies there now.
static bool
list_block(lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    address_count count = {0, 0, 0};
    const uint64_t address = lg_block_address(at);
    bool stray = false;
    uint32_t before = 0;
    uint64_t from;
    uint64_t to;
    const uint32_t company = lg__company_find(native, block);
    if (company != LG_NONE) {
        if (!lg__word_add(&native->allocator, &native->words, block, 0, company,
                          lg_block_lead(at) / 8))
            return false;
        before = (uint32_t)(lg_block_lead(at) / 8);
    }
    lg__block_searched(native, block, &from, &to);
    const uint64_t behind_text = first_behind_text(native, block);
    for (from = from > behind_text ? from : behind_text; from < to; from += 8) {
        uint64_t value = lg__word_at(address + from);
        if (at->node == LG_NONE &&
            !lg__block_index_spans(&native->index, value))
            continue;
        uint32_t target = lg__block_find(&native->index, value);
        count_address(native, value, target, &count);
        if (target != LG_NONE) {
            const bool behind = stray;
            stray = is_stray(native, block, target, value);
            if (behind && is_object(native, target) &&
                is_before_stray(native, block, from + 8, to))
                continue;
            meet(native, block, target, value);
        }
        target = referred_by(native, block, target, value);
        if (target == LG_NONE)
            continue;
        if (!lg__word_add(&native->allocator, &native->words, block, before,
                          target, from / 8))
            return false;
        before = (uint32_t)(from / 8);
    }
    if (at->node == LG_NONE && count.dead > count.live)
        native->mark[block] |= LG__BLOCK_STALE;
    return true;
}

static bool
list_blocks(lg__native *native)
{
    const size_t count = (size_t)native->blocks + 1;
    uint32_t *first =
        lg__compact_open(&native->allocator, count, &native->first_word);
    lg__word_rows_open(&native->words);
    if (first == NULL)
        return false;
    for (uint32_t block = 0; block < native->blocks; block++) {
        lg__native_tick(native);
        first[block] = (uint32_t)native->words.count;
        if (!(lg__block_is_number(native, block)
                  ? lg__list_number(native, block)
                  : list_block(native, block)) ||
            native->words.count >= UINT32_MAX)
            return false;
    }
    first[native->blocks] = (uint32_t)native->words.count;
    lg__compact_close(&native->allocator, &native->first_word, count);
    lg__vector_trim(&native->allocator, &native->words.bytes);
    return true;
}

// The block to which a std::shared_ptr or std::weak_ptr leads counts its owners
// behind its vtable. More pairs than owners: some of them are weak.
static uint32_t
owners_of(const lg_native_block *block)
{
    return (uint32_t)lg__block_word(block, 8);
}

static bool
is_pair(const lg__native *native, uint32_t block, const lg__word *word)
{
    surroundings at = around(native, block, word);
    return is_shared_pointer(at.w, at.to);
}

static bool
count_pair(lg__native *native, uint32_t block, const lg__word *word)
{
    if (!is_pair(native, block, word))
        return true;
    uint32_t *count = lg__key_table_at(&native->allocator, &native->shared,
                                       lg__native_key(word->target, 0, 8));
    if (count != NULL)
        ++*count;
    return count != NULL;
}

bool
lg__word_may_be_weak(const lg__native *native, uint32_t block,
                     const lg__word *word)
{
    uint32_t owners = owners_of(&native->memory->blocks[word->target]);
    return is_pair(native, block, word) && owners > 0 &&
           lg__key_table_find(&native->shared,
                              lg__native_key(word->target, 0, 8)) > owners;
}

// A vector grows into a block that nobody clears. What lies behind its end is
// left over, whatever the same word holds in other vectors, which are longer.
// Of several vectors that lead to a block, some are copies from before, so the
// longest counts.
static uint64_t
vector_key(uint32_t block)
{
    return lg__native_key(block, 0, 10);
}

static bool
note_vector(const lg__native *native, lg__key_table *vectors, uint32_t block,
            const lg__word *word)
{
    surroundings at = around(native, block, word);
    if (!is_vector(at.w, at.to))
        return true;
    uint32_t *used =
        lg__key_table_at(&native->allocator, vectors, vector_key(word->target));
    const uint64_t words = (at.w[2] - at.w[1]) / 8;
    if (used != NULL && *used < words + 1 && words < LG__MOST_PLACES)
        *used = (uint32_t)words + 1;
    return used != NULL;
}

// The address and the length of a text for which a block has the right size,
// but which now has addresses of blocks: the text was freed. Lengths that are
// sizes of structs may be those of tables. Any number may be such a length by
// chance, so most words of a slot must look so.
static bool
is_freed_text(const lg__native *native, uint32_t block, const lg__word *word)
{
    enum { SHORTEST = 16, ROUNDING = 16 };
    const lg_native_block *to = &native->memory->blocks[word->target];
    const surroundings at = around(native, block, word);
    const uint64_t length = at.w[2];
    return to->kind == LG_ALLOCATOR_MALLOC && to->node == LG_NONE &&
           length >= SHORTEST && length % 8 != 0 &&
           at.w[1] == lg_block_address(to) && length < lg_block_bytes(to) &&
           length + 1 + ROUNDING > lg_block_bytes(to) &&
           lg__block_words(native, word->target) > 0 &&
           lg__range_find(native->memory, lg__block_word(to, 0)) == NULL;
}

// A block that its owner gives out piece by piece, such as a pool of texts, has
// the beginning and the end of its free rest side by side among its first
// words. Nobody clears that rest. Before them may be the beginning of all
// pieces, so that a full pool has its beginning and its end there, too. Returns
// where the rest begins: at the end if there is none.
static uint64_t
rest_of_pool(const lg_native_block *block)
{
    enum { SMALLEST = 128, FIRST = 64, PAIR = 16, ROUNDING = 24, GIFT = 16 };
    const uint64_t bytes = lg_block_bytes(block);
    const uint64_t address = lg_block_address(block);
    uint64_t last = 0;
    if (bytes < SMALLEST || block->node != LG_NONE)
        return bytes;
    for (uint64_t at = 0; at < FIRST; at += 8) {
        const uint64_t rest = lg__block_word(block, at) - address;
        const uint64_t end = lg__block_word(block, at + 8) - address;
        if (rest >= at + PAIR && rest <= end && end <= bytes &&
            end + ROUNDING + GIFT > bytes)
            last = rest > last ? rest : last;
    }
    return last > 0 ? last : bytes;
}

// Returns how many words of a block somebody uses who has an account of that.
static uint64_t
used_words(const lg__native *native, const lg__key_table *vectors,
           uint32_t block)
{
    const uint64_t rest = rest_of_pool(&native->memory->blocks[block]) / 8;
    const uint32_t known = lg__key_table_find(vectors, vector_key(block));
    return known > 0 && known - 1 < rest ? known - 1 : rest;
}

static void
mark_remnants(lg__native *native, const lg__key_table *vectors)
{
    for (uint32_t block = 0; block < native->blocks; block++) {
        lg__word_walk at = lg__walk_words(native, block);
        if (at.next == at.end)
            continue;
        const uint64_t used = used_words(native, vectors, block);
        while (lg__word_walk_next(&at)) {
            const bool spare = at.word.place >= used;
            const bool freed = is_freed_text(native, block, &at.word);
            lg__word_row_at(&native->words, at.number)->state |=
                (uint8_t)((spare ? LG__SPARE_BIT : 0) |
                          (freed ? LG__FREED_BIT : 0));
        }
    }
}

static bool
note_shapes(lg__native *native, lg__key_table *vectors)
{
    for (uint32_t block = 0; block < native->blocks; block++) {
        lg__word_walk at = lg__walk_words(native, block);
        while (lg__word_walk_next(&at)) {
            if (!has_shape(native, block, &at.word))
                continue;
            lg__word_row_at(&native->words, at.number)->trait = LG__SHAPE_BIT;
            if (!count_pair(native, block, &at.word) ||
                !note_vector(native, vectors, block, &at.word))
                return false;
        }
    }
    return true;
}

static bool
find_shapes(lg__native *native)
{
    lg__key_table vectors;
    if (!lg__key_table_open(&native->allocator, &native->shared) ||
        !lg__key_table_open(&native->allocator, &vectors))
        return false;
    const bool enough = note_shapes(native, &vectors);
    if (enough)
        mark_remnants(native, &vectors);
    lg__key_table_free(&native->allocator, &vectors);
    return enough;
}

static uint32_t
level_of(const lg__native *native, const lg_native_range *range,
         uint32_t target, uint64_t depth)
{
    enum { INSIDE = 16 };
    bool entry = depth == 0 || depth == INSIDE;
    if (range->kind == LG_RANGE_DATA && entry &&
        !(native->mark[target] & LG__BLOCK_HIDDEN)) {
        lg_native_level level = lg__range_level(range);
        if (level == LG_LEVEL_VARIABLE || depth == 0)
            return level;
    }
    return entry || (range->kind == LG_RANGE_DATA && depth % 8 == 0)
               ? LG_LEVEL_WEAK
               : LG_LEVEL_LEFTOVER;
}

// Whether a word is of one of malloc's lists and leads to a free chunk. The
// header of a chunk begins in the last word of the block before it, and a free
// chunk lies behind a block in use.
static bool
leads_to_free_chunk(const lg_native_range *range, const lg_native_block *to,
                    uint64_t depth)
{
    return to->kind == LG_ALLOCATOR_MALLOC && depth + 8 == lg_block_bytes(to) &&
           lg__range_is_libc(range);
}

// Objects are not entered from here: the graph has their roots. A word that
// leads to one says only that blocks do not have all of its references.
static bool
list_outer_word(lg__native *native, size_t range, uint64_t value)
{
    uint32_t target = lg__block_find(&native->index, value);
    if (target == LG_NONE)
        return true;
    const lg_native_block *to = &native->memory->blocks[target];
    uint64_t depth = value - lg_block_address(to);
    if (to->node != LG_NONE) {
        meet(native, LG_NONE, target, value);
        if (!(native->mark[target] & LG__BLOCK_OWN) &&
            depth == lg_block_lead(to))
            native->told[to->node] = LG__HELD_OUTSIDE;
        return true;
    }
    if (((native->mark[target] & LG__BLOCK_HIDDEN) &&
         depth != lg_block_lead(to)) ||
        leads_to_free_chunk(&native->memory->ranges[range], to, depth))
        return true;
    lg__outer_word *word =
        lg__vector_extend(&native->allocator, &native->outer, 1);
    if (word != NULL)
        *word = (lg__outer_word){
            native->holder_of[range], target,
            level_of(native, &native->memory->ranges[range], target, depth)};
    return word != NULL;
}

// Searches a part of a range, without the blocks in it, whose words count
// already. The blocks ascend as the words do, and `*block` goes on where the
// part before has ended. So all parts together pass each block once.
static bool
list_part(lg__native *native, size_t range, const uint64_t *words,
          uint64_t from, uint64_t to, uint32_t *block)
{
    const lg_native_block *blocks = native->memory->blocks;
    for (uint64_t at = from; at + 8 <= to; at += 8) {
        while (*block < native->blocks &&
               lg_block_address(&blocks[*block]) <= at &&
               lg__block_end(&blocks[*block]) <= at)
            ++*block;
        if (*block < native->blocks &&
            lg_block_address(&blocks[*block]) <= at) {
            at = (lg__block_end(&blocks[*block]) & ~(uint64_t)7) - 8;
            continue;
        }
        if (!list_outer_word(native, range, words[(at - from) / 8]))
            return false;
    }
    return true;
}

static bool
list_range(lg__native *native, size_t range, uint32_t *block)
{
    enum { PART = 1 << 16 };
    const lg_native_memory *memory = native->memory;
    const uint64_t end = memory->ranges[range].to;
    for (uint64_t at = memory->ranges[range].from; at < end; at += PART) {
        uint64_t to = end - at < PART ? end : at + PART;
        const uint64_t *words =
            memory->words == NULL ? (const uint64_t *)(uintptr_t)at
                                  : memory->words(memory->context, at, to - at);
        if (words != NULL && !list_part(native, range, words, at, to, block))
            return false;
    }
    return true;
}

// Libraries hold by name; all stacks together, and all other ranges.
static bool
is_same_holder(const lg_native_range *a, const lg_native_range *b)
{
    return a->kind == b->kind &&
           (a->kind != LG_RANGE_DATA || strcmp(a->name, b->name) == 0);
}

static bool
name_holders(lg__native *native)
{
    const lg_native_memory *memory = native->memory;
    size_t ranges = memory->range_count;
    native->holder_of = lg__native_take(native, ranges, 4);
    native->holder = lg__native_take(native, ranges, sizeof *native->holder);
    if (native->holder_of == NULL || native->holder == NULL)
        return false;
    for (size_t i = 0; i < ranges; i++) {
        uint32_t holder = 0;
        while (holder < native->holders &&
               !is_same_holder(native->holder[holder], &memory->ranges[i]))
            holder++;
        if (holder == native->holders)
            native->holder[native->holders++] = &memory->ranges[i];
        native->holder_of[i] = holder;
    }
    return true;
}

static bool
sort_outer(lg__native *native)
{
    const lg__vector *outer = &native->outer;
    native->first_outer =
        lg__native_take_zero(native, (size_t)native->holders + 1, 8);
    if (native->first_outer == NULL ||
        !lg__radix_sort(&native->allocator, outer->data, outer->count,
                        outer->element))
        return false;
    const lg__outer_word *words = outer->data;
    for (size_t i = 0; i < outer->count; i++)
        native->first_outer[words[i].holder + 1]++;
    for (uint32_t holder = 0; holder < native->holders; holder++)
        native->first_outer[holder + 1] += native->first_outer[holder];
    return true;
}

static bool
list_ranges(lg__native *native)
{
    uint32_t block = 0;
    native->outer.element = sizeof(lg__outer_word);
    if (!name_holders(native))
        return false;
    for (size_t i = 0; i < native->memory->range_count; i++)
        if (native->memory->ranges[i].kind != LG_RANGE_CODE &&
            !list_range(native, i, &block))
            return false;
    return sort_outer(native);
}

bool
lg__native_words(lg__native *native)
{
    native->told = lg__native_take_zero(native, native->nodes, 1);
    return native->told != NULL && lg__native_handles(native) &&
           list_blocks(native) && find_shapes(native) && list_ranges(native);
}

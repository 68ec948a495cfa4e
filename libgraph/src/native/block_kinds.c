// The first kind of each block: that of the object in it, or its size and the
// class that its first word shows, or its size alone.
#include "native/native_private.h"

#include <string.h>

enum { SHARED_BY = 3, GIFT = 16, NEW_BELOW = 1024 };

static bool
is_object(const lg__native *native, uint32_t block)
{
    return native->memory->blocks[block].node != LG_NONE;
}

static uint64_t
plain_mark(const lg_native_block *block)
{
    return lg__native_key(4, block->kind, 0);
}

// What blocks of one kind have in common, apart from their size. 0: nothing.
static uint64_t
mark_of(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    if (is_object(native, block))
        return lg__native_key(
            1, lg_columns_type(&native->graph->columns, at->node),
            native->mark[block] & LG__BLOCK_OWN ? UINT32_MAX
                                                : lg_block_lead(at));
    if (native->mark[block] & LG__BLOCK_HIDDEN)
        return lg__native_key(2, lg__block_word(at, lg_block_lead(at) + 8),
                              lg_block_lead(at));
    if (native->mark[block] & LG__BLOCK_TYPED)
        return lg__native_key(3, lg__block_word(at, 0), at->kind);
    return plain_mark(at);
}

static uint64_t
class_key(const lg_native_block *block, uint64_t bytes)
{
    return lg__native_key(lg__block_word(block, 0), bytes, block->kind);
}

// Whether several blocks share the class of a block: those of its size, or
// those to which malloc has not given the rest of a chunk along.
static bool
is_shared_class(const lg__key_table *counts, const lg_native_block *block)
{
    const uint64_t bytes = lg_block_bytes(block);
    return lg__key_table_find(counts, class_key(block, bytes)) >= SHARED_BY ||
           (block->kind == LG_ALLOCATOR_MALLOC && bytes > GIFT &&
            lg__key_table_find(counts, class_key(block, bytes - GIFT)) >=
                SHARED_BY);
}

// A first word into a library shows a class if several blocks of one size share
// it. Two first words into malloc's own lists show that nobody has written the
// block since it was free; one may be a member of an empty class. The first
// pass counts the blocks of each class, without those whose first word leads to
// libc, and finds the ones not written; the second marks those of shared
// classes.
static bool
find_classes(lg__native *native, lg__key_table *counts)
{
    const lg_native_block *blocks = native->memory->blocks;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t block = 0; block < native->blocks; block++) {
            if (is_object(native, block) ||
                (native->mark[block] & (LG__BLOCK_HIDDEN | LG__BLOCK_NEW)))
                continue;
            const lg_native_range *library = lg__first_library(native, block);
            if (library == NULL)
                continue;
            uint32_t *count = lg__key_table_at(
                &native->allocator, counts,
                class_key(&blocks[block], lg_block_bytes(&blocks[block])));
            if (count == NULL)
                return false;
            *count += pass == 0 && !lg__range_is_libc(library);
            if (native->range_package[library - native->memory->ranges] != 0)
                lg__bit_set(native->classed, block);
            if (pass == 0 && lg__range_is_libc(library) &&
                blocks[block].kind == LG_ALLOCATOR_MALLOC &&
                lg_block_bytes(&blocks[block]) < NEW_BELOW &&
                lg__block_word(&blocks[block], 8) - library->from <
                    library->to - library->from)
                native->mark[block] |= LG__BLOCK_NEW;
            else if (pass == 1 && is_shared_class(counts, &blocks[block]))
                native->mark[block] |= LG__BLOCK_TYPED;
        }
    return true;
}

// malloc gives the rest of a chunk along if it is too small for another. A
// block of a kind of which three times as many are 16 bytes smaller has such a
// gift, and its last words are older than the block.
static bool
may_have_gift(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    if (at->kind != LG_ALLOCATOR_MALLOC || lg_block_bytes(at) <= GIFT ||
        (native->mark[block] & (LG__BLOCK_HIDDEN | LG__BLOCK_OWN)))
        return false;
    if (at->node == LG_NONE)
        return native->mark[block] & LG__BLOCK_TYPED;
    uint32_t type = lg_columns_type(&native->graph->columns, at->node);
    return type >= native->memory->type_count ||
           native->memory->types[type].fixed == 0;
}

static bool
find_gifts(lg__native *native, lg__key_table *counts)
{
    const lg_native_block *blocks = native->memory->blocks;
    for (uint32_t block = 0; block < native->blocks; block++) {
        if (!may_have_gift(native, block))
            continue;
        uint32_t *count =
            lg__key_table_at(&native->allocator, counts,
                             lg__native_key(mark_of(native, block),
                                            lg_block_bytes(&blocks[block]), 1));
        if (count == NULL)
            return false;
        ++*count;
    }
    for (uint32_t block = 0; block < native->blocks; block++) {
        if (!may_have_gift(native, block))
            continue;
        uint64_t mark = mark_of(native, block);
        uint64_t bytes = lg_block_bytes(&blocks[block]);
        uint32_t here =
            lg__key_table_find(counts, lg__native_key(mark, bytes, 1));
        uint32_t smaller =
            lg__key_table_find(counts, lg__native_key(mark, bytes - GIFT, 1));
        if (smaller >= SHARED_BY * here)
            native->mark[block] |= LG__BLOCK_GIVEN;
    }
    return true;
}

// Gives blocks of equal keys one number, in order of first use.
static bool
number_key(lg__native *native, lg__key_table *numbers, uint64_t key,
           uint32_t block)
{
    uint32_t *number = lg__key_table_at(&native->allocator, numbers, key);
    if (number == NULL)
        return false;
    if (*number == 0)
        *number = ++native->forms;
    lg__kind_set(native, block, *number - 1);
    return true;
}

static uint64_t
form_key(uint64_t mark, uint64_t bytes)
{
    return lg__native_key(mark, bytes, 2);
}

// The form of a plain block is found again by its size, so it needs no place
// beside the kind. At first no plain block has a gift.
static bool
number_forms(lg__native *native, lg__key_table *numbers)
{
    for (uint32_t block = 0; block < native->blocks; block++) {
        uint64_t bytes = lg_block_bytes(&native->memory->blocks[block]) -
                         (native->mark[block] & LG__BLOCK_GIVEN ? GIFT : 0);
        lg__key_table *known =
            lg__block_is_plain(native, block) ? &native->plain : numbers;
        if (!number_key(native, known, form_key(mark_of(native, block), bytes),
                        block))
            return false;
    }
    return true;
}

uint32_t
lg__block_form(const lg__native *native, uint32_t block)
{
    const lg_native_block *at = &native->memory->blocks[block];
    return lg__block_is_plain(native, block)
               ? lg__key_table_find(
                     &native->plain,
                     form_key(plain_mark(at), lg_block_bytes(at))) -
                     1
               : lg__kind_of(native, block);
}

static bool
note_classes(lg__native *native)
{
    native->class_shown = lg__native_take(native, native->forms, 8);
    for (uint32_t block = 0;
         block < native->blocks && native->class_shown != NULL; block++)
        if (!is_object(native, block) &&
            (native->mark[block] & LG__BLOCK_TYPED) &&
            !(native->mark[block] & LG__BLOCK_HIDDEN))
            native->class_shown[lg__kind_of(native, block)] =
                lg__first_library(native, block)->from | LG__SHOWN_CLASS;
    return native->class_shown != NULL;
}

// Returns where the fields of an object end that the graph lacks; 0: its type
// says nothing of them. Words that lead to other objects are no tables.
static uint32_t
end_of_fields(const lg__native *native, uint32_t block)
{
    const lg_native_memory *memory = native->memory;
    const lg_native_block *at = &memory->blocks[block];
    const uint64_t lead = lg_block_lead(at);
    const uint64_t type = lg__block_word(at, lead + 8);
    for (uint32_t i = 0;
         i < memory->type_count && i < native->graph->type_count; i++)
        if (memory->types[i].address == type)
            return lg__type_layout(native->graph, i) == LG__LAYOUT_KNOWN
                       ? (uint32_t)((lead + memory->types[i].fixed) / 8)
                       : 0;
    return 0;
}

// Objects of one form have one type, so the first one says it for all.
static bool
note_fields(lg__native *native)
{
    native->fields_end = lg__native_take(native, native->forms, 4);
    if (native->fields_end == NULL)
        return false;
    memset(native->fields_end, 0xff, 4 * (size_t)native->forms);
    for (uint32_t block = 0; block < native->blocks; block++) {
        uint32_t *end = &native->fields_end[lg__kind_of(native, block)];
        if ((native->mark[block] & LG__BLOCK_HIDDEN) && *end == UINT32_MAX)
            *end = end_of_fields(native, block);
    }
    return true;
}

static uint32_t
package_of_type(const lg__native *native, uint32_t type)
{
    return type < native->memory->type_count
               ? lg__address_package(native,
                                     native->memory->types[type].address)
               : 0;
}

// Notes the packages of the kinds that no way says: those of types and classes.
static bool
note_packages(lg__native *native)
{
    native->kind_package = lg__native_take_zero(native, native->first_way, 4);
    if (native->kind_package == NULL)
        return false;
    for (uint32_t block = 0; block < native->blocks; block++) {
        const lg_node node = native->memory->blocks[block].node;
        uint32_t *package = &native->kind_package[lg__kind_of(native, block)];
        if (*package != 0 || lg__block_is_plain(native, block))
            continue;
        *package =
            node == LG_NONE
                ? lg__address_package(
                      native, lg__block_word(&native->memory->blocks[block], 0))
                : package_of_type(
                      native, lg_columns_type(&native->graph->columns, node));
    }
    return true;
}

// A block has one form and, of one search of the best paths, one way at most.
static uint64_t
most_kinds(const lg__native *native)
{
    return 2 * (uint64_t)native->blocks + native->graph->type_count +
           native->holders + 1;
}

bool
lg__native_kinds(lg__native *native)
{
    lg__key_table counts;
    native->classed = lg__native_take_zero(native, native->blocks / 8 + 1, 1);
    if (!lg__native_take_ids(native, native->blocks, most_kinds(native),
                             &native->kind) ||
        native->classed == NULL || !lg__native_packages(native) ||
        !lg__key_table_open(&native->allocator, &native->plain) ||
        !lg__key_table_open(&native->allocator, &counts))
        return false;
    bool enough = find_classes(native, &counts);
    lg__key_table_clear(&counts, 0);
    enough = enough && find_gifts(native, &counts);
    lg__key_table_clear(&counts, 0);
    enough = enough && number_forms(native, &counts);
    lg__key_table_free(&native->allocator, &counts);
    enough = enough && note_classes(native) && note_fields(native);
    native->first_way =
        native->forms + native->graph->type_count + native->holders + 1;
    return enough && note_packages(native);
}

static bool
count_way(lg__native *native, lg__key_table *counts, uint32_t kind)
{
    uint32_t *count = lg__key_table_at(&native->allocator, counts,
                                       lg__native_key(kind, 0, 0));
    if (count != NULL)
        ++*count;
    return count != NULL;
}

static bool
count_ways(lg__native *native, lg__key_table *counts)
{
    for (uint32_t block = 0; block < native->blocks; block++) {
        const uint32_t kind = lg__kind_of(native, block);
        const uint32_t again = lg__kind_again(native, kind);
        if (kind == LG_NONE || kind < native->first_way)
            continue;
        if (!count_way(native, counts, kind) ||
            (again != kind && !count_way(native, counts, again)))
            return false;
    }
    return true;
}

// What a struct leads to may have its size by chance, as a text does, and is no
// next node of a list then. A kind has a look at some of its blocks: in which
// of their first words these have a pointer, and in which something else. Where
// most of those before have a pointer, a next node has one or nothing.
enum { LOOK_BLOCKS = 64, LOOK_WORDS = 16 };
typedef struct kind_look {
    uint8_t blocks;
    uint8_t pointers[LOOK_WORDS];
    uint8_t others[LOOK_WORDS];
} kind_look;

static void
look_at_block(const lg__native *native, uint32_t block, kind_look *look)
{
    const lg_native_block *at = &native->memory->blocks[block];
    lg__word_walk word = lg__walk_words(native, block);
    bool leads = lg__word_walk_next(&word);
    look->blocks++;
    for (uint32_t place = 0; place < LOOK_WORDS; place++) {
        while (leads && word.word.place < place)
            leads = lg__word_walk_next(&word);
        if (leads && word.word.place == place)
            look->pointers[place]++;
        else if (lg__block_word(at, 8 * (uint64_t)place) != 0)
            look->others[place]++;
    }
}

// Returns a look at each kind, or NULL when memory ran out.
static kind_look *
look_at_kinds(lg__native *native)
{
    kind_look *looks =
        lg__native_take_zero(native, native->way.count, sizeof *looks);
    for (uint32_t block = 0; block < native->blocks && looks != NULL; block++) {
        const uint32_t kind = lg__kind_of(native, block);
        if (kind == LG_NONE || kind < native->first_way)
            continue;
        kind_look *look = &looks[kind - native->first_way];
        if (look->blocks < LOOK_BLOCKS)
            look_at_block(native, block, look);
    }
    return looks;
}

static bool
are_strangers(const kind_look *before, const kind_look *next)
{
    unsigned fields = 0;
    unsigned strange = 0;
    for (int place = 0; place < LOOK_WORDS; place++) {
        const bool field = 2 * before->pointers[place] > before->blocks;
        fields += field;
        strange += field && next->others[place] > next->pointers[place];
    }
    return 2 * strange > fields;
}

// Returns the kind whose blocks are as those of a kind without a gift: it has
// the same way and 16 bytes less or, of a list or a tree, is before. LG_NONE:
// there is none.
static uint32_t
kind_without_gift(const lg__native *native, const lg__key_table *numbers,
                  const lg__way_kind *way)
{
    lg__way_kind smaller = *way;
    if (way->form >> LG__FORM_BITS <= GIFT)
        return LG_NONE;
    smaller.form -= GIFT << LG__FORM_BITS;
    const uint32_t number = lg__key_table_find(numbers, lg__way_key(&smaller));
    return number != 0 ? native->first_way + number - 1
                       : lg__kind_before(native, smaller.before, smaller.form);
}

static uint32_t
blocks_of_kind(const lg__key_table *counts, uint32_t kind)
{
    return lg__key_table_find(counts, lg__native_key(kind, 0, 0));
}

// All nodes of a list or a tree are of one kind.
static bool
replace_next(lg__native *native, uint32_t *replaced)
{
    const lg__way_kind *ways = native->way.data;
    kind_look *looks = look_at_kinds(native);
    for (size_t i = 0; i < native->way.count && looks != NULL; i++) {
        const uint32_t again = ways[i].again;
        replaced[i] =
            are_strangers(&looks[again - native->first_way], &looks[i])
                ? native->first_way + (uint32_t)i
                : again;
    }
    lg__native_drop(native, looks);
    return looks != NULL;
}

// A kind has gifts if the one without has three times as many blocks.
static bool
replace_given(lg__native *native, lg__key_table *counts, uint32_t *replaced)
{
    const lg__way_kind *ways = native->way.data;
    for (size_t i = 0; i < native->way.count; i++) {
        uint32_t *number =
            lg__key_table_at(&native->allocator, counts, lg__way_key(&ways[i]));
        if (number == NULL)
            return false;
        *number = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < native->way.count; i++) {
        const uint32_t kind = native->first_way + (uint32_t)i;
        const uint32_t other = kind_without_gift(native, counts, &ways[i]);
        if (replaced[i] == kind && other != LG_NONE &&
            blocks_of_kind(counts, other) >=
                SHARED_BY * blocks_of_kind(counts, kind))
            replaced[i] = other;
    }
    return true;
}

// Follows replacements to the last one.
static uint32_t
last_kind(const lg__native *native, uint32_t *replaced, uint32_t kind)
{
    uint32_t last = kind;
    while (replaced[last - native->first_way] != last)
        last = replaced[last - native->first_way];
    while (replaced[kind - native->first_way] != last) {
        uint32_t next = replaced[kind - native->first_way];
        replaced[kind - native->first_way] = last;
        kind = next;
    }
    return last;
}

// One of two kinds may have a gift, and be of a kind without. That kind and the
// other are not the same: else what is of half the size would have a gift, too.
static void
join_kinds(const lg__native *native, uint32_t *replaced, uint32_t a, uint32_t b)
{
    const lg__way_kind *ways = native->way.data;
    a = last_kind(native, replaced, a) - native->first_way;
    b = last_kind(native, replaced, b) - native->first_way;
    if (ways[a].form == ways[b].form)
        replaced[a > b ? a : b] = native->first_way + (a > b ? b : a);
}

// The first and the last node of a list, and the smallest and the largest of a
// tree, have pointers to them of their own. Blocks of one form that are linked
// are of one kind, if one struct leads to both.
static void
join_linked(lg__native *native, uint32_t *replaced)
{
    const lg__way_kind *ways = native->way.data;
    for (uint32_t block = 0; block < native->blocks; block++) {
        lg__word_walk at = lg__walk_words(native, block);
        while (lg__word_walk_next(&at)) {
            uint32_t a = lg__kind_of(native, block);
            uint32_t b = lg__kind_of(native, at.word.target);
            if (a == b || at.word.level < LG_LEVEL_POINTER || a == LG_NONE ||
                b == LG_NONE || a < native->first_way || b < native->first_way)
                continue;
            a = last_kind(native, replaced, a);
            b = last_kind(native, replaced, b);
            const lg__way_kind *one = &ways[a - native->first_way];
            const lg__way_kind *other = &ways[b - native->first_way];
            if (one->form != other->form || one->before != other->before)
                continue;
            join_kinds(native, replaced, a, b);
        }
    }
}

// Kinds whose way is the same by now are the same. What leads to a kind has a
// smaller number, so one round is enough.
static bool
join_followers(lg__native *native, lg__key_table *numbers, uint32_t *replaced)
{
    const lg__way_kind *ways = native->way.data;
    lg__key_table_clear(numbers, native->way.count);
    for (size_t i = 0; i < native->way.count; i++) {
        lg__way_kind way = ways[i];
        if (way.before >= native->first_way)
            way.before = last_kind(native, replaced, way.before);
        uint32_t *number =
            lg__key_table_at(&native->allocator, numbers, lg__way_key(&way));
        if (number == NULL)
            return false;
        uint32_t kind = native->first_way + (uint32_t)i;
        if (*number == 0)
            *number = kind + 1;
        else
            join_kinds(native, replaced, *number - 1, kind);
    }
    return true;
}

static void
refine_block(lg__native *native, uint32_t block, uint32_t *replaced)
{
    const lg__way_kind *ways = native->way.data;
    const uint32_t before = lg__kind_of(native, block);
    if (!lg__block_is_plain(native, block))
        return;
    native->mark[block] &= (uint8_t)~LG__BLOCK_GIVEN;
    if (before == LG_NONE) {
        lg__kind_set(native, block, lg__block_form(native, block));
        return;
    }
    const uint32_t kind = last_kind(native, replaced, before);
    lg__kind_set(native, block, kind);
    if (ways[kind - native->first_way].form !=
            ways[before - native->first_way].form &&
        native->memory->blocks[block].kind == LG_ALLOCATOR_MALLOC)
        native->mark[block] |= LG__BLOCK_GIVEN;
}

bool
lg__native_refine(lg__native *native)
{
    lg__key_table counts;
    uint32_t *replaced = lg__native_take(native, native->way.count, 4);
    if (replaced == NULL || !lg__key_table_open(&native->allocator, &counts))
        return false;
    bool enough = count_ways(native, &counts) &&
                  replace_next(native, replaced) &&
                  replace_given(native, &counts, replaced);
    if (enough)
        join_linked(native, replaced);
    enough = enough && join_followers(native, &counts, replaced);
    for (uint32_t block = 0; block < native->blocks && enough; block++)
        refine_block(native, block, replaced);
    native->refined = true;
    lg__key_table_free(&native->allocator, &counts);
    lg__native_drop(native, replaced);
    return enough;
}

// The level of each word, from what the same word holds in all blocks of its
// kind.
//
// A field of a struct holds, in most blocks of the kind, a pointer to blocks of
// one kind at one depth. What an earlier owner has left behind does so in few
// of them. The counts below are of one kind at a time: of the *slot* that a
// word is, how many blocks have something there, how many a pointer, and how
// many a pointer that shows the same.
#include "native/native_private.h"

#include <string.h>

const char *const lg__level_names[] = {
    [LG_LEVEL_NONE] = "no pointer",
    [LG_LEVEL_LEFTOVER] = "a lone word",
    [LG_LEVEL_WEAK] = "perhaps a pointer",
    [LG_LEVEL_POSSIBLE] = "a possible pointer",
    [LG_LEVEL_POINTER] = "a pointer",
    [LG_LEVEL_FIELD] = "a field",
    [LG_LEVEL_VARIABLE] = "a variable",
    [LG_LEVEL_EXACT] = "a counted reference",
    [LG_LEVEL_EXACT + 1] = NULL,
};

enum { MOST_SLOTS = LG__LARGE_BLOCK / 8 };
enum { FEW = 3, GIFT_WORDS = 2 };
// What libraries put before the memory that they give out, at most: SQLite has
// the size there.
enum { HEADER = 16 };
// Farther from the beginning of a block, no pointer to a part of a struct
// leads. A pointer there may be to a buffer that was freed, and whose memory is
// now a part of this block: in a loop that does the same each time, it leads
// each time to the same depth.
enum { DEEP = 512 };
// The words of a struct that are believed because an object leads to it.
enum { OWNED_WORDS = 16 };
// A slot that is a pointer in fewer than one of so many blocks is rather what
// an earlier owner has left than a field that is NULL as a rule, and the more
// so where most of what is there leads to nothing alike.
enum { RARE = 16 };

// Of one slot: how many blocks of the kind have there ...
typedef struct slot_counts {
    uint32_t pointers;
    uint32_t shapes;     // ... of those, that go with their neighbours
    uint32_t freed;      // ... that look like those of freed texts
    uint32_t beginnings; // ... to the beginning of a block
} slot_counts;

typedef struct weighing {
    lg__native *native;
    lg__key_table counts;
    slot_counts *slots;
    uint32_t *others; // [slots] neither 0 nor pointers
    uint8_t *owned;   // a bit for each block: a word of an object leads there
    uint32_t members; // blocks of the kind
    uint32_t leading; // of them, those with a word that leads to a block
    uint32_t arrays;  // of those, the ones that are arrays
    bool single_slot;
} weighing;

// What the counts say of one word.
typedef struct sight {
    uint64_t depth;
    uint32_t members;
    uint32_t filled;     // of the slot, not 0
    uint32_t pointers;   // of the slot
    uint32_t shapes;     // of those, that go with their neighbours
    uint32_t freed;      // of those, that look like addresses of freed texts
    uint32_t same;       // of those, to blocks of one kind at one depth
    uint32_t same_shown; // to blocks that show the same at one depth
    uint32_t same_depth; // to any block at one depth
    bool object;         // the block is an object's
    bool owned;          // an object's own word leads to the block
    bool doubtful;       // the block is stale, or begins with a text
    bool slack;          // ... and lies behind that text, at its end
    bool entry;          // the word points to where references point
    bool array;
    bool strided;
    bool last;    // of its block
    bool bare;    // of a block that is empty before it
    bool shape;   // its neighbours go with it,
    bool proved;  // and not by chance
    bool single;  // the block has no siblings that say anything
    bool company; // as a handle, it stands for what a table keeps for an object
} sight;

static uint32_t
slot_of(const weighing *scale, uint64_t place)
{
    return scale->single_slot ? 0 : (uint32_t)place;
}

enum { SAME = 1, SHOWN = 2, DEPTH = 3 };

// Whether a block shows its kind to words that lead there: it is known by its
// way. Such blocks have so many kinds that they show these.
static bool
shows_kind(const lg__native *native, uint32_t block)
{
    return native->refined && lg__block_is_plain(native, block);
}

static uint64_t
key_of(unsigned what, uint32_t slot, uint64_t target, uint64_t depth)
{
    return lg__native_key((uint64_t)what << 32 | slot, target, depth);
}

static bool
count_one(weighing *scale, uint64_t key)
{
    uint32_t *count =
        lg__key_table_at(&scale->native->allocator, &scale->counts, key);
    if (count != NULL)
        ++*count;
    return count != NULL;
}

// Words to what does not show its kind are the same if they show the same.
static bool
count_word(weighing *scale, uint32_t block, const lg__word *word,
           unsigned trait)
{
    const lg__native *native = scale->native;
    const uint32_t slot = slot_of(scale, word->place);
    const uint64_t depth = lg__word_direction(native, block, word);
    slot_counts *counts = &scale->slots[slot];
    counts->pointers++;
    counts->shapes += (trait & LG__SHAPE_BIT) != 0;
    counts->freed += word->freed;
    counts->beginnings += depth == 0;
    return (depth == 0 || count_one(scale, key_of(DEPTH, slot, 0, depth))) &&
           count_one(scale,
                     key_of(SHOWN, slot, lg__block_shown(native, word->target),
                            depth)) &&
           (!shows_kind(native, word->target) ||
            count_one(scale, key_of(SAME, slot,
                                    lg__kind_of(native, word->target), depth)));
}

// Counts what is neither 0 nor a pointer between two places.
static void
count_others(weighing *scale, const uint64_t *words, uint64_t from, uint64_t to)
{
    uint32_t *others = scale->others;
    uint32_t all = 0;
    if (scale->single_slot) {
        for (uint64_t place = from; place < to; place++)
            all += words[place] != 0;
        *others += all;
        return;
    }
    for (uint64_t place = from; place < to; place++)
        others[place] += words[place] != 0;
}

// Counts all words of a block.
static bool
count_block(weighing *scale, uint32_t block)
{
    const lg__native *native = scale->native;
    const lg_native_block *at = &native->memory->blocks[block];
    lg__word_walk word = lg__walk_words(native, block);
    const uint64_t *here = (const uint64_t *)(uintptr_t)lg_block_address(at);
    uint64_t place = 0;
    bool array = false;
    while (lg__word_walk_next(&word)) {
        const unsigned trait =
            lg__word_row_at(&native->words, word.number)->trait;
        count_others(scale, here, place, word.word.place);
        place = (uint64_t)word.word.place + 1;
        array = array || (trait & LG__STRIDE_MASK) != 0;
        if (!count_word(scale, block, &word.word, trait))
            return false;
    }
    count_others(scale, here, place, lg_block_bytes(at) / 8);
    scale->arrays += array;
    return true;
}

// Whether two of several siblings agree. The others may be structs farther down
// that way, which have the same size and nothing else in common.
static bool
is_of_several(const sight *word)
{
    enum { SEVERAL = 6 };
    return word->same > 1 && word->members <= SEVERAL &&
           word->depth <= HEADER && !word->last;
}

// How many words of the slot lead to blocks of one kind, or of one look.
static uint64_t
alike(const sight *word)
{
    return word->same_shown > word->same ? word->same_shown : word->same;
}

static bool
is_mostly_alike(const sight *word)
{
    return 2 * alike(word) >= word->filled;
}

// What most blocks of the kind have.
static lg_native_level
level_of_share(const sight *word)
{
    uint64_t same = word->same;
    if (is_mostly_alike(word) && word->members <= FEW) {
        if (!word->last)
            return word->depth <= HEADER ? LG_LEVEL_POINTER : LG_LEVEL_POSSIBLE;
        return word->depth <= HEADER && 2 * alike(word) >= word->members
                   ? LG_LEVEL_POSSIBLE
                   : LG_LEVEL_WEAK;
    }
    if (2 * same >= word->filled && same >= FEW) {
        bool sure =
            4 * (uint64_t)word->same_depth >= 3 * (uint64_t)word->filled;
        return 8 * same < word->members ? LG_LEVEL_POSSIBLE
               : sure                   ? LG_LEVEL_FIELD
                                        : LG_LEVEL_POINTER;
    }
    if (2 * same >= word->filled)
        return is_of_several(word) ? LG_LEVEL_POSSIBLE : LG_LEVEL_WEAK;
    if (same < FEW)
        return LG_LEVEL_LEFTOVER;
    return 20 * same >= word->filled ? LG_LEVEL_POSSIBLE : LG_LEVEL_WEAK;
}

// Whether the slot is NULL or a pointer in nearly every block, or a pointer to
// one kind beside other things, as in a union.
static bool
is_pointer_slot(const sight *word)
{
    enum { UNION = 10 };
    uint64_t shown = word->same_shown;
    uint64_t depth = word->same_depth;
    uint64_t same = word->same;
    return (shown >= FEW && 2 * shown >= word->filled &&
            50 * shown >= word->members) ||
           (depth >= FEW && 10 * depth >= 9 * (uint64_t)word->filled &&
            50 * depth >= word->members) ||
           (same >= UNION && 10 * same >= 9 * (uint64_t)word->pointers &&
            20 * same >= word->filled && word->entry);
}

static lg_native_level
at_least(lg_native_level level, lg_native_level least)
{
    return level < least ? least : level;
}

static lg_native_level
at_most(lg_native_level level, lg_native_level most)
{
    return level > most ? most : level;
}

// Words that point to no usual place of a block.
static lg_native_level
limit_by_depth(const sight *word, lg_native_level level)
{
    bool shared =
        word->array || (word->same_depth >= FEW &&
                        2 * (uint64_t)word->same_depth >= word->filled);
    if (word->depth % 8 != 0) {
        bool usual = word->same >= FEW && word->members >= FEW &&
                     2 * (uint64_t)word->same >= word->filled;
        bool tagged = word->depth < LG__TAGS;
        level =
            at_most(level, tagged && (usual || word->array) ? LG_LEVEL_POINTER
                           : usual                          ? LG_LEVEL_POSSIBLE
                                   : LG_LEVEL_LEFTOVER);
    }
    bool deep = word->depth > DEEP && !word->array;
    if (!word->entry && !word->array)
        level = at_most(level, LG_LEVEL_POINTER);
    if (!word->entry && ((word->depth > HEADER && !shared) || deep))
        level = at_most(level, LG_LEVEL_WEAK);
    return level;
}

static bool
is_usual(const sight *word)
{
    return 2 * (uint64_t)word->same >= word->filled;
}

// The interpreter clears an object before its type fills it, so its words are
// no leftovers, however few objects of the type there are, and however
// different what they lead to is.
static lg_native_level
level_in_object(const sight *word)
{
    if (word->depth % 8 != 0)
        return word->depth < LG__TAGS ? LG_LEVEL_POSSIBLE : LG_LEVEL_NONE;
    if (word->entry)
        return LG_LEVEL_VARIABLE;
    if (word->depth > DEEP)
        return LG_LEVEL_WEAK;
    return word->depth <= HEADER && is_usual(word) ? LG_LEVEL_FIELD
                                                   : LG_LEVEL_POINTER;
}

// What objects of one type lead to may differ, as what capsules have does. A
// struct to which an object leads is believed as one of a kind is, but for a
// word that is a number in most others.
static lg_native_level
level_below_object(const sight *word)
{
    const bool number =
        word->members > FEW && 2 * (uint64_t)word->pointers < word->filled;
    if (!word->owned)
        return LG_LEVEL_NONE;
    if (word->depth < LG__TAGS)
        return word->depth == 0 && !number ? LG_LEVEL_POINTER
                                           : LG_LEVEL_POSSIBLE;
    return word->depth > HEADER || word->depth % 8 != 0 ? LG_LEVEL_NONE
           : number                                     ? LG_LEVEL_POSSIBLE
                                                        : LG_LEVEL_POINTER;
}

// Numbers beside a leftover may look like the length and the room of an array,
// and what proves itself may be what an earlier owner has left. A field is like
// that in most blocks; one that proves itself in some, as what is shared with
// std::shared_ptr may lie in a block of its own.
static bool
has_shape(const sight *word)
{
    enum { SOME = 20 };
    uint64_t shapes = word->shapes;
    bool usual = (word->proved ? SOME : 2) * shapes >= word->pointers;
    return word->shape && word->depth % 8 == 0 &&
           (word->members <= FEW ||
            (2 * (uint64_t)word->pointers >= word->filled && usual));
}

static bool
is_rare(const sight *word)
{
    return RARE * (uint64_t)word->pointers < word->members;
}

static lg_native_level
level_of(const sight *word)
{
    enum { SIBLINGS = 8 };
    lg_native_level level = level_of_share(word);
    if (is_pointer_slot(word))
        level = at_least(level, LG_LEVEL_POINTER);
    if (word->array)
        level =
            at_least(level, word->strided ? LG_LEVEL_POINTER : LG_LEVEL_FIELD);
    level = limit_by_depth(word, level);
    if (word->bare)
        level = at_most(level, LG_LEVEL_POSSIBLE);
    if (word->same_depth < FEW && word->same < FEW &&
        word->filled >= SIBLINGS && !word->array)
        level = LG_LEVEL_NONE;
    level = at_least(level, level_below_object(word));
    if (word->doubtful &&
        (word->members <= FEW || 2 * (uint64_t)word->same < word->members))
        level = at_most(level, word->slack ? LG_LEVEL_LEFTOVER : LG_LEVEL_WEAK);
    if (has_shape(word))
        level = at_least(level, LG_LEVEL_POINTER);
    if (is_rare(word) && !word->array)
        level = at_most(level, is_mostly_alike(word) ? LG_LEVEL_POSSIBLE
                                                     : LG_LEVEL_WEAK);
    return word->object ? at_least(level, level_in_object(word)) : level;
}

// A pointer that is believed because there are no siblings to contradict it,
// and one that may be weak.
static bool
is_lone(const lg__native *native, uint32_t block, const lg__word *at,
        const sight *word, lg_native_level level)
{
    if (level != LG_LEVEL_POINTER || word->object || word->array)
        return false;
    return word->shape ? lg__word_may_be_weak(native, block, at) : word->single;
}

// A word may be less than one on a stack that leads to the beginning of a
// block: one that leads into the middle, or that few blocks of the kind have,
// if it is weak anyway.
static unsigned
doubt_of(const lg__native *native, uint32_t block, const lg__word *at,
         const sight *word, lg_native_level level)
{
    if (is_lone(native, block, at, word, level))
        return word->shape || lg__block_package(native, block) == 0
                   ? LG__DOUBT_LONE
                   : LG__DOUBT_BUILT;
    const bool weak = level == LG_LEVEL_WEAK;
    const bool deep = !word->entry && word->depth > HEADER;
    return (weak || level == LG_LEVEL_POINTER) && !word->array &&
                   !word->shape && (deep || (weak && is_rare(word)))
               ? LG__DOUBT_BORROWED
               : 0;
}

// The way that the kind of a block says, or NULL.
static const lg__way_kind *
way_of(const lg__native *native, uint32_t block)
{
    const lg__way_kind *ways = native->way.data;
    uint32_t kind = lg__kind_of(native, block);
    return kind < native->first_way ? NULL : &ways[kind - native->first_way];
}

// Whether a word leads from one class of a package to another.
static bool
is_among_classes(const lg__native *native, uint32_t block, uint32_t target)
{
    const uint32_t package = lg__block_package(native, block);
    return package != 0 && package == lg__block_package(native, target);
}

// Whether an object leads to a block, as it does to most of its kind. The other
// nodes of a list to which one leads are of the kind of the first, but it is
// their siblings that say what they have.
static bool
is_owned(const weighing *scale, uint32_t block)
{
    const lg__way_kind *way = way_of(scale->native, block);
    return way != NULL && (way->step & LG__STEP_OBJECT) &&
           lg__bit_is_set(scale->owned, block);
}

// All blocks of one size to which variables of a library lead have one kind,
// though the variables may have nothing in common.
static bool
is_below_variables(const lg__native *native, const lg__way_kind *way)
{
    return way != NULL && lg__kind_is_of_variables(native, way->before);
}

// Whether a block is empty before its last word. malloc gives eight bytes more
// than some structs ask for, and who clears a struct does not clear these: in a
// loop that does the same each time, an earlier owner leaves the same there
// each time.
static bool
is_bare(const lg__native *native, uint32_t block, const lg__word *word)
{
    const lg_native_block *at = &native->memory->blocks[block];
    uint64_t place = 0;
    if (lg__block_words(native, block) > 1)
        return false;
    while (place < word->place &&
           lg__word_at(lg_block_address(at) + 8 * place) == 0)
        place++;
    return place == word->place;
}

// Whether a word lies behind a text for which an allocator gives as much as the
// block has: who copies a text does not clear the rest of the block. Words in
// the text itself are no addresses, so only the last ones need a look at it.
static bool
is_behind_text_alone(const lg__native *native, uint32_t block,
                     const lg__word *word)
{
    enum { ROUNDING = 16, SMALLEST = 24 };
    const lg_native_block *at = &native->memory->blocks[block];
    return (native->mark[block] & LG__BLOCK_TEXT) &&
           (lg_block_bytes(at) <= SMALLEST ||
            (8 * (uint64_t)word->place + 8 + ROUNDING > lg_block_bytes(at) &&
             memchr((const char *)(uintptr_t)lg_block_address(at), 0,
                    lg_block_bytes(at) - ROUNDING) == NULL));
}

// Sets how many words of the slot point as a word does.
static void
look_at_siblings(const weighing *scale, const lg__word *word, uint64_t depth,
                 sight *out)
{
    const lg__native *native = scale->native;
    const uint32_t slot = slot_of(scale, word->place);
    const slot_counts *counts = &scale->slots[slot];
    out->filled = counts->pointers + scale->others[slot];
    out->pointers = counts->pointers;
    out->shapes = counts->shapes;
    out->freed = counts->freed;
    out->same_depth =
        depth == 0
            ? counts->beginnings
            : lg__key_table_find(&scale->counts, key_of(DEPTH, slot, 0, depth));
    out->same_shown = lg__key_table_find(
        &scale->counts,
        key_of(SHOWN, slot, lg__block_shown(native, word->target), depth));
    out->same =
        shows_kind(native, word->target)
            ? lg__key_table_find(
                  &scale->counts,
                  key_of(SAME, slot, lg__kind_of(native, word->target), depth))
            : out->same_shown;
}

static sight
look(const weighing *scale, uint32_t block, const lg__word *word,
     uint32_t number)
{
    const lg__native *native = scale->native;
    const uint8_t trait = lg__word_row_at(&native->words, number)->trait;
    const lg_native_block *at = &native->memory->blocks[block];
    const uint64_t depth = lg__word_depth(native, block, word);
    const lg__way_kind *way = way_of(native, block);
    const bool last = 8 * (uint64_t)word->place + 8 >= lg_block_bytes(at) &&
                      !is_among_classes(native, block, word->target);
    const bool rare = 2 * (uint64_t)scale->arrays < scale->leading &&
                      scale->leading > FEW && !scale->single_slot;
    sight out = {
        .depth = depth,
        .members = scale->members,
        .object = lg__vertex_is_clean(native, at->node),
        .owned = word->place < OWNED_WORDS && is_owned(scale, block),
        .single = scale->members <= FEW || is_below_variables(native, way),
        .company = lg__word_is_company(native, block, word),
        .doubtful = native->mark[block] & (LG__BLOCK_STALE | LG__BLOCK_TEXT),
        .slack = is_behind_text_alone(native, block, word),
        .entry = depth == lg__block_entry(native, word->target),
        .array = (trait & LG__STRIDE_MASK) && !rare,
        .strided = lg__word_stride(native, number) != 0,
        .last = last,
        .bare = last && is_bare(native, block, word),
        .shape = trait & LG__SHAPE_BIT,
        .proved =
            (trait & LG__SHAPE_BIT) && lg__word_is_proved(native, block, word),
    };
    look_at_siblings(scale, word, depth < LG__TAGS ? 0 : depth, &out);
    return out;
}

// What a table keeps for an object is the object's. A number names an entry if
// most objects of its type that have one there name entries, too. Else it is
// chance: a small number and what was left beside it.
static lg_native_level
level_of_name(const sight *word)
{
    bool usual = 2 * (uint64_t)word->pointers >= word->filled &&
                 50 * (uint64_t)word->pointers >= word->members;
    return word->company || usual ? LG_LEVEL_EXACT : LG_LEVEL_NONE;
}

// Whether a word is a field of an object that the graph lacks, and leads to a
// table of that object.
static bool
leads_to_table(const lg__native *native, uint32_t block, const lg__word *word)
{
    return (native->mark[block] & LG__BLOCK_HIDDEN) &&
           word->place < native->fields_end[lg__kind_of(native, block)] &&
           native->memory->blocks[word->target].node == LG_NONE &&
           !(native->mark[word->target] & LG__BLOCK_HIDDEN) &&
           lg__word_depth(native, block, word) == 0;
}

static void
level_block(weighing *scale, uint32_t block)
{
    lg__native *native = scale->native;
    const lg_native_block *at = &native->memory->blocks[block];
    unsigned mark = native->mark[block];
    const bool is_number = lg__block_is_number(native, block);
    lg__word_walk walk = lg__walk_words(native, block);
    while (lg__word_walk_next(&walk)) {
        const lg__word *here = &walk.word;
        sight word = look(scale, block, here, walk.number);
        bool named = lg__word_is_handle(native, block, here);
        lg_native_level level = is_number ? LG_LEVEL_POSSIBLE
                                : named   ? level_of_name(&word)
                                          : level_of(&word);
        uint32_t node = native->memory->blocks[here->target].node;
        if (leads_to_table(native, block, here))
            level = at_least(level, LG_LEVEL_FIELD);
        if (mark & LG__BLOCK_NEW)
            level = at_most(level, LG_LEVEL_LEFTOVER);
        if (here->spare || (here->freed && 2 * word.freed >= word.pointers))
            level = at_most(level, LG_LEVEL_WEAK);
        if ((mark & LG__BLOCK_GIVEN) &&
            (uint64_t)here->place + GIFT_WORDS >= lg_block_bytes(at) / 8)
            level = LG_LEVEL_NONE;
        if (node != LG_NONE && (mark & LG__BLOCK_NEW) &&
            lg__node_is_told(native, node))
            level = LG_LEVEL_NONE;
        else if (node != LG_NONE && native->told[node] == LG__TOLD_EXACTLY)
            level = LG_LEVEL_EXACT;
        uint8_t *trait = &lg__word_row_at(&native->words, walk.number)->trait;
        *trait &= LG__SHAPE_BIT | LG__STRIDE_MASK;
        *trait |= word.array ? LG__ARRAY_BIT : 0;
        lg__word_weigh(&native->words, walk.number, level,
                       doubt_of(native, block, here, &word, level));
    }
}

// Asks for memory before it is read. What is known of blocks that share their
// slots, and of their targets, lies anywhere, and the processor would wait for
// each. So it is asked, some blocks ahead, for where the words of a block are,
// then for these, and then for their targets.
enum { FIRST_AHEAD = 24, WORDS_AHEAD = 16, TARGETS_AHEAD = 8 };

static void
ask_ahead(const weighing *scale, lg__ids blocks, uint32_t left)
{
    const lg__native *native = scale->native;
    const lg_native_block *of = native->memory->blocks;
    if (left > FIRST_AHEAD) {
        uint32_t block = lg__id_at(blocks, FIRST_AHEAD);
        lg__ask(lg__compact_distance(&native->first_word, block));
        lg__ask(&of[block]);
    }
    if (left > WORDS_AHEAD) {
        uint32_t block = lg__id_at(blocks, WORDS_AHEAD);
        lg__ask(
            lg__word_row_at(&native->words, lg__words_of(native, block).first));
        lg__ask((const void *)(uintptr_t)lg_block_address(&of[block]));
    }
    if (left > TARGETS_AHEAD)
        lg__ask_for_targets(native, lg__id_at(blocks, TARGETS_AHEAD));
}

// Weighs blocks that share their slots.
static bool
weigh_together(weighing *scale, lg__ids blocks, uint32_t count, uint64_t slots)
{
    lg__native *native = scale->native;
    size_t words = 0;
    memset(scale->slots, 0, slots * sizeof *scale->slots);
    memset(scale->others, 0, slots * 4);
    scale->arrays = scale->leading = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t here = lg__block_words(native, lg__id_at(blocks, i));
        words += here;
        scale->leading += here > 0;
    }
    lg__key_table_clear(&scale->counts, 3 * words < 4096 ? 3 * words : 4096);
    for (uint32_t i = 0; i < count; i++) {
        lg__native_tick(native);
        ask_ahead(scale, lg__ids_from(blocks, i), count - i);
        if (!count_block(scale, lg__id_at(blocks, i)))
            return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        ask_ahead(scale, lg__ids_from(blocks, i), count - i);
        level_block(scale, lg__id_at(blocks, i));
    }
    return true;
}

static bool
weigh_kind(weighing *scale, lg__ids blocks, uint32_t count)
{
    uint64_t slots = 1;
    bool enough = true;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t here =
            lg_block_bytes(
                &scale->native->memory->blocks[lg__id_at(blocks, i)]) /
            8;
        slots = here > slots ? here : slots;
    }
    scale->members = count;
    scale->single_slot = slots > MOST_SLOTS;
    if (!scale->single_slot)
        return weigh_together(scale, blocks, count, slots);
    for (uint32_t i = 0; i < count && enough; i++)
        enough = weigh_together(scale, lg__ids_from(blocks, i), 1, 1);
    return enough;
}

// Whether more than a size is known of the kind of a block.
static bool
is_of_known_kind(const lg__native *native, uint32_t block)
{
    const lg__way_kind *way = way_of(native, block);
    return (way != NULL && !is_below_variables(native, way)) ||
           (native->mark[block] & LG__BLOCK_TYPED) ||
           native->memory->blocks[block].node != LG_NONE;
}

// Whether a block says something of its kind. What has no pointer where its
// siblings have one does so, too, but not what has merely the same size.
static bool
is_member(const lg__native *native, const uint8_t *leads, uint32_t block)
{
    return lg__block_words(native, block) > 0 ||
           (leads[lg__kind_of(native, block)] &&
            is_of_known_kind(native, block) &&
            !(native->mark[block] & LG__BLOCK_SILENT) &&
            lg_block_bytes(&native->memory->blocks[block]) / 8 <= MOST_SLOTS);
}

// Lists the members of each kind that has a word which leads to a block.
// first[kind + 1] is where the kind ends. Returns false when memory ran out.
// The counts stand two places ahead. So first[kind + 1] is where the members of
// a kind begin until they are put, and where they end afterwards.
static bool
sort_by_kind(lg__native *native, uint32_t *first, uint32_t kinds,
             lg__ids *sorted)
{
    uint8_t *leads = lg__native_take_zero(native, kinds, 1);
    if (leads == NULL)
        return false;
    for (uint32_t block = 0; block < native->blocks; block++)
        if (lg__block_words(native, block) > 0)
            leads[lg__kind_of(native, block)] = 1;
    for (uint32_t block = 0; block < native->blocks; block++)
        first[lg__kind_of(native, block) + 2] +=
            is_member(native, leads, block);
    for (uint32_t kind = 2; kind <= kinds + 1; kind++)
        first[kind] += first[kind - 1];
    const bool enough =
        lg__native_take_ids(native, first[kinds + 1], native->blocks, sorted);
    for (uint32_t block = 0; block < native->blocks && enough; block++)
        if (is_member(native, leads, block))
            lg__id_set(*sorted, first[lg__kind_of(native, block) + 1]++, block);
    lg__native_drop(native, leads);
    return enough;
}

static bool
weigh_all(weighing *scale, const uint32_t *first, lg__ids sorted,
          uint32_t kinds)
{
    for (uint32_t kind = 0; kind < kinds; kind++)
        if (first[kind + 1] > first[kind] &&
            !weigh_kind(scale, lg__ids_from(sorted, first[kind]),
                        first[kind + 1] - first[kind]))
            return false;
    return true;
}

static bool
find_owned(weighing *scale)
{
    lg__native *native = scale->native;
    scale->owned = lg__native_take_zero(native, native->blocks / 8 + 1, 1);
    for (uint32_t block = 0; block < native->blocks && scale->owned != NULL;
         block++) {
        if (!lg__vertex_is_clean(native, native->memory->blocks[block].node))
            continue;
        lg__word_walk at = lg__walk_words(native, block);
        while (lg__word_walk_next(&at))
            lg__bit_set(scale->owned, at.word.target);
    }
    return scale->owned != NULL;
}

bool
lg__native_weigh(lg__native *native)
{
    const lg_allocator *allocator = &native->allocator;
    const uint32_t kinds = native->first_way + (uint32_t)native->way.count;
    weighing scale = {.native = native};
    uint32_t *first = lg__native_take_zero(native, (size_t)kinds + 2, 4);
    lg__ids sorted = {.bytes = NULL};
    scale.slots = lg__native_take(native, MOST_SLOTS, sizeof *scale.slots);
    scale.others = lg__native_take(native, MOST_SLOTS, 4);
    bool enough = first != NULL &&
                  sort_by_kind(native, first, kinds, &sorted) &&
                  scale.slots != NULL && scale.others != NULL &&
                  lg__key_table_open(allocator, &scale.counts) &&
                  find_owned(&scale) && weigh_all(&scale, first, sorted, kinds);
    if (scale.counts.entries != NULL)
        lg__key_table_free(allocator, &scale.counts);
    lg__native_drop(native, scale.owned);
    lg__native_drop(native, scale.others);
    lg__native_drop(native, scale.slots);
    lg__native_drop(native, sorted.bytes);
    lg__native_drop(native, first);
    return enough;
}

// Folds blocks into groups: what one holder has in blocks of one kind. The
// holder of a block is its dominator, or the group of that. A kind among the
// next groups above is the same group, so a list is one group and a tree has as
// many as its nodes have sorts.
#include "native/native_private.h"
#include "native/row_table.h"

#include <string.h>

// A block as large as this is a group of its own.
enum { APART = 1 << 20, ABOVE = 6 };

typedef struct folding_state {
    lg__native *native;
    lg__row_table groups; // by holder and kind
    lg__row_table links;  // by ends
    lg__key_table numbers;
} folding_state;

static lg__group *
group_at(const lg__native *native, uint32_t number)
{
    return (lg__group *)native->group.data + number;
}

static uint32_t
group_above(const lg__native *native, uint32_t parent, uint32_t kind)
{
    for (int i = 0; i < ABOVE && (parent & LG__GROUP_BIT); i++) {
        const lg__group *group = group_at(native, parent & ~LG__GROUP_BIT);
        if (group->kind == kind)
            return parent & ~LG__GROUP_BIT;
        parent = group->parent;
    }
    return LG_NONE;
}

static bool
begin_group(lg__native *native, uint32_t block, uint32_t parent, uint32_t kind)
{
    enum { SHARE = 8, LEAST = 1 << 10 };
    lg__vector *groups = &native->group;
    if (groups->count == groups->capacity &&
        !lg__vector_reserve(&native->allocator, groups,
                            groups->count + groups->count / SHARE + LEAST))
        return false;
    lg__group *group = lg__vector_extend(&native->allocator, groups, 1);
    if (group == NULL || native->group.count >= LG__GROUP_BIT)
        return false;
    *group = (lg__group){.parent = parent, .kind = kind, .example = block};
    return true;
}

// Finds the group of a block, or begins one.
static bool
join_group(folding_state *folding, uint32_t block, uint32_t parent,
           uint32_t kind)
{
    lg__native *native = folding->native;
    uint64_t spent = lg__native_spent(&native->memory->blocks[block]);
    uint32_t number = group_above(native, parent, kind);
    if (number == LG_NONE && spent < APART) {
        uint32_t *known =
            lg__row_at(&native->allocator, &folding->groups, &native->group,
                       (const uint32_t[]){parent, kind});
        if (known == NULL)
            return false;
        if (*known == 0) {
            *known = (uint32_t)native->group.count + 1;
            if (!begin_group(native, block, parent, kind))
                return false;
        }
        number = *known - 1;
    } else if (number == LG_NONE) {
        number = (uint32_t)native->group.count;
        if (!begin_group(native, block, parent, kind))
            return false;
    }
    group_at(native, number)->blocks++;
    group_at(native, number)->bytes += spent;
    lg__kind_set(native, block, number);
    lg__bit_set(native->grouped, block);
    return true;
}

static bool
is_block(const lg__native *native, uint32_t vertex)
{
    return vertex >= native->nodes && vertex < native->nodes + native->blocks;
}

// Returns the end that stands for a vertex, or LG_NONE.
static uint32_t
end_of(const lg__native *native, uint32_t vertex)
{
    if (!is_block(native, vertex))
        return vertex;
    uint32_t node = native->memory->blocks[vertex - native->nodes].node;
    if (node != LG_NONE)
        return node;
    return lg__bit_is_set(native->grouped, vertex - native->nodes)
               ? lg__kind_of(native, vertex - native->nodes) | LG__GROUP_BIT
               : LG_NONE;
}

static bool
fold_held(folding_state *folding)
{
    lg__native *native = folding->native;
    for (uint32_t i = 1; i <= native->reached; i++) {
        uint32_t vertex = lg__id_at(native->order, i);
        if (is_block(native, vertex) &&
            native->memory->blocks[vertex - native->nodes].node == LG_NONE &&
            !join_group(folding, vertex - native->nodes,
                        end_of(native, lg__id_at(native->dominator, i)),
                        lg__kind_of(native, vertex - native->nodes)))
            return false;
    }
    return true;
}

// Returns the kind by which a lost block is told: that of the first object of
// its type, or of its size. 0: memory ran out.
static uint32_t
lost_kind(folding_state *folding, uint32_t block)
{
    const lg__native *native = folding->native;
    const lg_native_block *at = &native->memory->blocks[block];
    if (!(native->mark[block] & LG__BLOCK_HIDDEN))
        return lg__block_form(native, block) + 1;
    uint64_t type = lg__block_word(at, lg_block_lead(at) + 8);
    uint32_t *known = lg__key_table_at(&native->allocator, &folding->numbers,
                                       lg__native_key(type, 0, 9));
    if (known != NULL && *known == 0)
        *known = lg__block_form(native, block) + 1;
    return known != NULL ? *known : 0;
}

// Lost blocks of pymalloc without an object are the interpreter's free lists.
static bool
is_told_as_lost(const lg__native *native, uint32_t block)
{
    return lg__block_is_lost(native, block) &&
           !lg__bit_is_set(native->grouped, block) &&
           (native->memory->blocks[block].kind <= LG_ALLOCATOR_MAPPED ||
            lg__block_is_mortal_object(native, block));
}

// Lost blocks are told by size alone, or by the type of the object: whatever
// held them is gone. What a leftover leads to is told apart, as that may be no
// leftover.
static bool
fold_lost(folding_state *folding)
{
    lg__native *native = folding->native;
    bool enough = true;
    for (uint32_t block = 0; block < native->blocks && enough; block++) {
        if (!is_told_as_lost(native, block))
            continue;
        uint32_t kind = lost_kind(folding, block);
        uint32_t met = lg__bit_is_set(native->met, block);
        enough =
            kind != 0 &&
            join_group(folding, block, lg__native_lost(native), 2 * kind + met);
        if (enough)
            group_at(native, lg__kind_of(native, block))->met = met;
    }
    return enough;
}

// Marks the blocks that storages share with the objects that have them.
static uint8_t *
find_shared(const lg__native *native)
{
    const lg_graph *graph = native->graph;
    uint8_t *shared =
        lg__native_take_zero((lg__native *)native, native->blocks, 1);
    for (uint32_t node = 0; node < native->nodes && shared != NULL; node++) {
        uint64_t address = lg_columns_address(&graph->columns, node);
        if (!(lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER) ||
            address == 0)
            continue;
        uint32_t block = lg__block_find(&native->index, address);
        if (block != LG_NONE)
            shared[block] = 1;
    }
    return shared;
}

// What an object has in its own block beyond the size that its type tells, as
// those of cffi do.
static uint64_t
rest_of(const lg__native *native, uint32_t node)
{
    enum { LEAST = 512 };
    uint32_t block = lg__block_of_node(native, node);
    uint32_t type = lg_columns_type(&native->graph->columns, node);
    if (block == LG_NONE ||
        lg__type_layout(native->graph, type) != LG__LAYOUT_UNKNOWN)
        return 0;
    const lg_native_block *at = &native->memory->blocks[block];
    uint64_t own = lg_block_lead(at) + lg_node_size(native->graph, node);
    uint64_t spent = lg__native_spent(at);
    return at->kind <= LG_ALLOCATOR_MAPPED && spent >= own + LEAST ? spent - own
                                                                   : 0;
}

static bool
fold_rests(folding_state *folding)
{
    lg__native *native = folding->native;
    uint8_t *shared = find_shared(native);
    bool enough = shared != NULL;
    for (uint32_t node = 0; node < native->nodes && enough; node++) {
        uint64_t rest = rest_of(native, node);
        uint32_t block = lg__block_of_node(native, node);
        if (rest == 0 || shared[block])
            continue;
        enough = begin_group(native, block, node, lg__kind_of(native, block));
        if (!enough)
            break;
        lg__group *group = group_at(native, (uint32_t)native->group.count - 1);
        group->blocks = 1;
        group->bytes = rest;
        native->rests += rest;
    }
    lg__native_drop(native, shared);
    return enough;
}

static bool
add_link(folding_state *folding, uint32_t source, uint32_t target,
         unsigned level)
{
    lg__native *native = folding->native;
    if (source == target || source == LG_NONE || target == LG_NONE)
        return true;
    uint32_t *known =
        lg__row_at(&native->allocator, &folding->links, &native->link,
                   (const uint32_t[]){source, target});
    if (known == NULL)
        return false;
    if (*known == 0) {
        lg__link *link =
            lg__vector_extend(&native->allocator, &native->link, 1);
        if (link == NULL)
            return false;
        *known = (uint32_t)native->link.count;
        *link = (lg__link){source, target, 0};
    }
    lg__link *link = (lg__link *)native->link.data + *known - 1;
    if (link->level < level)
        link->level = level;
    return true;
}

// A pointer of an object counts as a variable does, and is a field in words. A
// number that names a block outvotes the table that has the block, too.
static unsigned
told_level(const lg__native *native, uint32_t vertex, const lg__word *word)
{
    if (vertex >= native->nodes)
        return word->level;
    if (word->handle)
        return LG_LEVEL_POSSIBLE;
    return word->level == LG_LEVEL_VARIABLE ? LG_LEVEL_FIELD : word->level;
}

static bool
link_words(folding_state *folding, uint32_t vertex)
{
    const lg__native *native = folding->native;
    uint32_t block = lg__block_of_vertex(native, vertex);
    if (block == LG_NONE)
        return true;
    lg__word_walk at = lg__walk_words(native, block);
    while (lg__word_walk_next(&at)) {
        uint32_t source = end_of(native, vertex);
        uint32_t target = lg__vertex_of(native, at.word.target);
        if (!lg__word_links(native, vertex, &at.word))
            continue;
        if (!add_link(folding, source, end_of(native, target),
                      told_level(native, vertex, &at.word)))
            return false;
        if (source != LG_NONE && target < native->nodes &&
            !(native->mark[at.word.target] & LG__BLOCK_OWN))
            native->linked[target]++;
    }
    return true;
}

static bool
link_outer(folding_state *folding)
{
    const lg__native *native = folding->native;
    const lg__outer_word *words = native->outer.data;
    for (size_t i = 0; i < native->outer.count; i++)
        if (lg__outer_counts(native, &words[i]) &&
            !add_link(folding, lg__native_holder(native, words[i].holder),
                      end_of(native, lg__vertex_of(native, words[i].target)),
                      words[i].level))
            return false;
    return true;
}

static bool
is_rest(const lg__native *native, const lg__group *group)
{
    return native->memory->blocks[group->example].node != LG_NONE;
}

// What no word leads to that counts: lost blocks, and rests.
static bool
link_parents(folding_state *folding)
{
    const lg__native *native = folding->native;
    const lg__group *groups = native->group.data;
    for (size_t i = 0; i < native->group.count; i++) {
        bool rest = is_rest(native, &groups[i]);
        if ((rest || groups[i].parent == lg__native_lost(native)) &&
            !add_link(folding, groups[i].parent, (uint32_t)i | LG__GROUP_BIT,
                      rest            ? LG_LEVEL_EXACT
                      : groups[i].met ? LG_LEVEL_LEFTOVER
                                      : LG_LEVEL_NONE))
            return false;
    }
    return true;
}

// Objects that C code has forgotten are lost as blocks are.
static bool
link_forgotten(folding_state *folding)
{
    const lg__native *native = folding->native;
    const lg_graph *graph = native->graph;
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (lg__root_is_forgotten(native, i) &&
            !add_link(folding, lg__native_lost(native), graph->root_node[i],
                      LG_LEVEL_NONE))
            return false;
    return true;
}

// Returns the object of which the i-th vertex may be a part, or LG_NONE.
static uint32_t
part_of(const lg__native *native, uint32_t i)
{
    uint32_t above = lg__id_at(native->dominator, i);
    if (!is_block(native, lg__id_at(native->order, i)))
        return LG_NONE;
    return above < native->nodes ? above
           : is_block(native, above)
               ? native->memory->blocks[above - native->nodes].node
               : LG_NONE;
}

// What malloc may have given along with a block of this size: less than a unit
// of its own, or of the system for a block that has a mapping of its own.
static uint64_t
rounding_of(const lg_native_block *block)
{
    enum { ROUNDING = 24 };
    return lg_block_bytes(block) >= LG_MALLOC_MAPPED ? LG_MALLOC_PAGE
                                                     : ROUNDING;
}

static bool
fold_parts(folding_state *folding)
{
    lg__native *native = folding->native;
    for (uint32_t i = 1; i <= native->reached; i++) {
        uint32_t node = part_of(native, i);
        uint64_t beyond = node != LG_NONE ? lg__size_beyond(native, node) : 0;
        if (beyond == 0 || beyond >= UINT32_MAX)
            continue;
        uint32_t *left = lg__key_table_at(&native->allocator, &folding->numbers,
                                          lg__native_key(node, 0, 6));
        if (left == NULL)
            return false;
        if (*left == 0)
            *left = (uint32_t)beyond + 1;
        uint32_t block = lg__id_at(native->order, i) - native->nodes;
        lg_native_block *at = &native->memory->blocks[block];
        uint64_t rest = LG__PART_UNIT * (uint64_t)(*left - 1);
        const uint64_t bytes = lg_block_bytes(at);
        if (bytes > rest + rounding_of(at) || bytes > LG__PART_SHARE * rest)
            continue;
        *left -= (uint32_t)((bytes < rest ? bytes : rest) / LG__PART_UNIT);
        at->node = node;
        native->mark[block] |= LG__BLOCK_OWN;
    }
    return true;
}

static bool
fold_all(folding_state *folding)
{
    lg__native *native = folding->native;
    native->grouped = lg__native_take_zero(native, native->blocks / 8 + 1, 1);
    if (native->grouped == NULL)
        return false;
    bool enough = fold_parts(folding);
    lg__key_table_clear(&folding->numbers, 0);
    return enough && fold_held(folding) && fold_lost(folding) &&
           fold_rests(folding);
}

// Links say nothing of dominators, and need the memory.
static bool
link_all(folding_state *folding)
{
    lg__native *native = folding->native;
    lg__native_drop(native, native->order.bytes);
    lg__native_drop(native, native->dominator.bytes);
    lg__row_table_free(&native->allocator, &folding->groups);
    lg__key_table_free(&native->allocator, &folding->numbers);
    native->linked = lg__native_take_zero(native, native->nodes, 4);
    bool enough = native->linked != NULL;
    for (uint32_t vertex = 0; vertex < native->nodes + native->blocks && enough;
         vertex++)
        enough = link_words(folding, vertex);
    return enough && link_outer(folding) && link_parents(folding) &&
           link_forgotten(folding);
}

bool
lg__native_fold(lg__native *native)
{
    folding_state folding = {.native = native,
                             .groups.key = 2 * sizeof(uint32_t),
                             .links.key = 2 * sizeof(uint32_t)};
    native->group.element = sizeof(lg__group);
    native->link.element = sizeof(lg__link);
    bool enough = lg__key_table_open(&native->allocator, &folding.numbers) &&
                  fold_all(&folding) && link_all(&folding);
    if (folding.numbers.entries != NULL)
        lg__key_table_free(&native->allocator, &folding.numbers);
    lg__row_table_free(&native->allocator, &folding.groups);
    lg__row_table_free(&native->allocator, &folding.links);
    return enough;
}

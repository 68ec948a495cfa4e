/**
 * Views own their base and two functions. A ViewFunc makes the view of a base
 * again, and a std::function undoes the view. If the view is more than new
 * strides (view_as_real, conj, nested tensors), these capture tensors.
 *
 * The captures of a std::function lie in a block of their own, whose size and
 * members are unknown. Their words distinguish a tensor, an optional tensor and
 * another std::function from data. Words that may lie behind the end, or that
 * belong to an empty optional, do not count: the tensor then stays a native
 * root.
 */
#include "bytes/torch/torch.h"

enum { WORD = sizeof(uintptr_t), WORDS = 32, BLOCKS = 256, TENSORS = 16 };

/** A block of members: a ViewFunc's, or the captures of a std::function. */
typedef struct block {
    uintptr_t address;
    bool makes; /**< it is a ViewFunc's */
} block;

typedef struct view_walk {
    lg__torch *torch;
    uint32_t node;
    block blocks[BLOCKS]; /**< a queue */
    unsigned count;
    uintptr_t tensors[TENSORS]; /**< those that are linked to the view */
    unsigned linked;
    size_t cost;
} view_walk;

/** Counts one more reference of the view to a tensor, which one edge shows. */
static bool
link_tensor(view_walk *walk, uintptr_t impl, uint32_t label)
{
    lg__torch_record *record =
        lg__is_address(impl) ? lg__torch_tensor(walk->torch, impl) : NULL;
    if (record == NULL)
        return false;
    for (unsigned i = 0; i < walk->linked; i++) {
        if (walk->tensors[i] != impl)
            continue;
        record->found++;
        return true;
    }
    if (walk->linked < TENSORS)
        walk->tensors[walk->linked++] = impl;
    lg__torch_link(walk->torch, walk->node, record, label);
    return true;
}

static void
push(view_walk *walk, uintptr_t address, bool makes)
{
    if (walk->count < BLOCKS && lg__is_address(address))
        walk->blocks[walk->count++] = (block){address, makes};
}

static bool
push_view_function(view_walk *walk, uintptr_t address)
{
    const lg__torch_class *class =
        lg__is_address(address) ? lg__torch_class_of(walk->torch, address)
                                : NULL;
    if (class == NULL || class->kind != LG__TORCH_VIEW)
        return false;
    push(walk, address, true);
    return true;
}

/** Returns whether a word is the address of code of PyTorch. */
static bool
is_code(const lg__torch *torch, uintptr_t word)
{
    uintptr_t known = torch->layout->inverse_code;
    uintptr_t away = word < known ? known - word : word - known;
    return away < (uintptr_t)1 << 30;
}

/** A std::function: the block of its captures, a word without use, and the
 *  addresses of two functions. */
static bool
push_function(view_walk *walk, const uintptr_t *words, size_t count)
{
    if (count < 4 || !is_code(walk->torch, words[2]) ||
        !is_code(walk->torch, words[3]))
        return false;
    push(walk, words[0], false);
    return true;
}

/** Returns whether a word that looks like a tensor may be the remains of one.
 *  The byte after an optional tensor says whether it is empty. */
static bool
is_empty(const uintptr_t *word)
{
    return (word[1] & 0xff) == 0 && !lg__is_address(word[1]);
}

/** A vector of numbers: the size of its block, or 0. */
static size_t
cost_of_numbers(lg__torch *torch, const uintptr_t *words, size_t count)
{
    if (count < 3 || !lg__is_address(words[0]) || words[1] <= words[0] ||
        words[2] < words[1] || words[2] - words[0] > 4096)
        return 0;
    return lg__memory_block(torch->memory, words[0]);
}

/** Walks the members between two words of a block. */
static void
walk_words(view_walk *walk, const uintptr_t *words, size_t at, size_t end,
           uint32_t label)
{
    while (at < end) {
        size_t numbers = cost_of_numbers(walk->torch, words + at, end - at);
        walk->cost += numbers;
        if (numbers)
            at += 3;
        else if (push_function(walk, words + at, end - at))
            at += 4;
        else if (at + 1 < end && !is_empty(words + at))
            link_tensor(walk, words[at++], label);
        else
            at++;
    }
}

/** A block that has captured only a tensor uses 24 bytes; any other block is
 *  full except for its last word. */
static void
walk_block(view_walk *walk, const block *next)
{
    lg__torch *torch = walk->torch;
    uintptr_t words[WORDS];
    size_t size = lg__memory_block(torch->memory, next->address);
    size_t count = size / WORD > 0 ? size / WORD - 1 : 0;
    uint32_t label =
        next->makes ? torch->names.make_view : torch->names.undo_view;
    if (count > WORDS)
        count = WORDS;
    if (count < 3 ||
        !lg__memory_copy(torch->memory, next->address, words, count * WORD))
        return;
    walk->cost += size;
    if (!next->makes) {
        bool tensor = link_tensor(walk, words[0], label);
        walk_words(walk, words, tensor, count > 3 ? count : 0, label);
    } else if (lg__torch_class_of(torch, next->address)->chained) {
        push_view_function(walk, words[1]);
        push_view_function(walk, words[2]);
    } else if (count > 3) {
        walk_words(walk, words, 1, count, label);
    }
}

static bool
has_base(lg__torch *torch, uintptr_t meta, size_t size)
{
    unsigned char flag = 0;
    return size >= torch->layout->meta_base + (size_t)WORD &&
           lg__memory_copy(torch->memory, meta + torch->layout->meta_base_set,
                           &flag, 1) &&
           flag == 1;
}

size_t
lg__torch_link_view(lg__torch *torch, uintptr_t meta, size_t size,
                    uint32_t node)
{
    const lg__torch_layout *layout = torch->layout;
    uintptr_t inverse[4];
    view_walk walk = {.torch = torch, .node = node};
    if (!has_base(torch, meta, size))
        return 0;
    link_tensor(&walk, lg__memory_word(torch->memory, meta + layout->meta_base),
                torch->names.base);
    if (!layout->meta_inverse || size < layout->meta_inverse + sizeof inverse ||
        !lg__memory_copy(torch->memory, meta + layout->meta_inverse, inverse,
                         sizeof inverse))
        return 0;
    push_function(&walk, inverse, 4);
    push_view_function(
        &walk,
        lg__memory_word(torch->memory, meta + layout->meta_inverse - WORD));
    for (unsigned i = 0; i < walk.count; i++)
        walk_block(&walk, &walk.blocks[i]);
    return walk.cost;
}

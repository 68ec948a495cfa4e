/**
 * Objects of PyTorch that keep tensors behind classes without a layout that the
 * pass knows, such as the buckets of DistributedDataParallel. The search goes
 * from block to block of malloc by their words, and links the tensors that it
 * meets.
 *
 * It does not enter what many such objects share: types, and the units that
 * PyTorch compiles code into. It enters a block once. Blocks may have stale
 * words, so a search waits until all tensors that the pass meets otherwise have
 * their storages, and the object is charged with no block.
 *
 * What a scripted module itself owns is in torch_script.c, and compiled code in
 * torch_code.c.
 */
#include "bytes/torch/torch_bound.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WORD = sizeof(uintptr_t),
    BLOCKS = 1 << 14, /**< the most blocks of one object */
    SCANNED = 4096,   /**< the most bytes of a block that may lead on */
};

enum { UNKNOWN = LG__TORCH_BOUND_TYPES, WAITING, RULES };

/** How many blocks deep to search. */
static const uint8_t depths[RULES] = {
    [LG__TORCH_BOUND_OBJECT] = 9,
    /* The reducer, a vector of buckets, their tensors and vectors of such. */
    [LG__TORCH_BOUND_REDUCER] = 3,
    /* The object, its vectors of tensors, the tensors. */
    [LG__TORCH_BOUND_WORK] = 3,
    /* A scripted module, down to the tensors of its submodules. */
    [UNKNOWN] = 9,
    /* A vector of functions, what each captured, what that owns. */
    [WAITING] = 3,
};

typedef struct bound_walk {
    lg__torch *torch;
    uint32_t node;
    uint32_t label;
    uint32_t count;
    uint8_t depth; /**< depth of the block whose words are followed */
    uint8_t limit;
} bound_walk;

/** The tensor or TorchScript object at an address. NULL if there is no block of
 *  malloc, or a former object that has no owner, or if the pass has met all
 *  owners elsewhere, so that the word is stale. If two searches meet an object,
 *  both may own it, so neither alone retains it. */
static lg__torch_record *
owned_at(lg__torch *torch, uintptr_t address)
{
    uintptr_t count = lg__memory_word(torch->memory, address + WORD);
    if ((count & UINT32_MAX) == 0 || lg__torch_block_at(torch, address) == 0)
        return NULL;
    lg__torch_record *record = lg__torch_tensor(torch, address);
    if (record == NULL)
        record = lg__torch_script(torch, address);
    return record != NULL &&
                   (record->found < record->owners || record->bound != LG_NONE)
               ? record
               : NULL;
}

lg__torch_record *
lg__torch_link_owned(lg__torch *torch, uint32_t source, uintptr_t address,
                     uint32_t label)
{
    lg__torch_record *record = owned_at(torch, address);
    if (record != NULL)
        lg__torch_link_member(torch, source, record, label);
    return record;
}

static bool
is_class(lg__torch *torch, uintptr_t address)
{
    uintptr_t meta = lg__is_address(address)
                         ? lg__memory_word(torch->memory, address + WORD)
                         : 0;
    return lg__is_address(meta) &&
           (lg__memory_word(torch->memory,
                            meta + offsetof(PyTypeObject, tp_flags)) &
            Py_TPFLAGS_TYPE_SUBCLASS) != 0;
}

static bool
is_object(lg__torch *torch, uintptr_t address)
{
    return is_class(torch, lg__memory_word(torch->memory, address + WORD));
}

/** Links a tensor. One edge shows it, however often the object owns it. */
static void
link_tensor(bound_walk *walk, uintptr_t impl)
{
    lg__torch_record *record = owned_at(walk->torch, impl);
    if (record == NULL)
        return;
    if (record->bound == walk->node)
        record->found++;
    else
        lg__torch_link_member(walk->torch, walk->node, record, walk->label);
    record->bound = walk->node;
}

/** Returns whether objects of this class have a node of their own, because
 *  several others may share them: those of TorchScript where the pass knows
 *  their layout, and packed weights. */
static bool
has_node(const lg__torch *torch, const lg__torch_class *class)
{
    if (class->kind == LG__TORCH_CUSTOM)
        return class->packed != LG__TORCH_PACKED_NONE;
    return class->kind >= LG__TORCH_OBJECT && torch->layout->script.known;
}

static void
link_script(bound_walk *walk, uintptr_t address)
{
    lg__torch_record *record =
        lg__torch_link_owned(walk->torch, walk->node, address, walk->label);
    if (record != NULL)
        record->bound = walk->node;
}

/** Whether the search enters objects of this class. */
static bool
is_entered(const lg__torch_class *class)
{
    return !class->shared &&
           (class->kind == LG__TORCH_OTHER || class->kind >= LG__TORCH_OBJECT);
}

/** Links a tensor or an object that has a node of its own. Returns whether the
 *  search goes on from the word. */
static bool
leads_on(bound_walk *walk, uintptr_t word)
{
    lg__torch *torch = walk->torch;
    const lg__torch_class *class = lg__torch_class_of(torch, word);
    if (class != NULL && class->kind == LG__TORCH_IMPL)
        link_tensor(walk, word);
    if (class != NULL && class->kind == LG__TORCH_GUARD)
        lg__torch_hold_member(
            torch, walk->node,
            lg__memory_word(torch->memory, word + LG__TORCH_COUNTS),
            walk->label);
    if (class != NULL && has_node(torch, class)) {
        link_script(walk, word);
        return false;
    }
    return (class == NULL || is_entered(class)) &&
           lg__pass_known(torch->pass, (void *)word) == LG_NONE &&
           !is_object(torch, word);
}

/** `bytes` says how many of the block the object uses; SIZE_MAX: all. */
static void
follow(bound_walk *walk, uintptr_t word, size_t bytes)
{
    if (!lg__is_address(word) || !leads_on(walk, word) ||
        walk->depth == walk->limit || walk->count == BLOCKS)
        return;
    size_t size = lg__torch_block_at(walk->torch, word);
    if (size == 0 || !lg__torch_first(walk->torch, word))
        return;
    size = size - WORD < bytes ? size - WORD : bytes;
    walk->torch->bound_blocks[walk->count++] =
        (lg__torch_block){word, size, (uint8_t)(walk->depth + 1)};
}

static void
scan(bound_walk *walk, const lg__torch_block *block)
{
    uintptr_t words[SCANNED / WORD];
    size_t some =
        (block->size < sizeof words ? block->size : sizeof words) / WORD;
    if (!lg__memory_copy(walk->torch->memory, block->address, words,
                         some * WORD))
        return;
    for (size_t i = 0; i < some; i++) {
        bool vector =
            i + 3 <= some && lg__torch_is_vector(walk->torch, words + i);
        follow(walk, words[i], vector ? words[i + 1] - words[i] : SIZE_MAX);
        i += vector ? 2 : 0;
    }
}

static void
search(lg__torch *torch, const lg__torch_search *wanted)
{
    bound_walk walk = {
        .torch = torch,
        .node = wanted->node,
        .limit = depths[wanted->rule],
        .label = lg__torch_intern(torch, "C++ member"),
    };
    if (torch->bound_blocks == NULL)
        torch->bound_blocks =
            lg__pass_keep(torch->pass, BLOCKS * sizeof *torch->bound_blocks);
    if (torch->bound_blocks == NULL)
        return;
    follow(&walk, wanted->address, SIZE_MAX);
    for (uint32_t i = 0; i < walk.count; i++) {
        walk.depth = torch->bound_blocks[i].depth;
        scan(&walk, &torch->bound_blocks[i]);
    }
}

bool
lg__torch_run_search(lg__torch *torch)
{
    const lg__torch_search *wanted = torch->first_search;
    if (wanted == NULL)
        return false;
    torch->first_search = wanted->next;
    search(torch, wanted);
    return true;
}

static void
put_off(lg__torch *torch, uintptr_t address, uint32_t node, unsigned how)
{
    lg__torch_search *wanted = lg__pass_keep(torch->pass, sizeof *wanted);
    if (wanted == NULL)
        return;
    *wanted = (lg__torch_search){address, node, how, NULL};
    if (torch->first_search == NULL)
        torch->first_search = wanted;
    else
        torch->last_search->next = wanted;
    torch->last_search = wanted;
}

/** The state of a generator is in its block. */
static void
walk_generator(lg__torch *torch, uintptr_t generator, uint32_t node)
{
    const lg__torch_class *class = lg__torch_class_of(torch, generator);
    if (class != NULL && class->kind == LG__TORCH_GENERATOR &&
        lg__torch_first(torch, generator))
        lg__pass_add_size(torch->pass, node,
                          (int64_t)lg__memory_block(torch->memory, generator));
}

/** A ScriptObject has the address of the object of TorchScript alone: the rest
 *  of its block is old data. */
static void
search_object(lg__torch *torch, uintptr_t value, uint32_t node)
{
    lg__pass_add_size(torch->pass, node,
                      (int64_t)lg__memory_block(torch->memory, value));
    put_off(torch, lg__memory_word(torch->memory, value), node,
            LG__TORCH_BOUND_OBJECT);
}

static void
walk_graph(lg__torch *torch, uintptr_t graph, uint32_t node)
{
    if (lg__torch_knows_code(torch, node))
        lg__torch_walk_code(torch, graph, node);
}

/** torch.jit makes a class for each module that it traces, and nothing but what
 *  it knows of the class keeps that. */
static void
walk_concrete(lg__torch *torch, uintptr_t value, uint32_t node)
{
    uint16_t at = torch->layout->concrete_class;
    uintptr_t class = at != 0 ? lg__memory_word(torch->memory, value + at) : 0;
    if (is_class(torch, class) &&
        lg__pass_known(torch->pass, (void *)class) != LG_NONE)
        lg__torch_hold(torch, node, class, lg__torch_intern(torch, "py_class"));
}

/** The objects of Python begin with the address of the C++ object. */
void
lg__torch_walk_bound(lg__torch *torch, PyObject *object, uint32_t node)
{
    unsigned how = lg__torch_bound_of(torch, Py_TYPE(object));
    uintptr_t value;
    memcpy(&value, object + 1, sizeof value);
    if (!lg__is_address(value))
        return;
    if (how == LG__TORCH_BOUND_OBJECT)
        search_object(torch, value, node);
    else if (how == LG__TORCH_BOUND_UNIT)
        lg__torch_link_unit(torch, node, value - LG__TORCH_COUNTS);
    else if (how == LG__TORCH_BOUND_FUNCTION)
        lg__torch_link_unit(torch, node,
                            lg__memory_word(torch->memory, value + WORD));
    else if (how == LG__TORCH_BOUND_GRAPH)
        walk_graph(torch, value, node);
    else if (how == LG__TORCH_BOUND_GENERATOR)
        walk_generator(torch, value, node);
    else if (how == LG__TORCH_BOUND_CONCRETE)
        walk_concrete(torch, value, node);
    else
        put_off(torch, value, node, how);
}

void
lg__torch_search_unknown(lg__torch *torch, uintptr_t address, uint32_t node)
{
    put_off(torch, address, node, UNKNOWN);
}

void
lg__torch_search_waiting(lg__torch *torch, uintptr_t address, uint32_t node)
{
    put_off(torch, address, node, WAITING);
}

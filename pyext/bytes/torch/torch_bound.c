/**
 * Objects of PyTorch that keep memory behind classes without a layout that the
 * pass knows: packed weights, and the buckets of
 * DistributedDataParallel. The search goes from block to block of malloc by
 * their words, and links the tensors that it meets. Packed weights are no
 * tensors: there the blocks themselves count.
 *
 * It does not enter what many such objects share: types, and the units that
 * PyTorch compiles code into. It enters a block once, so what two objects share
 * is charged to the one that the pass meets first. Blocks may have stale words,
 * so a search waits until the tensors that the pass meets by other ways have
 * their storages.
 *
 * Compiled code is not searched: PyTorch keeps it until the process ends, so
 * deleting a module or a function frees no constant of its code. What the
 * module itself owns is in torch_script.c.
 */
#include "bytes/torch/torch.h"

#include <leakgraph/text.h>

#include <stddef.h>
#include <stdio.h>

enum {
    WORD = sizeof(uintptr_t),
    BLOCKS = 1 << 14, /**< of one object */
    SCANNED = 4096,   /**< bytes of a block that may lead on */
    LARGE = 16 << 10, /**< a block of so many bytes is a buffer */
};

/** How to search what kind of object. */
typedef struct rule {
    bool counts; /**< blocks are the object's own */
    uint8_t depth;
} rule;

enum { UNKNOWN = LG_TORCH_BOUND_TYPES };

static const rule rules[LG_TORCH_BOUND_TYPES + 1] = {
    [LG_TORCH_BOUND_OBJECT] = {true, 9},
    /* The reducer, a vector of buckets, their tensors and vectors of such. */
    [LG_TORCH_BOUND_REDUCER] = {false, 3},
    /* A scripted module, down to the tensors of its submodules. */
    [UNKNOWN] = {false, 9},
};

typedef struct bound_walk {
    lg_torch *torch;
    const rule *rule;
    uint32_t node;
    uint32_t label;
    uint32_t count;
    uint8_t depth;  /**< of the block whose words are followed */
    uint64_t small; /**< bytes of the blocks that are no buffers */
    uint64_t large;
} bound_walk;

/** Whether what malloc has before the block agrees: a block that it says is
 *  free ends where this one begins. When malloc frees a block and joins it with
 *  that one, the header of this one stays as it was. */
static bool
fits_before(lg_torch *torch, uintptr_t address)
{
    if (lg_memory_word(torch->memory, address - WORD) & 1)
        return true;
    uintptr_t size = lg_memory_word(torch->memory, address - 2 * WORD);
    uintptr_t header = address - size - WORD;
    return size % 16 == 0 && size < address &&
           (lg_memory_word(torch->memory, header) & ~(uintptr_t)7) == size;
}

/** The bytes of a block, if what malloc has around it agrees; 0 for all else,
 *  such as an address inside a block. */
static size_t
block_at(lg_torch *torch, uintptr_t address)
{
    size_t size = lg_memory_block(torch->memory, address);
    if (size == 0 || !lg_memory_knows_malloc(torch->memory))
        return 0;
    if (lg_memory_word(torch->memory, address - WORD) & 2) {
        /* A mapping of its own; the padding is before it. */
        uintptr_t padding = lg_memory_word(torch->memory, address - 2 * WORD);
        uintptr_t start = address - 2 * WORD - padding;
        return size % LG_PAGE == 0 && start % LG_PAGE == 0 ? size : 0;
    }
    uintptr_t next = lg_memory_word(torch->memory, address + size - WORD);
    size_t next_size = next & ~(uintptr_t)7;
    bool fits = next & 1 && next_size >= 32 && next_size % 16 == 0;
    return fits && next_size >> 40 == 0 && fits_before(torch, address) ? size
                                                                       : 0;
}

static bool
is_object(lg_torch *torch, uintptr_t address)
{
    uintptr_t type = lg_memory_word(torch->memory, address + WORD);
    uintptr_t meta =
        lg_is_address(type) ? lg_memory_word(torch->memory, type + WORD) : 0;
    return lg_is_address(meta) &&
           (lg_memory_word(torch->memory,
                           meta + offsetof(PyTypeObject, tp_flags)) &
            Py_TPFLAGS_TYPE_SUBCLASS) != 0;
}

/** Links a tensor. One edge shows it, however often the object owns it. */
static void
link_tensor(bound_walk *walk, uintptr_t impl)
{
    lg_torch_record *record = lg_torch_tensor(walk->torch, impl);
    if (record == NULL)
        return;
    if (record->bound == walk->node)
        record->found++;
    else
        lg_torch_link_member(walk->torch, walk->node, record, walk->label);
    record->bound = walk->node;
}

/** Links an object of TorchScript, which has a node of its own where the pass
 *  knows its layout: several objects may share it. */
static bool
link_script(bound_walk *walk, uintptr_t address)
{
    if (!walk->torch->layout->script.known)
        return false;
    lg_torch_record *record = lg_torch_script(walk->torch, address);
    if (record != NULL)
        lg_torch_link_member(walk->torch, walk->node, record, walk->label);
    return true;
}

/** Links a tensor; what has a node, a layout or many owners is left to others.
 *  Returns whether the word leads further. */
static bool
leads_on(bound_walk *walk, uintptr_t word)
{
    lg_torch *torch = walk->torch;
    const lg_torch_class *class = lg_torch_class_of(torch, word);
    if (class != NULL && class->kind == LG_TORCH_IMPL)
        link_tensor(walk, word);
    if (class != NULL && class->kind >= LG_TORCH_OBJECT)
        return !link_script(walk, word);
    if (class != NULL && (class->kind != LG_TORCH_OTHER || class->shared))
        return false;
    return lg_pass_known(torch->pass, (void *)word) == LG_NONE &&
           !is_object(torch, word);
}

static void
hold_buffer(bound_walk *walk, uintptr_t address, size_t size)
{
    const lg_span span = {
        .holder = walk->node,
        .address = address,
        .length = size - WORD,
        .extra = WORD,
        .type = walk->torch->storage_type,
        .label = walk->label,
        .flags = LG_SPAN_OWNER,
    };
    lg_builder_add_span(walk->torch->builder, &span);
}

static void
count(bound_walk *walk, uintptr_t address, size_t size)
{
    if (size >= LARGE) {
        hold_buffer(walk, address, size);
        walk->large += size;
    } else {
        walk->small += size;
    }
}

static void
follow(bound_walk *walk, uintptr_t word)
{
    if (!lg_is_address(word) || !leads_on(walk, word) ||
        walk->depth == walk->rule->depth || walk->count == BLOCKS)
        return;
    size_t size = block_at(walk->torch, word);
    if (size == 0 || !lg_torch_first(walk->torch, word))
        return;
    if (walk->rule->counts)
        count(walk, word, size);
    walk->torch->bound_blocks[walk->count++] =
        (lg_torch_block){word, (uint8_t)(walk->depth + 1)};
}

static void
scan(bound_walk *walk, uintptr_t address)
{
    uintptr_t words[SCANNED / WORD];
    size_t size = lg_memory_block(walk->torch->memory, address) - WORD;
    size_t some = (size < sizeof words ? size : sizeof words) / WORD;
    if (!lg_memory_copy(walk->torch->memory, address, words, some * WORD))
        return;
    for (size_t i = 0; i < some; i++)
        follow(walk, words[i]);
}

/** Says so where there is much: the pass cannot know what else is there. */
static void
note_bytes(const bound_walk *walk)
{
    char number[32], text[64];
    uint64_t bytes = walk->small + walk->large;
    if (bytes < LARGE)
        return;
    snprintf(number, sizeof number, "%.2f", (double)bytes / (1 << 20));
    lg_number_point(number);
    snprintf(text, sizeof text, "at least %s MiB", number);
    lg_builder_add_fact(walk->torch->builder, walk->node, "memory in C++", text,
                        strlen(text));
}

static void
search(lg_torch *torch, const lg_torch_search *wanted)
{
    bound_walk walk = {
        .torch = torch,
        .rule = &rules[wanted->rule],
        .node = wanted->node,
        .label = lg_torch_intern(torch, "C++ member"),
    };
    if (torch->bound_blocks == NULL)
        torch->bound_blocks =
            lg_pass_keep(torch->pass, BLOCKS * sizeof *torch->bound_blocks);
    if (torch->bound_blocks == NULL)
        return;
    follow(&walk, wanted->address);
    for (uint32_t i = 0; i < walk.count; i++) {
        walk.depth = torch->bound_blocks[i].depth;
        scan(&walk, torch->bound_blocks[i].address);
    }
    lg_pass_add_size(torch->pass, wanted->node, (int64_t)walk.small);
    note_bytes(&walk);
}

bool
lg_torch_run_search(lg_torch *torch)
{
    const lg_torch_search *wanted = torch->first_search;
    if (wanted == NULL)
        return false;
    torch->first_search = wanted->next;
    search(torch, wanted);
    return true;
}

static void
put_off(lg_torch *torch, uintptr_t address, uint32_t node, unsigned how)
{
    lg_torch_search *wanted = lg_pass_keep(torch->pass, sizeof *wanted);
    if (wanted == NULL)
        return;
    *wanted = (lg_torch_search){address, node, how, NULL};
    if (torch->first_search == NULL)
        torch->first_search = wanted;
    else
        torch->last_search->next = wanted;
    torch->last_search = wanted;
}

/** pybind11's instances begin with the address of the C++ object. Where that is
 *  nothing but the address of an object of TorchScript, the rest of its block
 *  is what malloc has left there. */
void
lg_torch_walk_bound(lg_torch *torch, PyObject *object, uint32_t node)
{
    unsigned how = lg_torch_bound_of(torch, Py_TYPE(object));
    uintptr_t value;
    memcpy(&value, object + 1, sizeof value);
    if (how == LG_TORCH_BOUND_OBJECT && lg_is_address(value)) {
        lg_pass_add_size(torch->pass, node,
                         (int64_t)lg_memory_block(torch->memory, value));
        value = lg_memory_word(torch->memory, value);
    }
    put_off(torch, value, node, how);
}

void
lg_torch_search_bound(lg_torch *torch, uintptr_t address, uint32_t node)
{
    put_off(torch, address, node, LG_TORCH_BOUND_OBJECT);
}

void
lg_torch_search_unknown(lg_torch *torch, uintptr_t address, uint32_t node)
{
    put_off(torch, address, node, UNKNOWN);
}

/**
 * Objects of PyTorch that keep tensors behind classes without a layout that the
 * pass knows, such as the buckets of DistributedDataParallel. The search goes
 * from block to block of malloc, which it recognises by the words around them,
 * and links the tensors that it meets.
 *
 * It does not enter what many such objects share: types, and the units that
 * PyTorch compiles code into. It enters a block once. Blocks may have stale
 * words, so a search waits until all tensors that the pass meets otherwise have
 * their storages, and the object is charged with no block.
 *
 * What a scripted module itself owns is in torch_script.c. Compiled code has a
 * layout that is known, so a walk of its own takes it.
 */
#include "bytes/torch/torch.h"
#include "bytes/torch/torch_bound.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WORD = sizeof(uintptr_t),
    BLOCKS = 1 << 14, /**< the most blocks of one object */
    SCANNED = 4096,   /**< the most bytes of a block that may lead on */
};

/** Whether the words before the block agree: if they say that the previous
 *  block is free, it ends where this one begins. The header alone proves
 *  nothing, because malloc leaves it when it joins a freed block with the
 *  previous one. */
static bool
fits_before(lg__torch *torch, uintptr_t address)
{
    if (lg__memory_word(torch->memory, address - WORD) & 1)
        return true;
    uintptr_t size = lg__memory_word(torch->memory, address - 2 * WORD);
    uintptr_t header = address - size - WORD;
    return size % 16 == 0 && size < address &&
           (lg__memory_word(torch->memory, header) & ~(uintptr_t)7) == size;
}

size_t
lg__torch_block_at(lg__torch *torch, uintptr_t address)
{
    size_t size =
        lg__is_address(address) ? lg__memory_block(torch->memory, address) : 0;
    if (size == 0 || !lg__memory_knows_malloc(torch->memory))
        return 0;
    if (lg__memory_word(torch->memory, address - WORD) & 2) {
        /* The block is a mapping of its own, with padding before it. */
        uintptr_t padding = lg__memory_word(torch->memory, address - 2 * WORD);
        uintptr_t start = address - 2 * WORD - padding;
        return size % LG__PAGE == 0 && start % LG__PAGE == 0 ? size : 0;
    }
    uintptr_t next = lg__memory_word(torch->memory, address + size - WORD);
    size_t next_size = next & ~(uintptr_t)7;
    bool fits = next & 1 && next_size >= 32 && next_size % 16 == 0;
    return fits && next_size >> 40 == 0 && fits_before(torch, address) ? size
                                                                       : 0;
}

bool
lg__torch_block_fits(lg__torch *torch, uintptr_t address, uint64_t bytes)
{
    enum { ALIGNED = 64, MAPPED = 2 * LG__PAGE };
    size_t size = lg__torch_block_at(torch, address);
    if (size == 0 || bytes == 0 || size - WORD < bytes)
        return false;
    bool mapped = lg__memory_word(torch->memory, address - WORD) & 2;
    return size - bytes <= (mapped ? MAPPED : ALIGNED);
}

bool
lg__torch_is_vector(lg__torch *torch, const uintptr_t *words)
{
    return words[1] >= words[0] && words[2] >= words[1] &&
           lg__torch_block_fits(torch, words[0], words[2] - words[0]);
}

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

/**
 * Graphs of compiled code. A graph lists its nodes, also those of the blocks in
 * it. A node has a vector of attributes: a constant's tensor, list or object of
 * TorchScript, or another graph. All of these belong to the unit that owns the
 * code. Several units may share a constant, so none of them alone retains it.
 */

enum {
    NODES = 1 << 24,
    VALUES = 1 << 20, /**< the most attributes of a node, or values of one */
};

/** A unit, and the graphs that the walk has met in it. */
typedef struct code_walk {
    lg__torch *torch;
    uint32_t unit;
    uint32_t label;
    lg__torch_search *first; /**< graphs that wait */
} code_walk;

/** Links a constant. One edge shows it, however many owners in the unit it
 *  has. */
static void
link_constant(const code_walk *walk, lg__torch_record *record)
{
    if (record == NULL)
        return;
    if (record->bound == walk->unit)
        record->found++;
    else
        lg__torch_link_member(walk->torch, walk->unit, record, walk->label);
    record->bound = walk->unit;
}

/** A graph waits, so nothing recurses. It is walked once for each unit. */
static void
add_graph(code_walk *walk, uintptr_t graph)
{
    lg__torch *torch = walk->torch;
    lg__torch_slot *slot =
        lg__is_address(graph)
            ? lg__torch_slot_of(torch->pass, &torch->graphs, graph)
            : NULL;
    lg__torch_search *wanted = slot != NULL ? slot->value : NULL;
    if (slot == NULL || (wanted != NULL && wanted->node == walk->unit))
        return;
    if (wanted == NULL) {
        wanted = lg__pass_keep(torch->pass, sizeof *wanted);
        if (wanted == NULL)
            return;
        lg__torch_fill(&torch->graphs, slot, graph, wanted);
    }
    *wanted = (lg__torch_search){graph, walk->unit, 0, walk->first};
    walk->first = wanted;
}

static void
link_value(code_walk *walk, uintptr_t at)
{
    lg__torch_value value;
    if (lg__memory_copy(walk->torch->memory, at, &value, sizeof value))
        link_constant(walk, lg__torch_value_record(walk->torch, &value));
}

static void
link_held_tensor(code_walk *walk, uintptr_t at)
{
    uintptr_t impl = lg__memory_word(walk->torch->memory, at);
    if (lg__is_address(impl))
        link_constant(walk, lg__torch_tensor(walk->torch, impl));
}

static void
link_graph(code_walk *walk, uintptr_t at)
{
    add_graph(walk, lg__memory_word(walk->torch->memory, at));
}

/** Does that for each element of a vector. */
static void
each(code_walk *walk, uintptr_t vector, size_t size,
     void (*act)(code_walk *, uintptr_t))
{
    uintptr_t ends[2];
    if (!lg__memory_copy(walk->torch->memory, vector, ends, sizeof ends) ||
        ends[1] < ends[0] || (ends[1] - ends[0]) / size > VALUES)
        return;
    for (; ends[0] < ends[1]; ends[0] += size)
        act(walk, ends[0]);
}

static void
walk_attribute(code_walk *walk, uintptr_t at)
{
    uintptr_t attribute = lg__memory_word(walk->torch->memory, at);
    uintptr_t value = attribute + LG__TORCH_SYMBOL;
    const lg__torch_class *class =
        lg__is_address(attribute) ? lg__torch_class_of(walk->torch, attribute)
                                  : NULL;
    lg__torch_attribute is =
        class != NULL ? class->attribute : LG__TORCH_ATTRIBUTE_NONE;
    if (is == LG__TORCH_ATTRIBUTE_TENSOR)
        link_held_tensor(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_TENSORS)
        each(walk, value, WORD, link_held_tensor);
    else if (is == LG__TORCH_ATTRIBUTE_VALUE)
        link_value(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_GRAPH)
        link_graph(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_GRAPHS)
        each(walk, value, 2 * WORD, link_graph);
}

/** Each row of the list has the address of the next, and a node. */
static void
enter_graph(code_walk *walk, uintptr_t graph)
{
    const lg__torch_code_layout *layout = &walk->torch->layout->code;
    lg__memory *memory = walk->torch->memory;
    uintptr_t row = lg__memory_word(memory, graph + layout->nodes);
    for (size_t i = 0; i < NODES && lg__is_address(row); i++) {
        uintptr_t node = lg__memory_word(memory, row + WORD);
        if (lg__is_address(node))
            each(walk, node + layout->attributes, WORD, walk_attribute);
        row = lg__memory_word(memory, row);
    }
}

/** Adds the constants of a graph of compiled code, and of the graphs in it, to
 *  the unit that owns it. */
static void
torch_walk_code(lg__torch *torch, uintptr_t graph, uint32_t unit)
{
    code_walk walk = {torch, unit, lg__torch_intern(torch, "C++ member"), NULL};
    add_graph(&walk, graph);
    while (walk.first != NULL) {
        uintptr_t next = walk.first->address;
        walk.first = walk.first->next;
        enter_graph(&walk, next);
    }
}

/**
 * Units of compiled code. A unit owns all functions that TorchScript compiled
 * into it, and their constants. All modules and functions that this process
 * scripts, traces or freezes share torch.jit._state._python_cu, which lasts
 * until the process ends, so no constant goes with them. A loaded module has a
 * unit of its own, which goes with it.
 *
 * A unit has a node of its own, and owns what its functions own: the graph that
 * was compiled, and for each executor the plans that it has made, whose graphs
 * have constants that the first graph does not have. Code that runs has more
 * copies of the constants, which nothing reads.
 */

enum {
    FUNCTIONS = 1 << 20,
    WORDS = 256, /**< of a function or an executor that may lead on */
};

/** Copies the words of an object; returns how many there are. */
static size_t
copy_words(lg__torch *torch, uintptr_t object, uintptr_t *words)
{
    size_t size = lg__memory_block(torch->memory, object);
    size_t count = size < WORDS * WORD ? size / WORD : WORDS;
    return lg__memory_copy(torch->memory, object, words, count * WORD) ? count
                                                                       : 0;
}

/** Walks the graphs of an executor's plans. A plan is two shared_ptrs, to what
 *  the interpreter reads and to the graph. Behind it, a byte says whether there
 *  is one; if not, the words are old. */
static void
walk_executor(lg__torch *torch, uintptr_t executor, uint32_t unit)
{
    uintptr_t words[WORDS];
    size_t count = copy_words(torch, executor, words);
    for (size_t i = 0; i + 4 < count; i++)
        if (lg__torch_is_a(torch, words[i + 1], LG__TORCH_PLAN) &&
            (words[i + 4] & UINT8_MAX) == 1)
            torch_walk_code(torch, words[i + 2], unit);
}

/** A function may have several executors, each a shared_ptr with a byte behind
 *  it, too. */
static void
walk_function(lg__torch *torch, uintptr_t function, uint32_t unit)
{
    uintptr_t words[WORDS];
    size_t count = copy_words(torch, function, words);
    torch_walk_code(
        torch,
        lg__memory_word(torch->memory, function + torch->layout->code.graph),
        unit);
    for (size_t i = 0; i + 2 < count; i++)
        if (lg__torch_is_a(torch, words[i + 1], LG__TORCH_EXECUTOR) &&
            (words[i + 2] & UINT8_MAX) == 1)
            walk_executor(torch, words[i], unit);
}

/** Whether the layout of compiled code is known. If not, the node says so. */
static bool
torch_knows_code(lg__torch *torch, uint32_t node)
{
    static const char why[] = "an unknown layout of compiled code";
    if (!torch->layout->code.known)
        lg_builder_add_fact(torch->builder, node, "not inspected", why,
                            sizeof why - 1);
    return torch->layout->code.known;
}

static void
walk_unit(lg__torch *torch, uintptr_t block, uint32_t node)
{
    uintptr_t at = block + LG__TORCH_COUNTS + torch->layout->code.functions,
              ends[2];
    if (!torch_knows_code(torch, node) ||
        !lg__memory_copy(torch->memory, at, ends, sizeof ends) ||
        ends[1] < ends[0] || ends[1] - ends[0] > FUNCTIONS * WORD)
        return;
    for (; ends[0] < ends[1]; ends[0] += WORD) {
        uintptr_t function = lg__memory_word(torch->memory, ends[0]);
        if (lg__is_address(function) && lg__torch_class_of(torch, function))
            walk_function(torch, function, node);
    }
}

void
lg__torch_link_unit(lg__torch *torch, uint32_t source, uintptr_t word)
{
    bool made;
    if (!lg__torch_is_a(torch, word, LG__TORCH_UNIT))
        return;
    uint32_t type =
        lg__pass_type(torch->pass, "torch.jit.CompilationUnit (C++)", LG_NONE);
    uint32_t node =
        lg__pass_native(torch->pass, (const void *)word, type,
                        lg__memory_block(torch->memory, word), &made);
    if (node == LG_NONE)
        return;
    lg__pass_edge(torch->pass, source, node, LG_EDGE_NATIVE, "C++ member");
    if (made)
        walk_unit(torch, word, node);
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
    if (torch_knows_code(torch, node))
        torch_walk_code(torch, graph, node);
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
static void
scan_bound(lg__torch *torch, const lg__instance *instance)
{
    const uint32_t node = instance->node;
    const unsigned how = lg__torch_bound_of(torch, Py_TYPE(instance->object));
    const uintptr_t value =
        lg__torch_word_at(instance->object, sizeof(PyObject));
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

const lg__torch_sort lg__torch_bound_objects = {scan_bound, NULL};

void
lg__torch_search_later(lg__torch *torch, uintptr_t address, uint32_t node,
                       bool waiting)
{
    put_off(torch, address, node, waiting ? WAITING : UNKNOWN);
}

/** TorchScript's compiled code: graphs, and the units that own them. */
#include "bytes/torch/torch_bound.h"

/**
 * Graphs of compiled code. A graph lists its nodes, also those of the blocks in
 * it. A node has a vector of attributes: a constant's tensor, list or object of
 * TorchScript, or another graph. All of these belong to the unit that owns the
 * code. Several units may share a constant, so none of them alone retains it.
 */

enum {
    WORD = sizeof(uintptr_t),
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
link_tensor(code_walk *walk, uintptr_t at)
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
        link_tensor(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_TENSORS)
        each(walk, value, WORD, link_tensor);
    else if (is == LG__TORCH_ATTRIBUTE_VALUE)
        link_value(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_GRAPH)
        link_graph(walk, value);
    else if (is == LG__TORCH_ATTRIBUTE_GRAPHS)
        each(walk, value, 2 * WORD, link_graph);
}

/** Each row of the list has the address of the next, and a node. */
static void
walk_graph(code_walk *walk, uintptr_t graph)
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

void
lg__torch_walk_code(lg__torch *torch, uintptr_t graph, uint32_t unit)
{
    code_walk walk = {torch, unit, lg__torch_intern(torch, "C++ member"), NULL};
    add_graph(&walk, graph);
    while (walk.first != NULL) {
        uintptr_t next = walk.first->address;
        walk.first = walk.first->next;
        walk_graph(&walk, next);
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

/** A shared_ptr has the address of a block that begins with the counts. */
static bool
is_block_of(lg__torch *torch, uintptr_t block, lg__torch_kind kind)
{
    const lg__torch_class *class =
        lg__is_address(block) ? lg__torch_class_of(torch, block) : NULL;
    return class != NULL && class->kind == kind;
}

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
        if (is_block_of(torch, words[i + 1], LG__TORCH_PLAN) &&
            (words[i + 4] & UINT8_MAX) == 1)
            lg__torch_walk_code(torch, words[i + 2], unit);
}

/** A function may have several executors, each a shared_ptr with a byte behind
 *  it, too. */
static void
walk_function(lg__torch *torch, uintptr_t function, uint32_t unit)
{
    uintptr_t words[WORDS];
    size_t count = copy_words(torch, function, words);
    lg__torch_walk_code(
        torch,
        lg__memory_word(torch->memory, function + torch->layout->code.graph),
        unit);
    for (size_t i = 0; i + 2 < count; i++)
        if (is_block_of(torch, words[i + 1], LG__TORCH_EXECUTOR) &&
            (words[i + 2] & UINT8_MAX) == 1)
            walk_executor(torch, words[i], unit);
}

bool
lg__torch_knows_code(lg__torch *torch, uint32_t node)
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
    if (!lg__torch_knows_code(torch, node) ||
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
    if (!is_block_of(torch, word, LG__TORCH_UNIT))
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

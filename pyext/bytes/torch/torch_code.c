/**
 * Graphs of compiled code. A graph lists its nodes, also those of the blocks in
 * it. A node has a vector of attributes: a constant's tensor, list or object of
 * TorchScript, or another graph. All of these belong to the unit that owns the
 * code. Several units may share a constant, so none of them alone retains it.
 */
#include "bytes/torch/torch_bound.h"

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

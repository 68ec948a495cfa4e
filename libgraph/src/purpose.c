// What a tensor is for, told by who holds it: a module, an optimizer, another
// tensor, an autograd node, a frame.
#include "storage.h"

#include <stdlib.h>
#include <string.h>

// Marks of a node: bits 1 << lg_tensor_kind for the kinds before temporary, and
// who else holds it. A container has those that it was searched for.
enum {
    MARK_FRAME = 1 << 5,
    MARK_HELD = 1 << 6, // by anything but a frame
};

typedef struct judge {
    const lg_graph *graph;
    const lg__storages *storages;
    uint8_t *mark; // [node]
    uint32_t *stack;
    size_t count;
    size_t capacity;
    bool failed;
} judge;

static bool
is_looking(const judge *state, uint32_t node)
{
    const unsigned looking = LG__CLASS_TENSOR | LG__CLASS_STORAGE;
    return lg__node_class(state->graph, state->storages, node) & looking;
}

static void
push(judge *state, uint32_t node)
{
    if (state->count == state->capacity) {
        size_t capacity = state->capacity ? state->capacity * 2 : 64;
        uint32_t *stack = realloc(state->stack, capacity * sizeof *stack);
        if (stack == NULL) {
            state->failed = true;
            return;
        }
        state->stack = stack;
        state->capacity = capacity;
    }
    state->stack[state->count++] = node;
}

// Marks the node if it is a tensor, or is to be looked into.
static void
reach(judge *state, uint32_t node, lg_tensor_kind kind)
{
    uint8_t bit = (uint8_t)(1u << kind);
    bool container =
        lg__node_category(state->graph, node) == LG_CATEGORY_CONTAINER;
    if ((state->mark[node] & bit) || (!container && !is_looking(state, node)))
        return;
    state->mark[node] |= bit;
    if (container)
        push(state, node);
}

static bool
is_element(unsigned kind)
{
    return kind == LG_EDGE_VALUE || kind == LG_EDGE_INDEX ||
           kind == LG_EDGE_ELEMENT || kind == LG_EDGE_REFERENCE;
}

// Every tensor at the node or in containers below it.
static void
mark_below(judge *state, uint32_t node, lg_tensor_kind kind)
{
    const lg_columns *columns = &state->graph->columns;
    reach(state, node, kind);
    while (state->count > 0) {
        uint32_t at = state->stack[--state->count];
        for (uint64_t edge = columns->first_edge[at];
             edge < columns->first_edge[at + 1]; edge++)
            if (is_element(lg__edge_kind(state->graph, edge)) &&
                !(columns->edge_kind[edge] & LG_EDGE_WEAK))
                reach(state, columns->edge_target[edge], kind);
    }
}

// The name of an edge, without a leading dot; empty for kinds without names.
static lg_string
name_of(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    if (kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_NATIVE)
        return (lg_string){"", 0};
    lg_string name = lg_graph_string(graph, graph->columns.edge_payload[edge]);
    if (name.length > 0 && name.data[0] == '.')
        return (lg_string){name.data + 1, name.length - 1};
    return name;
}

uint32_t
lg__tensor_grad_fn(const lg_graph *graph, uint32_t tensor)
{
    const lg_columns *columns = &graph->columns;
    for (uint64_t edge = columns->first_edge[tensor];
         edge < columns->first_edge[tensor + 1]; edge++)
        if (lg__string_is(name_of(graph, edge), "grad_fn"))
            return columns->edge_target[edge];
    return LG_NONE;
}

// `saved`, `saved[0]`.
static bool
is_saved(const lg_graph *graph, uint64_t edge)
{
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return false;
    lg_string name = name_of(graph, edge);
    return name.length >= 5 && memcmp(name.data, "saved", 5) == 0 &&
           (name.length == 5 || name.data[5] == '[');
}

static uint32_t
value_in(const lg_graph *graph, uint32_t dict, const char *name)
{
    const lg_columns *columns = &graph->columns;
    for (uint64_t edge = columns->first_edge[dict];
         edge < columns->first_edge[dict + 1]; edge++) {
        uint32_t key = columns->edge_payload[edge];
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE && key != LG_NONE &&
            lg__string_is(lg_node_text(graph, key), name))
            return columns->edge_target[edge];
    }
    return LG_NONE;
}

static uint32_t
attribute_of(const lg_graph *graph, uint32_t node, const char *name)
{
    const lg_columns *columns = &graph->columns;
    uint32_t found = LG_NONE;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1] && found == LG_NONE; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (lg__edge_kind(graph, edge) == LG_EDGE_DICT)
            found = value_in(graph, target, name);
        else if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
                 lg__string_is(name_of(graph, edge), name))
            found = target;
    }
    return found;
}

static void
mark_attribute(judge *state, uint32_t node, const char *name,
               lg_tensor_kind kind)
{
    uint32_t target = attribute_of(state->graph, node, name);
    if (target != LG_NONE)
        mark_below(state, target, kind);
}

// What the node's own type says.
static void
mark_by_type(judge *state, uint32_t node)
{
    unsigned class = lg__node_class(state->graph, state->storages, node);
    if (class & LG__CLASS_PARAMETER)
        state->mark[node] |= 1u << LG_TENSOR_PARAMETER;
    if (class & LG__CLASS_BUFFER)
        state->mark[node] |= 1u << LG_TENSOR_BUFFER;
    if (class & LG__CLASS_MODULE) {
        mark_attribute(state, node, "_parameters", LG_TENSOR_PARAMETER);
        mark_attribute(state, node, "_buffers", LG_TENSOR_BUFFER);
    }
    if (class & LG__CLASS_OPTIMIZER)
        mark_attribute(state, node, "state", LG_TENSOR_OPTIMIZER_STATE);
}

// What a reference to a tensor says of it. One from a tensor of the same
// storage, such as a view's base, says nothing.
static void
mark_by_edge(judge *state, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = state->graph;
    uint32_t target = graph->columns.edge_target[edge];
    unsigned kind = lg__edge_kind(graph, edge);
    const uint32_t *slot = state->storages->slot;
    if (!is_looking(state, target) ||
        (slot[source] != 0 && slot[source] == slot[target]))
        return;
    bool local = kind == LG_EDGE_LOCAL || kind == LG_EDGE_STACK;
    state->mark[target] |= local ? MARK_FRAME : MARK_HELD;
    if (is_looking(state, source) &&
        lg__string_is(name_of(graph, edge), "grad"))
        state->mark[target] |= 1u << LG_TENSOR_GRADIENT;
}

static void
mark_all(judge *state)
{
    const lg_columns *columns = &state->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        mark_by_type(state, node);
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++) {
            if (columns->edge_kind[edge] & LG_EDGE_WEAK)
                continue;
            mark_by_edge(state, node, edge);
            if (is_saved(state->graph, edge))
                mark_below(state, columns->edge_target[edge],
                           LG_TENSOR_ACTIVATION);
        }
    }
}

static lg_tensor_kind
kind_of(unsigned mark)
{
    for (unsigned kind = 0; kind < LG_TENSOR_TEMPORARY; kind++)
        if (mark & 1u << kind)
            return (lg_tensor_kind)kind;
    return (mark & MARK_FRAME) && !(mark & MARK_HELD) ? LG_TENSOR_TEMPORARY
                                                      : LG_TENSOR_OTHER;
}

lg_status
lg__storages_judge(const lg_graph *graph, lg__storages *storages, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    judge state = {.graph = graph, .storages = storages};
    state.mark = calloc((size_t)columns->node_count + 1, 1);
    uint8_t *of_row = calloc((size_t)storages->count + 1, 1);
    if (state.mark == NULL || of_row == NULL)
        state.failed = true;
    else
        mark_all(&state);
    for (uint32_t node = 0; node < columns->node_count && !state.failed; node++)
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1] && is_looking(&state, node);
             edge++) {
            uint32_t target = columns->edge_target[edge];
            if (columns->node_flags[target] & LG_NODE_BUFFER)
                of_row[storages->slot[target] - 1] |= state.mark[node];
        }
    for (uint32_t i = 0; i < storages->count && !state.failed; i++)
        storages->rows[i].kind = kind_of(of_row[i]);
    free(state.mark);
    free(state.stack);
    free(of_row);
    return state.failed ? lg__error_memory(err) : LG_OK;
}

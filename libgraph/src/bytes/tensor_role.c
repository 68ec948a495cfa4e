// Finds the role of a tensor from its holders: a module, an optimizer, another
// tensor, an autograd node, a frame.
#include "bytes/bytes_private.h"

#include <stdlib.h>
#include <string.h>

// Depth of packed weights below a Python object: the object of TorchScript, the
// cell of a recurrent layer, the weights.
enum { PACKED_DEPTH = 4 };

typedef struct judge {
    const lg_graph *graph;
    lg__storages *storages;
    uint8_t *mark; // [node]
    lg__gathered stack;
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
    if (!lg__gather_append(&state->stack, node))
        state->failed = true;
}

// Marks and queues a tensor or a container. `kind_from` keeps the first node
// that gives a tensor its name.
static void
reach(judge *state, uint32_t from, uint32_t node, lg_tensor_kind kind)
{
    uint8_t bit = (uint8_t)(1u << kind);
    bool container =
        lg__node_category(state->graph, node) == LG_CATEGORY_CONTAINER;
    uint32_t *kind_from = &state->storages->kind_from[node];
    if (!container && !is_looking(state, node))
        return;
    if (!container && kind <= LG_TENSOR_OPTIMIZER_STATE && *kind_from == 0)
        *kind_from = from + 1;
    if (!(state->mark[node] & bit))
        push(state, node);
    state->mark[node] |= bit;
}

static bool
is_element(unsigned kind)
{
    return kind == LG_EDGE_VALUE || kind == LG_EDGE_INDEX ||
           kind == LG_EDGE_ELEMENT || kind == LG_EDGE_REFERENCE;
}

// Returns the name of an edge without a leading dot; empty for kinds without
// names.
static lg_string
name_of(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    if (kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_NATIVE)
        return (lg_string){"", 0};
    lg_string name =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    if (name.length > 0 && name.data[0] == '.')
        return (lg_string){name.data + 1, name.length - 1};
    return name;
}

static bool
is_one_of(lg_string name, const char *const *names)
{
    while (*names != NULL && !lg__string_is(name, *names))
        names++;
    return *names != NULL;
}

// Returns whether the edge leads from a tensor to a part of it. C++ names the
// parts of its own tensors. Everything that a tensor without a storage has is a
// part, except for what every tensor may have.
static bool
is_part(const judge *state, uint32_t tensor, uint64_t edge)
{
    static const char *const parts[] = {"_indices",
                                        "_values",
                                        "crow_indices",
                                        "col_indices",
                                        "values",
                                        "value",
                                        "q_per_channel_scales",
                                        "q_per_channel_zero_points",
                                        "_nested_tensor_size",
                                        "_nested_tensor_strides",
                                        "_nested_tensor_storage_offsets",
                                        NULL};
    static const char *const others[] = {"grad",
                                         "grad_fn",
                                         "tangent",
                                         "_base",
                                         "_view_func",
                                         "_rev_view_func",
                                         "_backward_hooks",
                                         "_post_accumulate_grad_hooks",
                                         NULL};
    lg_string name = name_of(state->graph, edge);
    if (is_one_of(name, parts))
        return true;
    if (state->storages->slot[tensor] != 0)
        return false;
    return lg__edge_kind(state->graph, edge) == LG_EDGE_DICT ||
           (name.length > 0 && !is_one_of(name, others));
}

// Marks what a container holds. `from` is the container, or the tensor whose
// __dict__ it is.
static void
mark_elements(judge *state, uint32_t from, uint32_t container,
              lg_tensor_kind kind)
{
    const lg_columns *columns = &state->graph->columns;
    for (uint64_t edge = columns->first_edge[container];
         edge < columns->first_edge[container + 1]; edge++)
        if (is_element(lg__edge_kind(state->graph, edge)) &&
            !(columns->edge_kind[edge] & LG_EDGE_WEAK))
            reach(state, from, columns->edge_target[edge], kind);
}

static void
mark_parts(judge *state, uint32_t tensor, lg_tensor_kind kind)
{
    const lg_columns *columns = &state->graph->columns;
    for (uint64_t edge = columns->first_edge[tensor];
         edge < columns->first_edge[tensor + 1]; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (columns->edge_kind[edge] & LG_EDGE_WEAK ||
            !is_part(state, tensor, edge))
            continue;
        if (lg__edge_kind(state->graph, edge) == LG_EDGE_DICT)
            mark_elements(state, tensor, target, kind);
        else
            reach(state, tensor, target, kind);
    }
}

static void
mark_queued(judge *state, lg_tensor_kind kind)
{
    while (state->stack.count > 0) {
        uint32_t at = state->stack.items[--state->stack.count];
        if (is_looking(state, at))
            mark_parts(state, at, kind);
        else
            mark_elements(state, at, at, kind);
    }
}

// Marks every tensor at the node or in containers below it.
static void
mark_below(judge *state, uint32_t from, uint32_t node, lg_tensor_kind kind)
{
    reach(state, from, node, kind);
    mark_queued(state, kind);
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

// Returns whether the edge keeps a tensor for the backward pass. A node and a
// ctx keep all their tensors, except for the leaf whose gradient the node adds
// up.
static bool
is_saved(const judge *state, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = state->graph;
    if (!(lg__node_class(graph, state->storages, source) & LG__CLASS_AUTOGRAD))
        return false;
    lg_string name = name_of(graph, edge);
    return lg__edge_kind(graph, edge) == LG_EDGE_DICT ||
           (name.length > 0 && !lg__string_is(name, "variable"));
}

static void
mark_attribute(judge *state, uint32_t node, const char *name,
               lg_tensor_kind kind)
{
    uint32_t target = lg__node_attribute(state->graph, node, name);
    if (target != LG_NONE)
        mark_below(state, node, target, kind);
}

// Marks a tensor by its type.
static void
mark_tensor(judge *state, uint32_t tensor, lg_tensor_kind kind)
{
    state->mark[tensor] |= (uint8_t)(1u << kind);
    push(state, tensor);
    mark_queued(state, kind);
}

// Marks tensors that an optimizer was given as parameters, even if no module
// has them. Their position in its groups is not a name.
static void
mark_groups(judge *state, uint32_t optimizer)
{
    const lg_graph *graph = state->graph;
    uint32_t groups = lg__node_attribute(graph, optimizer, "param_groups");
    if (groups == LG_NONE)
        return;
    const lg_columns *columns = &graph->columns;
    for (uint64_t i = columns->first_edge[groups];
         i < columns->first_edge[groups + 1]; i++) {
        uint32_t group = columns->edge_target[i];
        uint32_t list = lg__dict_value(graph, group, (lg_string){"params", 6});
        if (!is_element(lg__edge_kind(graph, i)) || list == LG_NONE)
            continue;
        for (uint64_t j = columns->first_edge[list];
             j < columns->first_edge[list + 1]; j++)
            if (is_element(lg__edge_kind(graph, j)) &&
                is_looking(state, columns->edge_target[j]))
                mark_tensor(state, columns->edge_target[j],
                            LG_TENSOR_PARAMETER);
    }
}

// Returns the next member of a C++ object from that edge on; LG_NONE if there
// is none.
static uint32_t
next_member(const judge *state, uint32_t object, uint64_t *edge)
{
    const lg_columns *columns = &state->graph->columns;
    while (*edge < columns->first_edge[object + 1]) {
        uint64_t at = (*edge)++;
        if (lg__edge_kind(state->graph, at) == LG_EDGE_NATIVE)
            return columns->edge_target[at];
    }
    return LG_NONE;
}

// Marks the tensors and the memory that a C++ object keeps, except for
// parameters.
static void
mark_members(judge *state, uint32_t object, lg_tensor_kind kind)
{
    uint64_t edge = state->graph->columns.first_edge[object];
    uint32_t member;
    while ((member = next_member(state, object, &edge)) != LG_NONE) {
        unsigned class = lg__node_class(state->graph, state->storages, member);
        if ((class & LG__CLASS_TENSOR) && !(class & LG__CLASS_PARAMETER))
            state->mark[member] |= (uint8_t)(1u << kind);
    }
}

// Marks the weights of a quantized module, which only its kernels can read: a
// Python object owns a C++ object, which may own another, down to the one that
// keeps them.
static void
mark_packed(judge *state, uint32_t object, unsigned depth)
{
    const lg_graph *graph = state->graph;
    if (depth == 0 || object == LG_NONE ||
        !(lg__node_class(graph, state->storages, object) & LG__CLASS_BOUND))
        return;
    uint64_t edge = graph->columns.first_edge[object];
    uint32_t member;
    mark_members(state, object, LG_TENSOR_PARAMETER);
    while ((member = next_member(state, object, &edge)) != LG_NONE)
        mark_packed(state, member, depth - 1);
}

// Marks what the node's type implies.
static void
mark_by_type(judge *state, uint32_t node)
{
    unsigned class = lg__node_class(state->graph, state->storages, node);
    if (class & LG__CLASS_PARAMETER)
        mark_tensor(state, node, LG_TENSOR_PARAMETER);
    if (class & LG__CLASS_BUFFER)
        mark_tensor(state, node, LG_TENSOR_BUFFER);
    if (class & LG__CLASS_MODULE) {
        mark_attribute(state, node, "_parameters", LG_TENSOR_PARAMETER);
        mark_attribute(state, node, "_buffers", LG_TENSOR_BUFFER);
        mark_packed(state,
                    lg__node_attribute(state->graph, node, "_packed_params"),
                    PACKED_DEPTH);
    }
    if (class & LG__CLASS_OPTIMIZER) {
        mark_groups(state, node);
        mark_attribute(state, node, "state", LG_TENSOR_OPTIMIZER_STATE);
    }
    if (class & LG__CLASS_REDUCER)
        mark_members(state, node, LG_TENSOR_GRADIENT);
}

// Marks what a reference to a tensor implies. A reference from a tensor of the
// same storage, as from a view to its base, implies nothing.
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
    state->mark[target] |= local ? LG__MARK_FRAME : LG__MARK_ELSE;
    if (is_looking(state, source) &&
        lg__string_is(name_of(graph, edge), "grad"))
        mark_below(state, source, target, LG_TENSOR_GRADIENT);
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
            if (is_saved(state, node, edge))
                mark_below(state, node, columns->edge_target[edge],
                           LG_TENSOR_ACTIVATION);
        }
    }
}

// Marks tensors that native code or the interpreter refers to.
static void
mark_roots(judge *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = 0; i < graph->root_count; i++)
        state->mark[graph->root_node[i]] |= LG__MARK_ELSE;
}

lg_status
lg__storages_mark(const lg_graph *graph, lg__storages *storages, uint8_t **out,
                  lg_error *err)
{
    judge state = {.graph = graph, .storages = storages};
    state.mark = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    if (state.mark == NULL)
        return lg__error_memory(err);
    mark_all(&state);
    mark_roots(&state);
    lg__free(state.stack.items);
    if (state.failed) {
        lg__free(state.mark);
        return lg__error_memory(err);
    }
    *out = state.mark;
    return LG_OK;
}

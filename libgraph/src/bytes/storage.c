// Finds the buffers that are storages, their tensors, and the role of each
// tensor. Its holders tell the role: a module, an optimizer, another tensor, an
// autograd node, a frame.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned class;
} known[] = {
    {"torch.nn.parameter.Parameter", LG__CLASS_PARAMETER},
    {"torch.nn.parameter.Buffer", LG__CLASS_BUFFER},
    {LG__TORCH_MODULE, LG__CLASS_MODULE},
    {"torch.optim.optimizer.Optimizer", LG__CLASS_OPTIMIZER},
    {"torch._C.StorageBase", LG__CLASS_STORAGE},
    {"torch.storage.TypedStorage", LG__CLASS_STORAGE},
    {"torch.autograd.Node", LG__CLASS_AUTOGRAD},
    {"torch._C._FunctionBase", LG__CLASS_AUTOGRAD},
    {"torch._C._autograd.SavedTensor", LG__CLASS_AUTOGRAD},
    {"torch.utils.checkpoint._VersionWrapper", LG__CLASS_AUTOGRAD},
    {"torch._C._distributed_c10d.Reducer", LG__CLASS_REDUCER},
    {"torch.ScriptObject", LG__CLASS_BOUND},
    {"torch.ScriptObject (C++)", LG__CLASS_BOUND},
};

static uint16_t
class_of_type(const lg_graph *graph, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    unsigned class = 0;
    for (uint32_t i = 0; i < about.mro_count; i++) {
        lg_string name = lg_graph_string(graph, graph->type_name[about.mro[i]]);
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (lg__string_is(name, known[j].name))
                class |= known[j].class;
    }
    if (about.category == LG_CATEGORY_TENSOR && !(class & LG__CLASS_STORAGE))
        class |= LG__CLASS_TENSOR;
    return (uint16_t) class;
}

uint64_t
lg__buffer_bytes(const lg_graph *graph, uint32_t buffer)
{
    return lg_node_fact_number(graph, buffer, "bytes",
                               lg_node_size(graph, buffer));
}

// Finds the block with the buffer's first byte. Blocks are sorted by device and
// address.
static uint64_t
allocation_of(const lg_graph *graph, uint32_t device, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = graph->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const lg_block *block = &graph->block[middle];
        uint32_t on = graph->segment[block->segment].device;
        if (on < device || (on == device && block->address <= address))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const lg_block *block = &graph->block[low - 1];
    bool inside = graph->segment[block->segment].device == device &&
                  address - block->address < block->size;
    return inside ? low : 0;
}

uint32_t
lg__buffer_block_frames(const lg_graph *graph, uint32_t buffer)
{
    uint32_t device = lg_node_device(graph, buffer);
    uint64_t block =
        device == 0
            ? 0
            : allocation_of(graph, device,
                            lg_columns_address(&graph->columns, buffer));
    return block == 0 ? 0 : graph->block[block - 1].frames;
}

lg_string
lg__buffer_allocation(const lg_graph *graph, uint32_t buffer)
{
    lg_string frames = lg_node_fact_text(graph, buffer, "allocation");
    return frames.length > 0
               ? frames
               : lg_graph_string(graph, lg__buffer_block_frames(graph, buffer));
}

static lg_tensor_row *
row_of(const lg_graph *graph, lg__storages *to, uint32_t buffer)
{
    if (to->slot[buffer] != 0)
        return &to->rows[to->slot[buffer] - 1];
    uint32_t device = lg_node_device(graph, buffer);
    lg_tensor_row *row = &to->rows[to->count++];
    *row = (lg_tensor_row){
        .buffer = buffer,
        .tensor = LG_NONE,
        .device = device,
        .kind = LG_TENSOR_OTHER,
        .bytes = lg__buffer_bytes(graph, buffer),
        .allocation =
            device == 0
                ? 0
                : allocation_of(graph, device,
                                lg_columns_address(&graph->columns, buffer)),
    };
    to->slot[buffer] = to->count;
    return row;
}

static void
find_rows(const lg_graph *graph, lg__storages *to)
{
    const lg_columns *columns = &graph->columns;
    const unsigned looking = LG__CLASS_TENSOR | LG__CLASS_STORAGE;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        bool buffer = lg_columns_flags(columns, node) & LG_NODE_BUFFER;
        if (buffer || !(lg__node_class(graph, to, node) & looking))
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (!(lg_columns_flags(columns, target) & LG_NODE_BUFFER))
                continue;
            row_of(graph, to, target);
            if (to->slot[node] == 0)
                to->slot[node] = to->slot[target];
        }
    }
}

// Adds rows for storages without a tensor, which only C++ holds.
static void
find_lone_rows(const lg_graph *graph, lg__storages *to)
{
    const lg_columns *columns = &graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if ((lg_columns_flags(columns, node) & LG_NODE_BUFFER) &&
            lg__node_category(graph, node) == LG_CATEGORY_TENSOR)
            row_of(graph, to, node);
}

// Ranks the objects that may represent a storage: a tensor with a holder of its
// own before one that only a view keeps, a tensor before a storage object, a
// Python object before a C++ one, a wider one before a narrower one.
static uint64_t
rank(const lg_graph *graph, const lg__storages *storages, uint32_t node,
     const uint8_t *marks)
{
    bool tensor = lg__node_class(graph, storages, node) & LG__CLASS_TENSOR;
    bool python =
        !(lg_columns_flags(&graph->columns, node) & LG_NODE_SYNTHETIC);
    uint64_t shown = lg_node_fact_number(graph, node, "bytes", 0);
    return (uint64_t)(marks[node] != 0) << 63 | (uint64_t)tensor << 62 |
           (uint64_t)python << 61 | shown >> 3;
}

static void
look_at(const lg_graph *graph, lg__storages *to, uint32_t tensor,
        lg_tensor_row *row, const uint8_t *marks)
{
    if (row->tensor == LG_NONE ||
        rank(graph, to, tensor, marks) > rank(graph, to, row->tensor, marks))
        row->tensor = tensor;
    if (!(lg__node_class(graph, to, tensor) & LG__CLASS_TENSOR))
        return;
    uint64_t shown = lg_node_fact_number(graph, tensor, "bytes", 0);
    row->tensor_count++;
    if (shown > row->bytes)
        shown = row->bytes;
    if (shown > row->used && marks[tensor] != 0)
        row->used = shown;
}

static lg_tensor_kind
kind_of(unsigned marks)
{
    for (unsigned kind = 0; kind < LG_TENSOR_TEMPORARY; kind++)
        if (marks & 1u << kind)
            return (lg_tensor_kind)kind;
    return (marks & LG__MARK_FRAME) && !(marks & LG__MARK_ELSE)
               ? LG_TENSOR_TEMPORARY
               : LG_TENSOR_OTHER;
}

// Settles a row. A storage without marks still shows what its widest tensor
// shows.
static void
settle(const lg_graph *graph, lg_tensor_row *row, unsigned marks)
{
    row->kind = kind_of(marks);
    if (row->used > 0 || row->tensor == LG_NONE)
        return;
    row->used = lg_node_fact_number(graph, row->tensor, "bytes", 0);
    if (row->used > row->bytes)
        row->used = row->bytes;
}

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
    const lg_edge_range edges = lg_columns_edges(columns, container);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_element(lg__edge_kind(state->graph, edge)) &&
            !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            reach(state, from, lg_columns_target(columns, edge), kind);
}

static void
mark_parts(judge *state, uint32_t tensor, lg_tensor_kind kind)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, tensor);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK ||
            !is_part(state, tensor, edge))
            continue;
        if (lg__edge_kind(state->graph, edge) == LG_EDGE_DICT)
            mark_elements(state, tensor, target, kind);
        else
            reach(state, tensor, target, kind);
    }
}

// A node waits at most once for each kind, because its bit is set when it is
// queued.
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
    const lg_edge_range edges = lg_columns_edges(columns, tensor);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__string_is(name_of(graph, edge), "grad_fn"))
            return lg_columns_target(columns, edge);
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
    const lg_edge_range edges = lg_columns_edges(columns, groups);
    for (uint64_t i = edges.begin; i < edges.end; i++) {
        uint32_t group = lg_columns_target(columns, i);
        uint32_t list = lg__dict_value(graph, group, (lg_string){"params", 6});
        if (!is_element(lg__edge_kind(graph, i)) || list == LG_NONE)
            continue;
        const lg_edge_range range = lg_columns_edges(columns, list);
        for (uint64_t j = range.begin; j < range.end; j++)
            if (is_element(lg__edge_kind(graph, j)) &&
                is_looking(state, lg_columns_target(columns, j)))
                mark_tensor(state, lg_columns_target(columns, j),
                            LG_TENSOR_PARAMETER);
    }
}

// Returns the next member of a C++ object from that edge on; LG_NONE if there
// is none.
static uint32_t
next_member(const judge *state, uint32_t object, uint64_t *edge)
{
    const lg_columns *columns = &state->graph->columns;
    while (*edge < lg_columns_first_edge(columns, object + 1)) {
        uint64_t at = (*edge)++;
        if (lg__edge_kind(state->graph, at) == LG_EDGE_NATIVE)
            return lg_columns_target(columns, at);
    }
    return LG_NONE;
}

// Marks the tensors and the memory that a C++ object keeps, except for
// parameters.
static void
mark_members(judge *state, uint32_t object, lg_tensor_kind kind)
{
    uint64_t edge = lg_columns_first_edge(&state->graph->columns, object);
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
    uint64_t edge = lg_columns_first_edge(&graph->columns, object);
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
    uint32_t target = lg_columns_target(&graph->columns, edge);
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
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK)
                continue;
            mark_by_edge(state, node, edge);
            if (is_saved(state, node, edge))
                mark_below(state, node, lg_columns_target(columns, edge),
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

// Marks tensors, and sets `kind_from`. *out is [node]; release it with
// lg__free.
static lg_status
storages_mark(const lg_graph *graph, lg__storages *storages, uint8_t **out,
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

// Fills the rows from the marks of their tensors.
static lg_status
fill_rows(const lg_graph *graph, lg__storages *to, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    const unsigned looking = LG__CLASS_TENSOR | LG__CLASS_STORAGE;
    uint8_t *marks = NULL;
    lg_status status = storages_mark(graph, to, &marks, err);
    uint8_t *of_row = lg__calloc((size_t)to->count + 1, 1);
    if (status == LG_OK && of_row == NULL)
        status = lg__error_memory(err);
    for (uint32_t node = 0; node < columns->node_count && !status; node++) {
        if (to->slot[node] == 0 ||
            !(lg__node_class(graph, to, node) & looking) ||
            (lg_columns_flags(columns, node) & LG_NODE_BUFFER))
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = lg_columns_target(columns, edge);
            if (!(lg_columns_flags(columns, target) & LG_NODE_BUFFER))
                continue;
            of_row[to->slot[target] - 1] |= marks[node];
            look_at(graph, to, node, &to->rows[to->slot[target] - 1], marks);
        }
    }
    for (uint32_t i = 0; i < to->count && !status; i++)
        settle(graph, &to->rows[i], of_row[i] | marks[to->rows[i].buffer]);
    lg__free(marks);
    lg__free(of_row);
    return status;
}

lg_status
lg__storages_find(const lg_graph *graph, lg__storages *out, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t nodes = (size_t)columns->node_count + 1;
    size_t buffers = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        buffers += (lg_columns_flags(columns, node) & LG_NODE_BUFFER) != 0;
    lg__storages found = {
        .rows = lg__calloc(buffers + 1, sizeof *found.rows),
        .slot = lg__calloc(nodes, sizeof *found.slot),
        .kind_from = lg__calloc(nodes, sizeof *found.kind_from),
        .classes = lg__calloc(graph->type_count + 1, sizeof *found.classes),
    };
    lg_status status = LG_OK;
    if (found.rows && found.slot && found.kind_from && found.classes) {
        for (uint32_t type = 0; type < graph->type_count; type++)
            found.classes[type] = class_of_type(graph, type);
        find_rows(graph, &found);
        find_lone_rows(graph, &found);
        status = fill_rows(graph, &found, err);
    } else {
        status = lg__error_memory(err);
    }
    if (status == LG_OK)
        *out = found;
    else
        lg__storages_free(&found);
    return status;
}

void
lg__storages_free(lg__storages *storages)
{
    lg__free(storages->rows);
    lg__free(storages->slot);
    lg__free(storages->kind_from);
    lg__free(storages->classes);
    *storages = (lg__storages){0};
}

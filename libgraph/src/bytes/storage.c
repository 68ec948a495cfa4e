// Finds the buffers that are storages, and their tensors.
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
    lg_string frames = lg_node_fact(graph, buffer, "allocation");
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
        bool buffer = columns->node_flags[node] & LG_NODE_BUFFER;
        if (buffer || !(lg__node_class(graph, to, node) & looking))
            continue;
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (!(columns->node_flags[target] & LG_NODE_BUFFER))
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
        if ((columns->node_flags[node] & LG_NODE_BUFFER) &&
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
    bool python = !(graph->columns.node_flags[node] & LG_NODE_SYNTHETIC);
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

// Fills the rows from the marks of their tensors.
static lg_status
fill_rows(const lg_graph *graph, lg__storages *to, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    const unsigned looking = LG__CLASS_TENSOR | LG__CLASS_STORAGE;
    uint8_t *marks = NULL;
    lg_status status = lg__storages_mark(graph, to, &marks, err);
    uint8_t *of_row = lg__calloc((size_t)to->count + 1, 1);
    if (status == LG_OK && of_row == NULL)
        status = lg__error_memory(err);
    for (uint32_t node = 0; node < columns->node_count && !status; node++) {
        if (to->slot[node] == 0 ||
            !(lg__node_class(graph, to, node) & looking) ||
            (columns->node_flags[node] & LG_NODE_BUFFER))
            continue;
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (!(columns->node_flags[target] & LG_NODE_BUFFER))
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
        buffers += (columns->node_flags[node] & LG_NODE_BUFFER) != 0;
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

// Which buffers are storages, and which tensors look at them.
#include "storage.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned class;
} known[] = {
    {"torch.nn.parameter.Parameter", LG__CLASS_PARAMETER},
    {"torch.nn.parameter.Buffer", LG__CLASS_BUFFER},
    {"torch.nn.modules.module.Module", LG__CLASS_MODULE},
    {"torch.optim.optimizer.Optimizer", LG__CLASS_OPTIMIZER},
    {"torch._C.StorageBase", LG__CLASS_STORAGE},
    {"torch.storage.TypedStorage", LG__CLASS_STORAGE},
};

static uint8_t
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
    return (uint8_t) class;
}

uint64_t
lg__buffer_bytes(const lg_graph *graph, uint32_t buffer)
{
    return lg_node_fact_number(graph, buffer, "bytes",
                               lg_node_size(graph, buffer));
}

// The block that holds the buffer's first byte: blocks are in order of device
// and address.
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
                : allocation_of(graph, device, graph->columns.address[buffer]),
    };
    to->slot[buffer] = to->count;
    return row;
}

// A tensor speaks for its storage before a storage object does, a Python object
// before one of C++, a wider one before a narrower one.
static uint64_t
rank(const lg_graph *graph, const lg__storages *storages, uint32_t node)
{
    unsigned class = lg__node_class(graph, storages, node);
    bool python = !(graph->columns.node_flags[node] & LG_NODE_SYNTHETIC);
    uint64_t shown = lg_node_fact_number(graph, node, "bytes", 0);
    return (uint64_t) !!(class & LG__CLASS_TENSOR) << 63 |
           (uint64_t)python << 62 | (shown >> 2);
}

static void
look_at(const lg_graph *graph, lg__storages *to, uint32_t tensor,
        uint32_t buffer)
{
    lg_tensor_row *row = row_of(graph, to, buffer);
    if (row->tensor == LG_NONE ||
        rank(graph, to, tensor) > rank(graph, to, row->tensor))
        row->tensor = tensor;
    if (!(lg__node_class(graph, to, tensor) & LG__CLASS_TENSOR))
        return;
    uint64_t shown = lg_node_fact_number(graph, tensor, "bytes", 0);
    row->tensor_count++;
    if (shown > row->bytes)
        shown = row->bytes;
    if (shown > row->used)
        row->used = shown;
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
            look_at(graph, to, node, target);
            if (to->slot[node] == 0)
                to->slot[node] = to->slot[target];
        }
    }
}

// A storage that only C++ holds has no tensor.
static void
find_lone_rows(const lg_graph *graph, lg__storages *to)
{
    const lg_columns *columns = &graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if ((columns->node_flags[node] & LG_NODE_BUFFER) &&
            lg__node_category(graph, node) == LG_CATEGORY_TENSOR)
            row_of(graph, to, node);
}

lg_status
lg__storages_find(const lg_graph *graph, lg__storages *out, lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t buffers = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        buffers += (columns->node_flags[node] & LG_NODE_BUFFER) != 0;
    lg__storages found = {
        .rows = calloc(buffers + 1, sizeof *found.rows),
        .slot = calloc((size_t)columns->node_count + 1, sizeof *found.slot),
        .classes = malloc(graph->type_count),
    };
    if (!found.rows || !found.slot || !found.classes) {
        lg__storages_free(&found);
        return lg__error_memory(err);
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        found.classes[type] = class_of_type(graph, type);
    find_rows(graph, &found);
    find_lone_rows(graph, &found);
    lg_status status = lg__storages_judge(graph, &found, err);
    if (status == LG_OK)
        *out = found;
    else
        lg__storages_free(&found);
    return status;
}

void
lg__storages_free(lg__storages *storages)
{
    free(storages->rows);
    free(storages->slot);
    free(storages->classes);
    *storages = (lg__storages){0};
}

// Tensors, the autograd graph behind them, and which of several graphs share a
// forward pass.
#include "findings/autograd.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

uint32_t
lg__grad_fn(const lg__detection *detection, uint32_t tensor)
{
    return lg__detection_attribute(detection, tensor, "grad_fn");
}

bool
lg__has_graph(const lg__detection *detection, uint32_t node)
{
    return lg__grad_fn(detection, node) != LG_NONE;
}

bool
lg__is_scalar(const lg__detection *detection, uint32_t tensor)
{
    uint64_t bytes = lg_node_fact_number(detection->graph, tensor, "bytes", 0);
    return bytes > 0 && bytes <= sizeof(double);
}

// `AddBackward0` of `torch.autograd.AddBackward0`.
bool
lg__is_operation(const lg__detection *detection, uint32_t node,
                 const char *operation)
{
    const lg_graph *graph = detection->graph;
    uint32_t type = lg_columns_type(&graph->columns, node);
    lg_string name = lg_graph_string(graph, graph->type_name[type]);
    size_t length = strlen(operation);
    if (name.length < length)
        return false;
    const char *tail = name.data + name.length - length;
    return memcmp(tail, operation, length) == 0 &&
           (name.length == length || tail[-1] == '.' || tail[-1] == ':');
}

bool
lg__each_next(const lg__detection *detection, uint32_t node,
              lg__next_visit *visit, void *context)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__name_is(lg__detection_name(detection, edge),
                        "next_functions") &&
            !visit(context, lg_columns_target(columns, edge)))
            return false;
    return true;
}

bool
lg__is_leaf(const lg__detection *detection, uint32_t node)
{
    return lg__is_operation(detection, node, "AccumulateGrad");
}

bool
lg__has_optimizer(lg__detection *detection)
{
    return lg__detection_all(detection, LG__TYPE_OPTIMIZER)->count > 0;
}

enum { NODES_LOOKED_AT = 4096 };

static bool
has_saved(const lg__detection *detection, uint32_t node)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        lg_string name = lg__detection_name(detection, edge);
        if ((lg__string_begins(name, "_saved_") ||
             lg__string_begins(name, "_raw_saved_") ||
             lg__string_begins(name, "saved")) &&
            (lg__type_bits_of(detection, lg_columns_target(columns, edge)) &
             LG__TYPE_TENSOR))
            return true;
    }
    return false;
}

// Returns whether a backward pass has freed what the node had saved.
static bool
is_freed(const lg__detection *detection, uint32_t node)
{
    // Each of these saves a tensor, whatever its inputs are.
    static const char *const saving[] = {
        "AddmmBackward0",       "MmBackward0",
        "BmmBackward0",         "BaddbmmBackward0",
        "ConvolutionBackward0", "EmbeddingBackward0",
        "ReluBackward0",        "SigmoidBackward0",
        "TanhBackward0",        "GeluBackward0",
        "SiluBackward0",        "NativeLayerNormBackward0",
        "SoftmaxBackward0",     "NativeBatchNormBackward0",
        "LogSoftmaxBackward0",  "CudnnBatchNormBackward0",
    };
    for (size_t i = 0; i < sizeof saving / sizeof *saving; i++)
        if (lg__is_operation(detection, node, saving[i]))
            return !has_saved(detection, node);
    return false;
}

typedef struct reading {
    lg__detection *detection;
    lg__gathered queue;
    lg__graph_reading found;
} reading;

static bool
visit_reading(void *context, uint32_t node)
{
    reading *to = context;
    lg__detection *detection = to->detection;
    if (detection->seen[node] == detection->searches)
        return true;
    detection->seen[node] = detection->searches;
    if (lg__is_leaf(detection, node)) {
        uint32_t variable =
            lg__detection_attribute(detection, node, "variable");
        uint32_t grad =
            variable == LG_NONE
                ? LG_NONE
                : lg__detection_attribute(detection, variable, "grad");
        to->found.filled |= grad != LG_NONE;
        to->found.higher |= grad != LG_NONE && lg__has_graph(detection, grad);
        return true;
    }
    if (!lg__gather_append(&to->queue, node))
        detection->failed = true;
    return !detection->failed;
}

lg__graph_reading
lg__read_graph(lg__detection *detection, uint32_t tensor)
{
    reading to = {.detection = detection};
    detection->searches++;
    visit_reading(&to, lg__grad_fn(detection, tensor));
    for (size_t i = 0; i < to.queue.count && i < NODES_LOOKED_AT; i++) {
        to.found.saved |= has_saved(detection, to.queue.items[i]);
        to.found.modified |=
            lg_node_fact_number(detection->graph, to.queue.items[i], "modified",
                                0) > 0;
        if (!is_freed(detection, to.queue.items[i]))
            lg__each_next(detection, to.queue.items[i], visit_reading, &to);
    }
    lg__free(to.queue.items);
    return to.found;
}

void
lg__graph_comparison_open(lg__detection *detection, lg__graph_comparison *out)
{
    size_t nodes = detection->graph->columns.node_count;
    *out = (lg__graph_comparison){
        .detection = detection,
        .part = lg__calloc(nodes + 1, sizeof(uint32_t)),
    };
    detection->failed |= out->part == NULL;
}

void
lg__graph_comparison_close(lg__graph_comparison *comparison)
{
    lg__free(comparison->part);
    lg__free(comparison->stack.items);
    *comparison = (lg__graph_comparison){0};
}

void
lg__graph_comparison_begin(lg__graph_comparison *comparison)
{
    comparison->before = comparison->number;
    comparison->looked = 0;
}

static bool
visit_part(void *context, uint32_t node)
{
    lg__graph_comparison *to = context;
    if (to->part[node] == to->number)
        return true;
    if (lg__is_leaf(to->detection, node)) {
        to->ends_alike |= to->part[node] > to->before;
    } else if (to->part[node] > to->before) {
        to->meets = true;
        return false;
    } else if (!lg__gather_append(&to->stack, node)) {
        to->detection->failed = true;
    }
    to->part[node] = to->number;
    return !to->detection->failed;
}

void
lg__graph_comparison_walk(lg__graph_comparison *comparison, uint32_t start)
{
    comparison->number++;
    comparison->stack.count = 0;
    comparison->meets = comparison->ends_alike = false;
    bool going = visit_part(comparison, start);
    while (going && comparison->stack.count > 0 &&
           ++comparison->looked < LG__GRAPH_COMPARISON_NODES)
        going =
            lg__each_next(comparison->detection,
                          comparison->stack.items[--comparison->stack.count],
                          visit_part, comparison);
}

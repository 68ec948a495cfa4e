// Tensors and the autograd graph behind them.
#include "findings/autograd.h"

#include <leakgraph/internal/facts.h>

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
    uint32_t type = graph->columns.type[node];
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
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
        if (lg__name_is(lg__detection_name(detection, edge),
                        "next_functions") &&
            !visit(context, columns->edge_target[edge]))
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

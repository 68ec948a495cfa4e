// Compares the autograd graphs of several tensors: which of them share a
// forward pass.
#include "findings/autograd.h"

#include <stdlib.h>

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

// One call visits the hops out of a node or into it.

#include "pick/direction.h"

#include <leakgraph/internal/hops.h>

lg_status
lg__hops_each(const lg_graph *graph, uint32_t node, lg_direction direction,
              lg__picked_visit visit, void *context, lg_error *err)
{
    lg_hops hops = {0};
    lg_status status = direction == LG_BACKREFS
                           ? lg_node_hops_in(graph, node, &hops, err)
                           : lg_node_hops_out(graph, node, &hops, err);
    if (status)
        return status;
    for (size_t i = 0; i < hops.count; i++) {
        if (!visit(context, &hops.items[i]))
            break;
    }
    lg_hops_free(&hops);
    return LG_OK;
}

// What counts as a thing that a program keeps, where no tensor and no array is.
#include "findings/context.h"

// Returns whether it is data by its category. Functions, classes and modules
// are code, numbers are small, and a bare object() is a mark.
static bool
is_plain_data(const lg__detection *detection, uint32_t node)
{
    const lg_graph *graph = detection->graph;
    lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_CONTAINER:
    case LG_CATEGORY_FRAME:
    case LG_CATEGORY_EXCEPTION:
        return true;
    case LG_CATEGORY_OTHER:
        return !(graph->columns.node_flags[node] & LG_NODE_SYNTHETIC) &&
               !lg__string_is(type, "object");
    case LG_CATEGORY_ATOM:
        return lg__node_role(graph, node) == LG__ROLE_STR ||
               lg__string_is(type, "bytes");
    default:
        return false;
    }
}

bool
lg__detection_is_thing(const lg__detection *detection, uint32_t node)
{
    return !(detection->analysis->policy.mark[node] & LG__MARK_IMPLICIT_ROOT) &&
           is_plain_data(detection, node);
}

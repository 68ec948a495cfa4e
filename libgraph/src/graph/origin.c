// Tells whether an object is the program's or a library's.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/hops.h>

#include <string.h>

static lg__origin
origin_of(lg_string name, lg_string *package)
{
    *package = lg__package_of(name);
    if (package->length == 0)
        return LG__ORIGIN_ANYBODY;
    return lg__package_is_well_known(*package) ? LG__ORIGIN_LIBRARY
                                               : LG__ORIGIN_PROGRAM;
}

// Returns the function that a frame runs, or the module whose code it runs;
// LG_NONE if the frame does not say.
static uint32_t
code_of(const lg_graph *graph, uint32_t frame)
{
    const lg_columns *columns = &graph->columns;
    uint64_t end = columns->first_edge[frame + 1];
    for (uint64_t edge = columns->first_edge[frame]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        unsigned kind = lg__edge_kind(graph, edge);
        if (kind == LG_EDGE_ATTRIBUTE &&
            lg__node_role(graph, target) == LG__ROLE_FUNCTION &&
            lg__package_of(lg_node_text(graph, target)).length > 0)
            return target;
        if (kind == LG_EDGE_GLOBALS &&
            lg_node_folded_into(graph, target) != LG_NONE)
            return lg_node_folded_into(graph, target);
    }
    return LG_NONE;
}

static lg__origin
origin_of_frame(const lg_graph *graph, uint32_t frame, lg_string *package)
{
    uint32_t code = code_of(graph, frame);
    if (code == LG_NONE)
        return lg__node_role(graph, frame) == LG__ROLE_SUSPENDED
                   ? LG__ORIGIN_PROGRAM
                   : LG__ORIGIN_ANYBODY;
    lg_string name = lg_node_text(graph, code);
    *package = lg__package_of(name);
    if (package->length == 0)
        *package = name;
    return lg__package_is_well_known(*package) ? LG__ORIGIN_LIBRARY
                                               : LG__ORIGIN_PROGRAM;
}

lg__origin
lg__node_origin(const lg_graph *graph, uint32_t node, lg_string *package)
{
    lg_string ignored;
    package = package != NULL ? package : &ignored;
    *package = (lg_string){"", 0};
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_TENSOR:
    case LG_CATEGORY_ARRAY:
        return LG__ORIGIN_PROGRAM;
    case LG_CATEGORY_CONTAINER:
        return LG__ORIGIN_ANYBODY;
    case LG_CATEGORY_FUNCTION:
        if (lg__node_role(graph, node) != LG__ROLE_FUNCTION)
            return LG__ORIGIN_ANYBODY;
        return origin_of(lg_node_text(graph, node), package);
    case LG_CATEGORY_TYPE:
        return origin_of(lg_node_text(graph, node), package);
    case LG_CATEGORY_FRAME:
        return origin_of_frame(graph, node, package);
    default:
        break;
    }
    uint32_t type = graph->columns.type[node];
    lg__origin origin = origin_of(lg_graph_type(graph, type).name, package);
    // Programs put modules together, even those of libraries, so a
    // torch.nn.Module is the program's.
    if (origin == LG__ORIGIN_LIBRARY &&
        lg__node_is_a(graph, node, LG__TORCH_MODULE))
        return LG__ORIGIN_PROGRAM;
    return origin;
}

bool
lg__module_is_library(const lg_graph *graph, uint32_t module)
{
    lg_string name = lg_node_text(graph, module);
    lg_string origin = lg_node_fact(graph, module, "origin");
    lg_string package = lg__package_of(name);
    if (package.length == 0)
        package = name;
    if (lg__string_is(name, "__main__") || lg__string_is(name, "__mp_main__"))
        return false;
    if (origin.length > 0 && !lg__string_is(package, "leakgraph"))
        return lg__string_is(origin, "library");
    // A module of the interpreter has no file. Nor does one that a program
    // made.
    return lg__package_is_well_known(package) ||
           (name.length > 0 && name.data[0] == '_');
}

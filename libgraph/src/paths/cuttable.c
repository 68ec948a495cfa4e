// Which references a program can cut, and which of those come to mind first.
#include "paths/paths_private.h"

// The items of these objects never change.
static bool
is_immutable(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
    return lg__node_role(graph, node) == LG__ROLE_TUPLE ||
           category == LG_CATEGORY_ROOT || category == LG_CATEGORY_ATOM ||
           lg__string_is(type, "frozenset") || lg__string_is(type, "code");
}

// Fields that no program can set: a method's `__self__`, a partial's `func`.
static bool
is_fixed_field(const lg_graph *graph, uint32_t node, unsigned kind)
{
    return lg__node_category(graph, node) == LG_CATEGORY_FUNCTION &&
           kind != LG_EDGE_CELL;
}

lg_string
lg__edge_name(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    uint32_t payload = graph->columns.edge_payload[edge];
    if (kind == LG_EDGE_ATTRIBUTE)
        return lg_graph_string(graph, payload);
    if (kind == LG_EDGE_VALUE && payload != LG_NONE)
        return lg_node_text(graph, payload);
    return (lg_string){"", 0};
}

// A shell of IPython does not work without its namespaces: what they name can
// go, they cannot.
bool
lg__edge_is_of_shell(const lg_graph *graph, uint64_t edge)
{
    return lg__string_is(lg__edge_name(graph, edge), "user_ns_hidden");
}

bool
lg__edge_can_be_cut(const lg_graph *graph, uint64_t edge)
{
    unsigned kind = lg__edge_kind(graph, edge);
    switch (kind) {
    case LG_EDGE_TYPE:
    case LG_EDGE_DICT:
    case LG_EDGE_FRAME:
    case LG_EDGE_STACK:
    case LG_EDGE_GLOBALS:
    case LG_EDGE_NATIVE:
    case LG_EDGE_FIELD:
        return false;
    default:
        break;
    }
    uint32_t source = lg_edge_source(graph, edge);
    return !is_immutable(graph, source) &&
           !is_fixed_field(graph, source, kind) &&
           !lg__edge_is_of_shell(graph, edge);
}

bool
lg__edge_is_plain(const lg_graph *graph, uint64_t edge)
{
    lg_hop hop = {.edges = {edge}, .edge_count = 1};
    hop.source = lg_edge_source(graph, edge);
    hop.target = graph->columns.edge_target[edge];
    return lg__edge_can_be_cut(graph, edge) &&
           lg__hop_penalty(graph, &hop) == 0;
}

// Describes a node in a few words.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>

#include <string.h>

// A dot counts in the first word only: `torch.Tensor (C++)` has a last part,
// and `64-byte block of libpython3.11` is one.
lg_string
lg__last_part(lg_string name)
{
    const char *space =
        name.length > 0 ? memchr(name.data, ' ', name.length) : NULL;
    uint32_t start =
        space != NULL ? (uint32_t)(space - name.data) : name.length;
    while (start > 0 && name.data[start - 1] != '.')
        start--;
    return (lg_string){name.data + start, name.length - start};
}

lg_string
lg__node_kind(const lg_graph *graph, uint32_t node)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    return lg__node_is_native(graph, node) ? type : lg__last_part(type);
}

uint64_t
lg__count_elements(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    uint64_t count = 0;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        unsigned kind = lg__edge_kind(graph, edge);
        count += kind == LG_EDGE_INDEX || kind == LG_EDGE_ELEMENT ||
                 kind == LG_EDGE_VALUE;
    }
    return count;
}

// Adds the name of a class: its own, or that of its type entry.
static void
add_class(const lg_graph *graph, uint32_t node, bool long_form, lg_text *out)
{
    lg_string name = lg_node_text(graph, node);
    for (uint32_t type = 0; name.length == 0 && type < graph->type_count;
         type++)
        if (graph->type_node[type] == node)
            name = lg_graph_string(graph, graph->type_name[type]);
    lg_text_add(out, "class");
    if (name.length > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, name);
    }
    if (long_form) {
        lg_string meta =
            lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
        if (!lg__string_is(meta, "type")) {
            lg_text_add(out, " (");
            lg__text_add_string(out, meta);
            lg_text_add(out, ")");
        }
    }
}

// Returns what a wrapper calls, or LG_NONE.
static uint32_t
wrapped_by(const lg_graph *graph, uint32_t node)
{
    static const char *const names[] = {"__func__", "func", "fget"};
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(graph, edge) != LG_EDGE_ATTRIBUTE)
            continue;
        lg_string name = lg_graph_string(
            graph, lg_columns_payload_from(columns, node, edge));
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (lg__string_is(name, names[i]))
                return lg_columns_target(columns, edge);
    }
    return LG_NONE;
}

// Returns the node's own text; of a wrapper without one, that of the function
// that it calls in the end.
static lg_string
text_of(const lg_graph *graph, uint32_t node)
{
    enum { MOST_WRAPPED = 4 };
    lg_string text = lg_node_text(graph, node);
    for (int i = 0; i < MOST_WRAPPED && text.length == 0 &&
                    lg__node_role(graph, node) == LG__ROLE_WRAPPER;
         i++) {
        node = wrapped_by(graph, node);
        if (node == LG_NONE ||
            lg__node_category(graph, node) != LG_CATEGORY_FUNCTION)
            return (lg_string){"", 0};
        text = lg_node_text(graph, node);
    }
    return text;
}

static bool
is_counted(const lg_graph *graph, uint32_t node)
{
    lg__role role = lg__node_role(graph, node);
    return (role == LG__ROLE_SIZED || role == LG__ROLE_TUPLE) &&
           !(lg_columns_flags(&graph->columns, node) & LG_NODE_FRONTIER);
}

// Names the device of a buffer or tensor that is not on the host.
static void
add_device(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_string device = {"", 0};
    uint32_t id = lg_node_device(graph, node);
    if ((lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER) && id != 0)
        device = lg_graph_device_name(graph, id);
    else if (lg__node_category(graph, node) == LG_CATEGORY_TENSOR)
        device = lg_node_fact_text(graph, node, "device");
    if (device.length > 0 && !lg__string_is(device, "cpu")) {
        lg_text_add(out, " ");
        lg__text_add_string(out, device);
    }
}

void
lg_node_title(const lg_graph *graph, lg_node node, bool long_form, lg_text *out)
{
    if (lg__node_category(graph, node) == LG_CATEGORY_TYPE) {
        add_class(graph, node, long_form, out);
        return;
    }
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    lg_string text = text_of(graph, node);
    lg__text_add_string(out, long_form ? type : lg__node_kind(graph, node));
    if (is_counted(graph, node)) {
        lg_text_add(out, " of ");
        lg_text_add_count(out, lg__count_elements(graph, node));
    } else if (text.length > 0) {
        bool quoted = lg__node_role(graph, node) == LG__ROLE_STR;
        lg_text_add(out, quoted ? " '" : " ");
        lg__text_add_string(out, text);
        lg_text_add(out, quoted ? "'" : "");
    }
    add_device(graph, node, out);
}

// Returns whether titles of two nodes of one type name the same device.
static bool
is_same_device(const lg_graph *graph, uint32_t a, uint32_t b)
{
    return lg_node_device(graph, a) == lg_node_device(graph, b) &&
           (lg__node_category(graph, a) != LG_CATEGORY_TENSOR ||
            lg__string_same(lg_node_fact_text(graph, a, "device"),
                            lg_node_fact_text(graph, b, "device")));
}

// A class without a text is named by its type entry, which no other class has.
bool
lg__nodes_alike(const lg_graph *graph, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    const bool counted = is_counted(graph, a);
    if (lg_columns_type(&graph->columns, a) !=
            lg_columns_type(&graph->columns, b) ||
        counted != is_counted(graph, b) || !is_same_device(graph, a, b))
        return false;
    if (counted)
        return lg__count_elements(graph, a) == lg__count_elements(graph, b);
    const lg_string text = text_of(graph, a);
    return (text.length > 0 ||
            lg__node_category(graph, a) != LG_CATEGORY_TYPE) &&
           lg__string_same(text, text_of(graph, b));
}

void
lg__format_node(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    lg_string text = lg_node_text(graph, node);
    lg_category category = lg__node_category(graph, node);
    if (category == LG_CATEGORY_CONTAINER) {
        lg__text_add_string(out, lg__last_part(type));
    } else if (lg__string_is(type, "frame") && text.length > 0) {
        lg__text_add_string(out, text);
    } else if ((category == LG_CATEGORY_TYPE ||
                lg__node_role(graph, node) == LG__ROLE_FUNCTION) &&
               text.length > 0) {
        lg_text_add(out, category == LG_CATEGORY_TYPE ? "class " : "function ");
        lg__text_add_string(out, lg__last_part(text));
    } else {
        lg_node_title(graph, node, false, out);
    }
}

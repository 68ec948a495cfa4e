// Names edges and hops as Python would write them.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>
#include <leakgraph/internal/hops.h>

#include <string.h>

enum { ELEMENTS_SHOWN = 4, VALUES_READ = 64 };

// Returns whether a backslash begins the escape of a control character or of
// one that nobody sees, as graphs keep it: they do not know whether the program
// had the character or the escape. Behind x, u and U come 2, 4 and 8 digits.
static bool
begins_escape(const char *at, size_t length)
{
    static const char letters[] = "xuU";
    static const char hex[] = "0123456789abcdef";
    const char *letter =
        length > 1 ? memchr(letters, at[1], sizeof letters - 1) : NULL;
    size_t digits = letter != NULL ? (size_t)2 << (letter - letters) : 0;
    uint32_t point = 0;
    if (digits == 0 || length < 2 + digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        const char *digit = memchr(hex, at[2 + i], sizeof hex - 1);
        if (digit == NULL)
            return false;
        point = point << 4 | (uint32_t)(digit - hex);
    }
    return point < 0x20 || point >= 0x7f;
}

void
lg__text_add_quoted(lg_text *out, lg_string string)
{
    lg_text_add(out, "'");
    for (uint32_t i = 0; i < string.length; i++) {
        const char *at = string.data + i;
        if (*at == '\'' ||
            (*at == '\\' && !begins_escape(at, string.length - i)))
            lg_text_add(out, "\\");
        lg_text_add_bytes(out, string.data + i, 1);
    }
    lg_text_add(out, "'");
}

// Adds a node's own text, in quotes if it is a str. Returns false if the node
// has none.
static bool
add_text(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_string text = lg_node_text(graph, node);
    if (text.length == 0)
        return false;
    if (lg__node_role(graph, node) == LG__ROLE_STR)
        lg__text_add_quoted(out, text);
    else
        lg__text_add_string(out, text);
    return true;
}

// Writes `(Predictor, 3, 'fast')`. An element without a text shows its type.
static void
add_tuple(const lg_graph *graph, uint32_t tuple, lg_text *out)
{
    const lg_columns *columns = &graph->columns;
    uint32_t count = 0;
    lg_text_add(out, "(");
    const lg_edge_range edges = lg_columns_edges(columns, tuple);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t element = lg_columns_target(columns, edge);
        if (lg__edge_kind(graph, edge) != LG_EDGE_INDEX)
            continue;
        lg_text_add(out, count > 0 ? ", " : "");
        if (count++ == ELEMENTS_SHOWN) {
            lg_text_add(out, "…");
            break;
        }
        if (!add_text(graph, element, out))
            lg__text_add_string(
                out, lg__last_part(
                         lg_graph_type(graph, lg_columns_type(columns, element))
                             .name));
    }
    lg_text_add(out, count == 1 ? ",)" : ")");
}

static bool
is_whole_tuple(const lg_graph *graph, uint32_t node)
{
    return lg__node_role(graph, node) == LG__ROLE_TUPLE &&
           !(lg_columns_flags(&graph->columns, node) & LG_NODE_FRONTIER);
}

bool
lg_key_is_written(const lg_graph *graph, lg_node key)
{
    return lg_node_fact_text(graph, key, "parameter").length > 0 ||
           lg_node_text(graph, key).length > 0 || is_whole_tuple(graph, key);
}

// Writes a key as it stands in brackets: the name of a parameter, its text, its
// elements, or else <type>.
static void
add_key(const lg_graph *graph, uint32_t key, lg_text *out)
{
    if (key == LG_NONE) {
        lg_text_add(out, "?");
        return;
    }
    bool is_str = lg__node_role(graph, key) == LG__ROLE_STR;
    lg_string name = lg_node_fact_text(graph, key, "parameter");
    if (name.length > 0) {
        lg__text_add_string(out, name);
        return;
    }
    if (add_text(graph, key, out))
        return;
    if (is_whole_tuple(graph, key)) {
        add_tuple(graph, key, out);
        return;
    }
    lg_text_add(out, "<");
    lg__text_add_string(
        out, lg_graph_type(graph, lg_columns_type(&graph->columns, key)).name);
    if (!is_str && lg_columns_address(&graph->columns, key) != 0)
        lg_text_addf(
            out, " 0x%llx",
            (unsigned long long)lg_columns_address(&graph->columns, key));
    lg_text_add(out, ">");
}

bool
lg__edge_is_of_variable(const lg_graph *graph, lg_node source, lg_edge edge)
{
    enum { OTHERS = 2 };
    const lg_columns *columns = &graph->columns;
    if (lg__edge_kind(graph, edge) != LG_EDGE_VALUE ||
        lg__node_role(graph, source) != LG__ROLE_CONTEXT_NODE)
        return false;
    lg_node key = lg_columns_payload_from(columns, source, edge);
    return key != LG_NONE && lg_columns_refcount(columns, key) >= OTHERS &&
           lg_node_text(graph, key).length > 0;
}

static void
add_payload_string(const lg_graph *graph, uint32_t payload,
                   const char *otherwise, lg_text *out)
{
    lg_string string = lg_graph_string(graph, payload);
    if (string.length > 0)
        lg__text_add_string(out, string);
    else
        lg_text_add(out, otherwise);
}

enum { DIMENSIONS = 64 }; // of an array of numpy, at most

// Reads the shape of an array: `3, 4`. Returns the number of dimensions; 0 if
// the node has none, or if no array can have so many items. `items` is the
// number of items of one row, at least 1.
static size_t
read_shape(const lg_graph *graph, uint32_t node, uint64_t shape[DIMENSIONS],
           uint64_t *items)
{
    lg_string text = lg_node_fact_text(graph, node, "shape");
    size_t count = 0;
    *items = 1;
    while (text.length > 0 && count < DIMENSIONS) {
        uint32_t length = 0;
        while (length < text.length && text.data[length] != ',')
            length++;
        lg_string number = {text.data, length};
        if (!lg__decimal_read(number, &shape[count]))
            return 0;
        shape[count] += shape[count] == 0; // no item has an index in it
        if (count > 0 && __builtin_mul_overflow(*items, shape[count], items))
            return 0;
        count++;
        length += length + 2 <= text.length ? 2 : 0; // ", "
        text = (lg_string){text.data + length, text.length - length};
    }
    return count;
}

// Writes the index of an item. An array with several dimensions has as many.
// Items are in row-major order. Before each step, `below` is how many items one
// step of the next index passes, and `rest` the number of the item among those
// that have all indices written so far.
static void
add_index(const lg_graph *graph, uint64_t edge, uint64_t rest, lg_text *out)
{
    uint64_t shape[DIMENSIONS];
    uint32_t source = lg_edge_source(graph, edge);
    uint64_t below;
    size_t count = lg__node_category(graph, source) == LG_CATEGORY_ARRAY
                       ? read_shape(graph, source, shape, &below)
                       : 0;
    lg_text_add(out, "[");
    for (size_t i = 1; i < count; i++) {
        lg_text_addf(out, "%llu, ", (unsigned long long)(rest / below));
        rest %= below;
        below /= shape[i];
    }
    lg_text_addf(out, "%llu]", (unsigned long long)rest);
}

void
lg_edge_label(const lg_graph *graph, lg_edge edge, lg_text *out)
{
    uint32_t payload = lg_columns_payload(&graph->columns, edge);
    switch (lg__edge_kind(graph, edge)) {
    case LG_EDGE_ATTRIBUTE:
        lg_text_add(out, ".");
        add_payload_string(graph, payload, "?", out);
        return;
    case LG_EDGE_VALUE:
        lg_text_add(out, "[");
        add_key(graph, payload, out);
        lg_text_add(out, "]");
        return;
    case LG_EDGE_KEY:
        lg_text_add(out, "key ");
        add_key(graph, lg_columns_target(&graph->columns, edge), out);
        return;
    case LG_EDGE_INDEX:
        add_index(graph, edge, payload, out);
        return;
    case LG_EDGE_ELEMENT:
        lg_text_add(out, "element");
        return;
    case LG_EDGE_LOCAL:
        lg_text_add(out, "local ");
        add_payload_string(graph, payload, "?", out);
        return;
    case LG_EDGE_STACK:
        lg_text_add(out, "temporary");
        return;
    case LG_EDGE_CELL:
        lg_text_add(out, ".cell_contents");
        return;
    case LG_EDGE_DICT:
        lg_text_add(out, ".__dict__");
        return;
    case LG_EDGE_GLOBALS:
        add_payload_string(graph, payload, "__globals__", out);
        return;
    case LG_EDGE_TYPE:
        lg_text_add(out, "__class__");
        return;
    case LG_EDGE_REFERENT:
        lg_text_add(out, "weak referent");
        return;
    case LG_EDGE_FIELD:
        lg_text_addf(out, "field +0x%x", payload);
        return;
    case LG_EDGE_FRAME:
        lg_text_addf(out, "frame %u", payload);
        return;
    case LG_EDGE_NATIVE:
        add_payload_string(graph, payload, "native", out);
        return;
    default:
        lg_text_addf(out, "reference %u", payload);
    }
}

static bool
is_identifier(lg_string name)
{
    if (name.length == 0 || (name.data[0] >= '0' && name.data[0] <= '9'))
        return false;
    for (uint32_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (!(c >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
              (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
            return false;
    }
    return true;
}

// Returns the target of a node's attribute, or LG_NONE.
static uint32_t
attribute(const lg_graph *graph, uint32_t node, const char *name)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
            lg__string_is(lg_graph_string(graph, lg_columns_payload_from(
                                                     columns, node, edge)),
                          name))
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

static uint32_t
element(const lg_graph *graph, uint32_t tuple, uint32_t index)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, tuple);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_INDEX &&
            lg_columns_payload_from(columns, tuple, edge) == index)
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

static uint32_t
element_count(const lg_graph *graph, uint32_t tuple)
{
    const lg_columns *columns = &graph->columns;
    uint32_t count = 0;
    const lg_edge_range edges = lg_columns_edges(columns, tuple);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        count += lg__edge_kind(graph, edge) == LG_EDGE_INDEX;
    return count;
}

// Names a closure variable by the code: co_freevars, or from CPython 3.11 on
// (Include/cpython/code.h) the last names of co_localsplusnames.
static lg_string
closure_name(const lg_graph *graph, uint32_t function, uint32_t tuple,
             uint32_t index)
{
    const lg_string none = {"", 0};
    uint32_t code = attribute(graph, function, "__code__");
    if (code == LG_NONE)
        return none;
    uint32_t names = attribute(graph, code, "co_freevars");
    if (names == LG_NONE) {
        names = attribute(graph, code, "co_localsplusnames");
        if (names == LG_NONE)
            return none;
        uint32_t all = element_count(graph, names);
        uint32_t captured = element_count(graph, tuple);
        if (captured > all)
            return none;
        index += all - captured;
    }
    uint32_t name = element(graph, names, index);
    return name == LG_NONE ? none : lg_node_text(graph, name);
}

static void
add_closure_label(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    const lg_columns *columns = &graph->columns;
    uint32_t tuple = lg_columns_target(columns, hop->edges[0]);
    uint32_t index = lg_columns_payload_from(columns, tuple, hop->edges[1]);
    lg_string name = closure_name(graph, hop->source, tuple, index);
    lg_text_add(out, "closure ");
    if (name.length > 0)
        lg__text_add_string(out, name);
    else
        lg_text_addf(out, "[%u]", index);
}

void
lg_hop_label(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    if (hop->edge_count == 1) {
        lg_edge_label(graph, hop->edges[0], out);
        return;
    }
    if (hop->edge_count == 3) {
        add_closure_label(graph, hop, out);
        return;
    }
    uint32_t key = lg_columns_payload(&graph->columns, hop->edges[1]);
    if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_DICT &&
        lg__edge_kind(graph, hop->edges[1]) == LG_EDGE_VALUE &&
        key != LG_NONE && is_identifier(lg_node_text(graph, key))) {
        lg_text_add(out, ".");
        lg__text_add_string(out, lg_node_text(graph, key));
        return;
    }
    if (lg__edge_kind(graph, hop->edges[1]) != LG_EDGE_KEY)
        lg_edge_label(graph, hop->edges[0], out);
    lg_edge_label(graph, hop->edges[1], out);
}

// Whether a hop leads to a value that the snapshot keeps. A key is part of the
// label of its value.
static bool
is_value(const lg_graph *graph, const lg_hop *hop)
{
    unsigned kind = lg__edge_kind(graph, hop->edges[hop->edge_count - 1]);
    lg_category category = lg__node_category(graph, hop->target);
    return !hop->weak &&
           (kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_VALUE ||
            kind == LG_EDGE_INDEX || kind == LG_EDGE_LOCAL) &&
           (category == LG_CATEGORY_ATOM || category == LG_CATEGORY_ARRAY) &&
           lg_node_text(graph, hop->target).length > 0;
}

static bool
has_values(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return lg__string_is(lg_graph_info_find(graph, "previews"), "yes") &&
           category != LG_CATEGORY_MODULE && category != LG_CATEGORY_TYPE &&
           category != LG_CATEGORY_FUNCTION;
}

void
lg_node_values(const lg_graph *graph, lg_node node, size_t most, lg_text *out)
{
    lg_hops hops = {0};
    size_t count = 0;
    if (!has_values(graph, node))
        return;
    out->failed |= lg_node_hops_range(graph, node, false, 0, VALUES_READ, &hops,
                                      NULL) != LG_OK;
    for (size_t i = 0; i < hops.count && count <= most; i++) {
        if (!is_value(graph, &hops.items[i]))
            continue;
        lg_text_add(out, count > 0 ? ", " : "");
        if (count++ == most) {
            lg_text_add(out, "…");
            break;
        }
        lg_hop_label(graph, &hops.items[i], out);
        lg_text_add(out, " = ");
        add_text(graph, hops.items[i].target, out);
    }
    lg_hops_free(&hops);
}

const char *
lg_edge_kind_name(unsigned kind)
{
    static const char *const names[] = {
        "reference", "attribute", "value", "key",    "index",   "element",
        "local",     "stack",     "cell",  "dict",   "globals", "type",
        "referent",  "field",     "frame", "native",
    };
    unsigned bare = kind & LG_EDGE_KIND_MASK;
    return bare < LG_EDGE_KIND_COUNT ? names[bare] : "unknown";
}

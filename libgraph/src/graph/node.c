// What a program asks of one node or edge, without seeing the columns, and
// facts about nodes that have no column.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>

uint32_t
lg_graph_node_count(const lg_graph *graph)
{
    return graph->columns.node_count;
}

uint64_t
lg_graph_edge_count(const lg_graph *graph)
{
    return graph->columns.edge_count;
}

uint64_t
lg_node_address(const lg_graph *graph, lg_node node)
{
    return lg_columns_address(&graph->columns, node);
}

uint32_t
lg_node_type(const lg_graph *graph, lg_node node)
{
    return lg_columns_type(&graph->columns, node);
}

unsigned
lg_node_flags(const lg_graph *graph, lg_node node)
{
    return graph->columns.node_flags[node];
}

void
lg_node_edges(const lg_graph *graph, lg_node node, lg_edge *first, lg_edge *end)
{
    *first = lg_columns_first_edge(&graph->columns, node);
    *end = lg_columns_first_edge(&graph->columns, node + 1);
}

lg_node
lg_edge_target(const lg_graph *graph, lg_edge edge)
{
    return graph->columns.edge_target[edge];
}

lg_edge_kind
lg_edge_kind_of(const lg_graph *graph, lg_edge edge)
{
    return (lg_edge_kind)(graph->columns.edge_kind[edge] & LG_EDGE_KIND_MASK);
}

unsigned
lg_edge_flags(const lg_graph *graph, lg_edge edge)
{
    return graph->columns.edge_kind[edge] & ~(unsigned)LG_EDGE_KIND_MASK;
}

bool
lg__fact_is_users(lg_string key)
{
    static const char *const ours[] = {
        "dtype",         "shape",
        "bytes",         "device",
        "layout",        "memory",
        "requires_grad", "saved",
        "hooked",        "allocation",
        "number",        "size",
        "axes",          "artists",
        "canvas",        "closed",
        "not inspected", "mode",
        "columns",       "origin",
        "maxlen",        "maxsize",
        "modified",      "limit",
        "used",          "table allocation",
        "table bytes",   "buffer allocation",
        "blocks",        "library",
        "lifetime",
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (lg__string_is(key, ours[i]))
            return false;
    return true;
}

static uint32_t
first_of(const lg_graph *graph, uint32_t node)
{
    return lg__ascending_place(graph->fact_node, graph->fact_count, node);
}

uint32_t
lg_node_equal(const lg_graph *graph, lg_node node)
{
    uint32_t at =
        lg__ascending_find(graph->equal_node, graph->equal_count, node);
    return at == LG_NONE ? LG_NONE : graph->equal_group[at];
}

lg_string
lg_node_fact(const lg_graph *graph, lg_node node, const char *key)
{
    for (uint32_t i = first_of(graph, node);
         i < graph->fact_count && graph->fact_node[i] == node; i++)
        if (lg__string_is(lg_graph_string(graph, graph->fact_key[i]), key))
            return lg_graph_string(graph, graph->fact_value[i]);
    return (lg_string){"", 0};
}

bool
lg__decimal_read(lg_string text, uint64_t *out)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < text.length; i++) {
        unsigned digit = (unsigned)(text.data[i] - '0');
        if (digit > 9 || number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    if (text.length > 0)
        *out = number;
    return text.length > 0;
}

uint64_t
lg_node_fact_number(const lg_graph *graph, lg_node node, const char *key,
                    uint64_t otherwise)
{
    uint64_t number = otherwise;
    lg__decimal_read(lg_node_fact(graph, node, key), &number);
    return number;
}

// A number or a bool by its key, not by its digits: an array's "shape" of one
// dimension is a text, too.
static lg_fact_type
type_of_fact(lg_string key)
{
    static const char *const bools[] = {"requires_grad", "closed"};
    static const char *const numbers[] = {
        "bytes",   "saved",  "hooked",      "modified", "number", "axes",
        "artists", "canvas", "maxsize",     "hits",     "misses", "maxlen",
        "limit",   "used",   "table bytes", "lifetime",
    };
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if (lg__string_is(key, bools[i]))
            return LG_FACT_BOOL;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (lg__string_is(key, numbers[i]))
            return LG_FACT_NUMBER;
    return LG_FACT_TEXT;
}

bool
lg_node_fact_at(const lg_graph *graph, lg_node node, uint32_t index,
                lg_fact *out)
{
    uint32_t first = first_of(graph, node);
    if (index >= graph->fact_count - first ||
        graph->fact_node[first + index] != node)
        return false;
    lg_fact fact = {
        .key = lg_graph_string(graph, graph->fact_key[first + index]),
        .text = lg_graph_string(graph, graph->fact_value[first + index]),
    };
    fact.type = type_of_fact(fact.key);
    if (fact.type == LG_FACT_BOOL)
        fact.number = lg__string_is(fact.text, "yes");
    else if (fact.type == LG_FACT_NUMBER &&
             !lg__decimal_read(fact.text, &fact.number))
        fact.type = LG_FACT_TEXT;
    *out = fact;
    return true;
}

uint64_t
lg__info_number(const lg_graph *graph, const char *key)
{
    uint64_t number;
    return lg__decimal_read(lg_graph_info_find(graph, key), &number) ? number
                                                                     : 0;
}

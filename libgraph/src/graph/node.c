// What a program asks of one node or edge, without seeing the columns, and
// facts about nodes that have no column.
#include "graph/graph_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

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
    return lg_columns_flags(&graph->columns, node);
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
    return lg_columns_target(&graph->columns, edge);
}

lg_edge_kind
lg_edge_kind_of(const lg_graph *graph, lg_edge edge)
{
    return (lg_edge_kind)(lg_columns_kind(&graph->columns, edge) &
                          LG_EDGE_KIND_MASK);
}

unsigned
lg_edge_flags(const lg_graph *graph, lg_edge edge)
{
    return lg_columns_kind(&graph->columns, edge) &
           ~(unsigned)LG_EDGE_KIND_MASK;
}

// The facts that leakgraph's own adapters and rooms write, in byte order of
// their keys. The key says what the value is, not its digits: an array's
// "shape" of one dimension is a text, too. None of these has a text of the
// user; facts with other keys may.
typedef struct known_fact {
    const char *key;
    lg_fact_type type;
} known_fact;

static const known_fact known_facts[] = {
    {"allocation", LG_FACT_TEXT},
    {"artists", LG_FACT_NUMBER},
    {"axes", LG_FACT_NUMBER},
    {"blocks", LG_FACT_NUMBER},
    {"buffer allocation", LG_FACT_TEXT},
    {"bytes", LG_FACT_NUMBER},
    {"canvas", LG_FACT_NUMBER},
    {"closed", LG_FACT_BOOL},
    {"columns", LG_FACT_TEXT},
    {"device", LG_FACT_TEXT},
    {"dtype", LG_FACT_TEXT},
    {"hits", LG_FACT_NUMBER},
    {"hooked", LG_FACT_NUMBER},
    {"layout", LG_FACT_TEXT},
    {"library", LG_FACT_TEXT},
    {"lifetime", LG_FACT_NUMBER},
    {"limit", LG_FACT_NUMBER},
    {"maxlen", LG_FACT_NUMBER},
    {"maxsize", LG_FACT_NUMBER},
    {"memory", LG_FACT_TEXT},
    {"misses", LG_FACT_NUMBER},
    {"mode", LG_FACT_TEXT},
    {"modified", LG_FACT_NUMBER},
    {"not inspected", LG_FACT_TEXT},
    {"number", LG_FACT_NUMBER},
    {"origin", LG_FACT_TEXT},
    {"requires_grad", LG_FACT_BOOL},
    {"saved", LG_FACT_NUMBER},
    {"shape", LG_FACT_TEXT},
    {"size", LG_FACT_TEXT},
    {"table allocation", LG_FACT_TEXT},
    {"table bytes", LG_FACT_NUMBER},
    {"used", LG_FACT_NUMBER},
};

static int
compare_known(const void *key, const void *known)
{
    return lg__string_compare(*(const lg_string *)key,
                              lg__string_of(((const known_fact *)known)->key));
}

static const known_fact *
find_known(lg_string key)
{
    return bsearch(&key, known_facts, sizeof known_facts / sizeof *known_facts,
                   sizeof *known_facts, compare_known);
}

bool
lg__fact_is_users(lg_string key)
{
    return find_known(key) == NULL;
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

static bool
read_bool(lg_string text, uint64_t *out)
{
    *out = lg__string_is(text, "yes");
    return *out || lg__string_is(text, "no");
}

lg_fact
lg__fact_of(const lg_graph *graph, uint32_t index)
{
    lg_fact fact = {
        .key = lg_graph_string(graph, graph->fact_key[index]),
        .text = lg_graph_string(graph, graph->fact_value[index]),
    };
    const known_fact *known = find_known(fact.key);
    fact.type = known != NULL ? known->type : LG_FACT_TEXT;
    if ((fact.type == LG_FACT_BOOL && !read_bool(fact.text, &fact.number)) ||
        (fact.type == LG_FACT_NUMBER &&
         !lg__decimal_read(fact.text, &fact.number)))
        fact.type = LG_FACT_TEXT;
    return fact;
}

bool
lg_node_fact_at(const lg_graph *graph, lg_node node, uint32_t index,
                lg_fact *out)
{
    uint32_t first = first_of(graph, node);
    if (index >= graph->fact_count - first ||
        graph->fact_node[first + index] != node)
        return false;
    *out = lg__fact_of(graph, first + index);
    return true;
}

bool
lg_node_fact(const lg_graph *graph, lg_node node, const char *key, lg_fact *out)
{
    for (uint32_t i = first_of(graph, node);
         i < graph->fact_count && graph->fact_node[i] == node; i++)
        if (lg__string_is(lg_graph_string(graph, graph->fact_key[i]), key)) {
            *out = lg__fact_of(graph, i);
            return true;
        }
    return false;
}

static bool
find_typed(const lg_graph *graph, lg_node node, const char *key,
           lg_fact_type type, lg_fact *out)
{
    return lg_node_fact(graph, node, key, out) && out->type == type;
}

lg_string
lg_node_fact_text(const lg_graph *graph, lg_node node, const char *key)
{
    lg_fact fact;
    return find_typed(graph, node, key, LG_FACT_TEXT, &fact)
               ? fact.text
               : (lg_string){"", 0};
}

uint64_t
lg_node_fact_number(const lg_graph *graph, lg_node node, const char *key,
                    uint64_t otherwise)
{
    lg_fact fact;
    return find_typed(graph, node, key, LG_FACT_NUMBER, &fact) ? fact.number
                                                               : otherwise;
}

bool
lg_node_fact_bool(const lg_graph *graph, lg_node node, const char *key,
                  bool otherwise)
{
    lg_fact fact;
    return find_typed(graph, node, key, LG_FACT_BOOL, &fact) ? fact.number != 0
                                                             : otherwise;
}

uint64_t
lg__info_number(const lg_graph *graph, const char *key)
{
    uint64_t number;
    return lg__decimal_read(lg_graph_info_find(graph, key), &number) ? number
                                                                     : 0;
}

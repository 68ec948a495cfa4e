// Finds what views show of the memory that they keep.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

enum { VIEWS_LOOKED_AT = 1000 };

bool
lg__views_begin(lg__views *views, const lg_graph *graph)
{
    *views = (lg__views){.graph = graph};
    views->seen =
        lg__calloc((size_t)graph->columns.node_count + 1, sizeof *views->seen);
    return views->seen != NULL && lg__graph_reverse(graph, &views->reverse);
}

void
lg__views_end(lg__views *views)
{
    lg__free(views->seen);
    lg__free(views->arrays.items);
    lg__free(views->held.items);
    *views = (lg__views){0};
}

// Returns whether the edge leads from a view to its base: an array, a
// memoryview and its buffer, or a tensor of memory that another library owns.
static bool
is_views_edge(const lg_graph *graph, uint64_t edge)
{
    static const char *const names[] = {"base", "_base", "obj",
                                        "borrowed memory"};
    unsigned kind = lg__edge_kind(graph, edge);
    if (kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_NATIVE)
        return false;
    lg_string name =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    if (name.length > 0 && name.data[0] == '.')
        name = (lg_string){name.data + 1, name.length - 1};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

static bool
add_array(lg__views *to, uint32_t node)
{
    if (to->seen[node] == to->searches)
        return true;
    to->seen[node] = to->searches;
    return lg__gather_append(&to->arrays, node);
}

// Adds the views of an array. *seen tells whether something else refers to it,
// too.
static bool
look_at_holders(lg__views *to, uint32_t array, bool *seen)
{
    const lg_columns *columns = &to->graph->columns;
    bool enough = true;
    *seen = lg_node_unexplained(to->graph, array) > 0;
    for (uint64_t i = lg__first_in(&to->reverse, array);
         i < lg__first_in(&to->reverse, array + 1) && enough; i++) {
        lg__in_edge in = lg__in_at(&to->reverse, i);
        uint64_t edge = in.edge;
        if (lg_columns_kind(columns, edge) & LG_EDGE_WEAK)
            continue;
        if (is_views_edge(to->graph, edge))
            enough = add_array(to, in.source);
        else
            *seen = true;
    }
    return enough;
}

static bool
look_at_array(lg__views *to, uint32_t array)
{
    bool seen;
    if (!look_at_holders(to, array, &seen))
        return false;
    if (!seen)
        return true;
    uint64_t shown = lg_node_fact_number(to->graph, array, "bytes", UINT64_MAX);
    to->unknown |= shown == UINT64_MAX;
    to->shown += shown;
    if (to->widest == LG_NONE || shown > to->widest_shown) {
        to->widest = array;
        to->widest_shown = shown;
    }
    return lg__gather_append(&to->held, array);
}

// Views of views come at the end of the list while the loop runs. Each search
// adds an array once, so it ends.
bool
lg__views_look(lg__views *to, uint32_t memory)
{
    bool enough = true;
    to->searches++;
    to->arrays.count = to->held.count = 0;
    to->shown = to->widest_shown = 0;
    to->widest = LG_NONE;
    for (uint64_t i = lg__first_in(&to->reverse, memory);
         i < lg__first_in(&to->reverse, memory + 1) && enough; i++)
        enough = add_array(to, lg__in_source(&to->reverse, i));
    to->unknown = to->arrays.count > VIEWS_LOOKED_AT;
    for (size_t i = 0; i < to->arrays.count && !to->unknown && enough; i++) {
        enough = look_at_array(to, to->arrays.items[i]);
        to->unknown |= to->arrays.count > VIEWS_LOOKED_AT;
    }
    return enough;
}

bool
lg__node_is_memory(const lg_graph *graph, uint32_t node)
{
    uint32_t type = lg_columns_type(&graph->columns, node);
    return (lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER) ||
           (lg__string_is(lg_graph_type(graph, type).name, "bytes") &&
            lg_node_unexplained(graph, node) <= 0);
}

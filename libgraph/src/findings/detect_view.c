// Small views that keep a big base.
#include "findings/context.h"

#include <stdlib.h>

enum {
    SMALL_PART =
        8, // the base is a finding if views show at most one part in so many
    VIEWS_LOOKED_AT = 1000,
    LEVELS = 4, // between an array and a block of a DataFrame
};

typedef struct looking {
    lg__detection *detection;
    lg__gathered arrays; // views of it, views of views included
    uint64_t shown;      // shown by views that anything else refers to
    uint32_t widest;     // of those
    uint64_t widest_shown;
    bool unknown; // something shows an unknown part of it
} looking;

static void
add_array(looking *to, uint32_t node)
{
    lg__detection *detection = to->detection;
    if (detection->seen[node] == detection->searches)
        return;
    detection->seen[node] = detection->searches;
    if (!lg__gather_append(&to->arrays, node))
        detection->failed = true;
}

// Returns whether a view refers to its base by this edge: an array, a
// memoryview and its buffer, a tensor of somebody else's memory.
static bool
is_views_edge(const lg__detection *detection, uint64_t edge)
{
    static const char *const names[] = {"base", "_base", "obj",
                                        "borrowed memory"};
    lg_string name = lg__detection_name(detection, edge);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

// A bytes object has its memory in itself.
static bool
is_memory(const lg__detection *detection, uint32_t node)
{
    const lg_graph *graph = detection->graph;
    uint32_t type = graph->columns.type[node];
    return (graph->columns.node_flags[node] & LG_NODE_BUFFER) ||
           (lg__string_is(lg_graph_type(graph, type).name, "bytes") &&
            lg_node_unexplained(graph, node) <= 0);
}

// Adds the views of an array. True if anything else refers to it.
static bool
look_at_holders(looking *to, uint32_t array)
{
    const lg__detection *detection = to->detection;
    const lg__reverse *reverse = &detection->walk.reverse;
    const lg_columns *columns = &detection->graph->columns;
    bool seen = lg_node_unexplained(detection->graph, array) > 0;
    for (uint64_t i = reverse->first[array]; i < reverse->first[array + 1];
         i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        if (columns->edge_kind[edge] & LG_EDGE_WEAK)
            continue;
        if (is_views_edge(detection, edge))
            add_array(to, in.source);
        else
            seen = true;
    }
    return seen;
}

static void
look_at_array(looking *to, uint32_t array)
{
    if (!look_at_holders(to, array))
        return;
    uint64_t shown =
        lg_node_fact_number(to->detection->graph, array, "bytes", UINT64_MAX);
    to->unknown |= shown == UINT64_MAX;
    to->shown += shown;
    if (to->widest == LG_NONE || shown > to->widest_shown) {
        to->widest = array;
        to->widest_shown = shown;
    }
}

static void
look_at_buffer(looking *to, uint32_t buffer)
{
    lg__detection *detection = to->detection;
    const lg__reverse *reverse = &detection->walk.reverse;
    detection->searches++;
    to->arrays.count = 0;
    to->shown = to->widest_shown = 0;
    to->widest = LG_NONE;
    to->unknown = false;
    for (uint64_t i = reverse->first[buffer]; i < reverse->first[buffer + 1];
         i++)
        add_array(to, reverse->edge[i].source);
    for (size_t i = 0; i < to->arrays.count && !to->unknown; i++)
        look_at_array(to, to->arrays.items[i]);
    to->unknown |= to->arrays.count > VIEWS_LOOKED_AT;
}

// Returns whether a DataFrame or Series shows the array: a block of pandas has
// it, or the extension array in such a block.
static bool
is_of_frame(const lg__detection *detection, uint32_t node)
{
    for (int i = 0; i < LEVELS && node != LG_NONE; i++) {
        node = lg_node_dominator(detection->analysis, node);
        if (node != LG_NONE && lg__node_is_a(detection->graph, node,
                                             "pandas._libs.internals.Block"))
            return true;
    }
    return false;
}

static void
look_at_views(lg__detection *detection, bool of_frames)
{
    const lg_columns *columns = &detection->graph->columns;
    looking at = {.detection = detection};
    for (uint32_t node = 0; node < columns->node_count && !detection->failed;
         node++) {
        uint64_t size = lg_node_size(detection->graph, node);
        if (size < 64 << 10 || !is_memory(detection, node))
            continue;
        look_at_buffer(&at, node);
        if (at.widest != LG_NONE && !at.unknown &&
            at.shown <= size / SMALL_PART &&
            is_of_frame(detection, at.widest) == of_frames)
            lg__detection_note(detection, at.widest, node);
    }
    free(at.arrays.items);
}

void
lg__look_for_small_views(lg__detection *detection)
{
    look_at_views(detection, false);
}

void
lg__look_for_slices(lg__detection *detection)
{
    look_at_views(detection, true);
}

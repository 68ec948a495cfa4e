// Searches around a node.
#include "findings/context.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

bool
lg__name_is(lg_string name, const char *wanted)
{
    size_t length = strlen(wanted);
    return lg__string_begins(name, wanted) &&
           (name.length == length || name.data[length] == '[');
}

static lg_string
without_dot(lg_string name)
{
    if (name.length == 0 || name.data[0] != '.')
        return name;
    return (lg_string){name.data + 1, name.length - 1};
}

lg_string
lg__detection_name(const lg__detection *detection, uint64_t edge)
{
    const lg_graph *graph = detection->graph;
    uint32_t payload = lg_columns_payload(&graph->columns, edge);
    switch (lg__edge_kind(graph, edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_NATIVE:
    case LG_EDGE_LOCAL:
        return without_dot(lg_graph_string(graph, payload));
    case LG_EDGE_VALUE: // LG_NONE has no text
        return lg_node_text(graph, payload);
    default:
        return (lg_string){"", 0};
    }
}

static uint32_t
find_named(const lg__detection *detection, uint32_t node, const char *name,
           bool is_dict)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_string wanted = {name, (uint32_t)strlen(name)};
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        unsigned kind = lg__edge_kind(detection->graph, edge);
        if (is_dict ? kind != LG_EDGE_VALUE
                    : kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_NATIVE)
            continue;
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            lg__string_same(lg__detection_name(detection, edge), wanted))
            return lg_columns_target(columns, edge);
    }
    return LG_NONE;
}

uint32_t
lg__detection_item(const lg__detection *detection, uint32_t dict,
                   const char *key)
{
    return find_named(detection, dict, key, true);
}

uint32_t
lg__detection_attribute(const lg__detection *detection, uint32_t node,
                        const char *name)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t found = find_named(detection, node, name, false);
    uint64_t end = lg_columns_first_edge(columns, node + 1);
    for (uint64_t edge = lg_columns_first_edge(columns, node);
         edge < end && found == LG_NONE; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_DICT)
            found = find_named(detection, lg_columns_target(columns, edge),
                               name, true);
    return found;
}

uint32_t
lg__detection_module(const lg__detection *detection, const char *name)
{
    const lg_graph *graph = detection->graph;
    uint32_t root = lg__module_find(graph, name, strlen(name));
    return root != LG_NONE ? graph->root_node[root] : LG_NONE;
}

// Thousands of searches may pass through one container of thousands of objects:
// each of the frames of as many exceptions refers to the list of all of them.
// So the searches of a detector share an allowance. Once it is used up, each
// sees only what is near.
enum { HOPS_OF_ONE = 1 << 18, HOPS_OF_ALL = 1 << 22, HOPS_NEAR = 1 << 9 };

typedef struct searching {
    lg__detection *detection;
    const lg__search *search;
    lg__gathered queue;
    lg__gathered *out;
    uint32_t left; // how many hops it may still look at
} searching;

static bool
goes_through(const searching *state, uint32_t node)
{
    const lg__detection *detection = state->detection;
    unsigned type_bits = lg__type_bits_of(detection, node);
    if (type_bits & LG__TYPE_OPAQUE)
        return false;
    if (type_bits & state->search->through)
        return true;
    return (type_bits & ~(unsigned)LG__TYPE_INSTANCE) == 0 &&
           state->search->instances &&
           lg__node_category(detection->graph, node) == LG_CATEGORY_OTHER;
}

// Returns whether PyTorch itself keeps it in a torch.nn.Module; the user put
// nothing there.
static bool
is_internal(const lg__detection *detection, const lg_hop *hop)
{
    static const char *const names[] = {"_modules", "_parameters", "_buffers"};
    if (!(lg__type_bits_of(detection, hop->source) & LG__TYPE_MODULE))
        return false;
    lg_string name =
        lg__detection_name(detection, hop->edges[hop->edge_count - 1]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return name.length > 6 &&
           memcmp(name.data + name.length - 6, "_hooks", 6) == 0;
}

static bool
look_at(void *context, const lg_hop *hop)
{
    searching *state = context;
    lg__detection *detection = state->detection;
    unsigned last =
        lg__edge_kind(detection->graph, hop->edges[hop->edge_count - 1]);
    unsigned first = lg__edge_kind(detection->graph, hop->edges[0]);
    if (state->left == 0)
        return false;
    state->left--;
    detection->hops++;
    if (hop->weak || last == LG_EDGE_TYPE || last == LG_EDGE_GLOBALS ||
        first == LG_EDGE_GLOBALS ||
        (!state->search->parameters && is_internal(detection, hop)) ||
        detection->seen[hop->target] == detection->searches)
        return true;
    detection->seen[hop->target] = detection->searches;
    bool enough = true;
    if (lg__type_bits_of(detection, hop->target) & state->search->wanted) {
        if (state->search->accept == NULL ||
            state->search->accept(detection, hop->target))
            enough = lg__gather_append(state->out, hop->target) &&
                     (state->search->stores == NULL ||
                      lg__gather_append(state->search->stores, hop->source));
    } else if (goes_through(state, hop->target)) {
        enough = lg__gather_append(&state->queue, hop->target);
    }
    detection->failed |= !enough;
    return enough;
}

// A node is seen if it has the number of this search, so nothing needs to be
// cleared between searches.
void
lg__detection_search(lg__detection *detection, uint32_t start,
                     const lg__search *search, lg__gathered *out)
{
    searching state = {.detection = detection,
                       .search = search,
                       .out = out,
                       .left = detection->hops < HOPS_OF_ALL ? HOPS_OF_ONE
                                                             : HOPS_NEAR};
    lg__hop_walk walk = detection->walk;
    walk.visit = look_at;
    walk.context = &state;
    start = lg__seen_node(detection->walk.fold, start);
    detection->seen[start] = ++detection->searches;
    detection->failed |= !lg__gather_append(&state.queue, start);
    size_t begin = 0;
    for (unsigned depth = 0; depth < search->depth; depth++) {
        size_t end = state.queue.count;
        for (; begin < end; begin++)
            lg__hops_out_walk(&walk, state.queue.items[begin]);
    }
    lg__free(state.queue.items);
}

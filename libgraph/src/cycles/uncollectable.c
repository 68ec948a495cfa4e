// Finds why garbage is not collectable. What the collector's arithmetic cannot
// explain keeps an object alive, and all that the object leads to. There is one
// search per reason, the strongest first: if native code holds an object, it
// does not matter that it is also frozen. Each search starts from the objects
// with the reason themselves, so a culprit is a nearest one.
#include "cycles/cycles_private.h"

#include <stdlib.h>
#include <string.h>

// The state of a node that is not held, and has no reason yet.
enum { OTHER = 1 + LG_REASON_NONE };

typedef struct search {
    const lg_graph *graph;
    lg__uncollectable *known;
    uint32_t *queue; // room for all nodes that are not held
    uint32_t queued;
} search;

static bool
is_strong(const lg_graph *graph, uint64_t edge)
{
    return !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK);
}

// Marks what roots hold. Returns NULL when memory ran out.
static uint8_t *
find_held(const lg_graph *graph)
{
    uint8_t *held = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    if (held == NULL)
        return NULL;
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE)
            held[graph->root_node[i]] = LG__REACHED;
    if (lg__reach(&graph->columns, LG_EDGE_WEAK, 0, held))
        return held;
    lg__free(held);
    return NULL;
}

static bool
list_others(const lg_graph *graph, lg__gathered *out)
{
    uint8_t *held = find_held(graph);
    bool enough = held != NULL;
    for (uint32_t node = 0; node < graph->columns.node_count && enough; node++)
        if (!held[node])
            enough = lg__gather_append(out, node);
    lg__free(held);
    return enough;
}

// The first reason that reaches a node is its reason for good. So a node enters
// the queue once in all searches.
static void
accuse(search *state, uint32_t node, lg_cycle_reason reason, uint32_t culprit)
{
    if (state->known->state[node] != OTHER)
        return;
    state->known->state[node] = (uint8_t)(1 + reason);
    state->known->culprit[node] = culprit;
    state->queue[state->queued++] = node;
}

static lg_cycle_reason
reason_of_node(const lg_graph *graph, uint32_t node)
{
    if (lg_node_unexplained(graph, node) > 0)
        return LG_REASON_NATIVE;
    const unsigned both = LG_NODE_TRACKED | LG_NODE_FROZEN;
    if ((lg_columns_flags(&graph->columns, node) & both) == both)
        return LG_REASON_FROZEN;
    return LG_REASON_NONE;
}

// Returns why the collector does not subtract a reference from the count of a
// tracked target; LG_REASON_NONE: it does. A source without a Python object is
// native code with a name; the collector cannot traverse C++ objects.
static lg_cycle_reason
reason_of_edge(const lg_graph *graph, uint32_t source, uint64_t edge)
{
    const lg_columns *columns = &graph->columns;
    uint8_t kind = lg_columns_kind(columns, edge);
    unsigned flags = lg_columns_flags(columns, source);
    uint32_t target = lg_columns_target(columns, edge);
    if ((kind & LG_EDGE_UNCOUNTED) ||
        !(lg_columns_flags(columns, target) & LG_NODE_TRACKED))
        return LG_REASON_NONE;
    if (flags & LG_NODE_CPP)
        return LG_REASON_UNTRAVERSED;
    if (flags & LG_NODE_SYNTHETIC)
        return LG_REASON_NATIVE;
    if (!(kind & LG_EDGE_TRAVERSED))
        return LG_REASON_UNTRAVERSED;
    if (!(flags & LG_NODE_TRACKED))
        return LG_REASON_UNTRACKED;
    return (flags & LG_NODE_FROZEN) ? LG_REASON_FROZEN : LG_REASON_NONE;
}

static void
seed(search *state, uint32_t node, lg_cycle_reason reason)
{
    const lg_graph *graph = state->graph;
    const lg_columns *columns = &graph->columns;
    if (reason_of_node(graph, node) == reason)
        accuse(state, node, reason, node);
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_strong(graph, edge) &&
            reason_of_edge(graph, node, edge) == reason)
            accuse(state, lg_columns_target(columns, edge), reason, node);
}

static void
spread(search *state, lg_cycle_reason reason)
{
    const lg_columns *columns = &state->graph->columns;
    for (uint32_t at = 0; at < state->queued; at++) {
        uint32_t node = state->queue[at];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (is_strong(state->graph, edge))
                accuse(state, lg_columns_target(columns, edge), reason,
                       state->known->culprit[node]);
    }
}

static void
find_culprits(search *state, const lg__gathered *others)
{
    static const lg_cycle_reason order[] = {
        LG_REASON_NATIVE,
        LG_REASON_FROZEN,
        LG_REASON_UNTRAVERSED,
        LG_REASON_UNTRACKED,
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        state->queued = 0;
        for (size_t at = 0; at < others->count; at++)
            seed(state, others->items[at], order[i]);
        spread(state, order[i]);
    }
}

lg_status
lg__uncollectable_find(const lg_graph *graph, const lg__gathered *nodes,
                       lg__uncollectable *known, lg_error *err)
{
    search state = {
        .graph = graph,
        .known = known,
        .queue = lg__alloc((nodes->count + 1) * sizeof *state.queue),
    };
    if (state.queue == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < nodes->count; i++)
        known->state[nodes->items[i]] = OTHER;
    find_culprits(&state, nodes);
    lg__free(state.queue);
    return LG_OK;
}

lg_status
lg__uncollectable_begin(const lg_graph *graph, lg__uncollectable *out,
                        lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    lg__uncollectable made = {
        lg__sparse_calloc(nodes, 1),
        lg__sparse_calloc(nodes, sizeof *made.culprit),
    };
    if (made.state == NULL || made.culprit == NULL) {
        lg__uncollectable_free(&made);
        return lg__error_memory(err);
    }
    *out = made;
    return LG_OK;
}

lg_status
lg__uncollectable_new(const lg_graph *graph, lg__uncollectable *out,
                      lg_error *err)
{
    lg__gathered others = {0};
    lg__uncollectable made = {0};
    lg_status status = lg__uncollectable_begin(graph, &made, err);
    if (status == LG_OK && !list_others(graph, &others))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__uncollectable_find(graph, &others, &made, err);
    if (status == LG_OK)
        *out = made;
    else
        lg__uncollectable_free(&made);
    lg__free(others.items);
    return status;
}

static bool
is_unseen(const lg_analysis *analysis, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_cycle_reason reason = reason_of_edge(graph, source, edge);
    return is_strong(graph, edge) &&
           (reason == LG_REASON_UNTRAVERSED || reason == LG_REASON_UNTRACKED) &&
           lg_node_component(analysis,
                             lg_columns_target(&graph->columns, edge)) ==
               lg_node_component(analysis, source);
}

// Returns whether the collector cannot see an edge between two members. Then
// the count of its target never falls to zero by what the collector subtracts,
// although the reference comes from the component itself.
bool
lg__component_is_stuck(const lg_analysis *analysis, uint32_t component)
{
    const lg_columns *columns = &lg_analysis_graph(analysis)->columns;
    lg_component members = lg_analysis_component(analysis, component);
    for (uint32_t i = 0; i < members.count; i++) {
        uint32_t node = members.nodes[i];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (is_unseen(analysis, node, edge))
                return true;
    }
    return false;
}

void
lg__uncollectable_free(lg__uncollectable *uncollectable)
{
    lg__free(uncollectable->state);
    lg__free(uncollectable->culprit);
    *uncollectable = (lg__uncollectable){0};
}

const char *
lg_cycle_reason_name(lg_cycle_reason reason)
{
    static const char *const names[] = {"none", "native", "untraversed",
                                        "frozen", "untracked"};
    size_t index = (size_t)reason;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

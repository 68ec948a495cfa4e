// Finds why garbage is not collectable. What the collector's arithmetic cannot
// explain keeps an object alive, and all that the object leads to. There is one
// search per reason, the strongest first: if native code holds an object, it
// does not matter that it is also frozen. Each search starts from the objects
// with the reason themselves, so a culprit is a nearest one.
#include "cycles/cycles_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct search {
    const lg_graph *graph;
    lg__uncollectable uncollectable;
    lg__gathered others; // nodes that are not held
    uint32_t *queue;     // room for all of `others`
    uint32_t queued;
} search;

static bool
is_strong(const lg_graph *graph, uint64_t edge)
{
    return !(graph->columns.edge_kind[edge] & LG_EDGE_WEAK);
}

static bool
mark_held(search *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE)
            state->uncollectable.held[graph->root_node[i]] = LG__REACHED;
    return lg__reach(&graph->columns, LG_EDGE_WEAK, 0,
                     state->uncollectable.held);
}

static bool
list_others(search *state)
{
    bool enough = true;
    for (uint32_t node = 0; node < state->graph->columns.node_count && enough;
         node++)
        if (!state->uncollectable.held[node])
            enough = lg__gather_append(&state->others, node);
    return enough;
}

static void
accuse(search *state, uint32_t node, lg_cycle_reason reason, uint32_t culprit)
{
    if (state->uncollectable.held[node] ||
        state->uncollectable.reason[node] != LG_REASON_NONE)
        return;
    state->uncollectable.reason[node] = (uint8_t)reason;
    state->uncollectable.culprit[node] = culprit;
    state->queue[state->queued++] = node;
}

static lg_cycle_reason
reason_of_node(const lg_graph *graph, uint32_t node)
{
    if (lg_node_unexplained(graph, node) > 0)
        return LG_REASON_NATIVE;
    const unsigned both = LG_NODE_TRACKED | LG_NODE_FROZEN;
    if ((graph->columns.node_flags[node] & both) == both)
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
    uint8_t kind = columns->edge_kind[edge];
    unsigned flags = columns->node_flags[source];
    uint32_t target = columns->edge_target[edge];
    if ((kind & LG_EDGE_UNCOUNTED) ||
        !(columns->node_flags[target] & LG_NODE_TRACKED))
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
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (is_strong(graph, edge) &&
            reason_of_edge(graph, node, edge) == reason)
            accuse(state, columns->edge_target[edge], reason, node);
}

static void
spread(search *state, lg_cycle_reason reason)
{
    const lg_columns *columns = &state->graph->columns;
    for (uint32_t at = 0; at < state->queued; at++) {
        uint32_t node = state->queue[at];
        for (uint64_t edge = columns->first_edge[node];
             edge < columns->first_edge[node + 1]; edge++)
            if (is_strong(state->graph, edge))
                accuse(state, columns->edge_target[edge], reason,
                       state->uncollectable.culprit[node]);
    }
}

static void
find_culprits(search *state)
{
    static const lg_cycle_reason order[] = {
        LG_REASON_NATIVE,
        LG_REASON_FROZEN,
        LG_REASON_UNTRAVERSED,
        LG_REASON_UNTRACKED,
    };
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        state->queued = 0;
        for (size_t at = 0; at < state->others.count; at++)
            seed(state, state->others.items[at], order[i]);
        spread(state, order[i]);
    }
}

static lg_status
make(search *state, lg_error *err)
{
    size_t nodes = (size_t)state->graph->columns.node_count + 1;
    lg__uncollectable *to = &state->uncollectable;
    if (!to->held || !to->reason || !to->culprit || !mark_held(state) ||
        !list_others(state))
        return lg__error_memory(err);
    state->queue =
        lg__wide_alloc((state->others.count + 1) * sizeof *state->queue);
    if (state->queue == NULL)
        return lg__error_memory(err);
    memset(to->culprit, 0xff, nodes * sizeof *to->culprit);
    find_culprits(state);
    return LG_OK;
}

lg_status
lg__uncollectable_new(const lg_graph *graph, lg__uncollectable *out,
                      lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    search state = {
        .graph = graph,
        .uncollectable = {lg__wide_calloc(nodes, 1), lg__wide_calloc(nodes, 1),
                          lg__wide_alloc(nodes * sizeof(uint32_t))},
    };
    lg_status status = make(&state, err);
    if (status == LG_OK)
        *out = state.uncollectable;
    else
        lg__uncollectable_free(&state.uncollectable);
    lg__wide_free(state.queue);
    lg__wide_free(state.others.items);
    return status;
}

static bool
is_unseen(const lg_analysis *analysis, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_cycle_reason reason = reason_of_edge(graph, source, edge);
    return is_strong(graph, edge) &&
           (reason == LG_REASON_UNTRAVERSED || reason == LG_REASON_UNTRACKED) &&
           lg_node_component(analysis, graph->columns.edge_target[edge]) ==
               lg_node_component(analysis, source);
}

bool
lg__component_is_stuck(const lg_analysis *analysis, uint32_t component)
{
    const uint64_t *first = lg_analysis_graph(analysis)->columns.first_edge;
    lg_component members = lg_analysis_component(analysis, component);
    for (uint32_t i = 0; i < members.count; i++) {
        uint32_t node = members.nodes[i];
        for (uint64_t edge = first[node]; edge < first[node + 1]; edge++)
            if (is_unseen(analysis, node, edge))
                return true;
    }
    return false;
}

void
lg__uncollectable_free(lg__uncollectable *uncollectable)
{
    lg__wide_free(uncollectable->held);
    lg__wide_free(uncollectable->reason);
    lg__wide_free(uncollectable->culprit);
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

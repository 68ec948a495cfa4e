// Finds what a set of nodes retains: all that the roots no longer reach when
// the policy graph loses the set.
//
// A node of the queue is reached, and none of the set ever is, so no path goes
// through the set. When the queue is empty, a node that is neither reached nor
// in the set has only paths through the set: the set retains it.
//
// A dictionary with weak keys loses the values of keys that are not reached.
// What is reached without these is less: a run begins anew until all keys that
// it meets are reached.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

enum {
    REACHED = 1,
    BLOCKED = 2,  // in the set
    ENTERED = 4,  // garbage to which other garbage refers
    UNROOTED = 8, // must not count as a root
    EMPTIED = 16, // in the set, but keeps its attributes if it is reached
    WEAK = 32,    // the dict of a dictionary with weak keys
    DEAD = 64,    // a key that was not reached, even by all values
};

// The rounds in which keys are found that only values of other keys hold. What
// is left then counts as reached.
enum { ROUNDS = 8 };

typedef struct marking {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const uint8_t *mark;
    uint8_t *state;  // [node_count]
    uint32_t *queue; // the nodes reached; those from `visited` on are still to
                     // be visited
    uint32_t queued, visited;
    const lg__gathered *weak; // dicts of dictionaries with weak keys, or NULL
} marking;

static void
reach(marking *at, uint32_t node)
{
    const uint8_t state = at->state[node];
    if ((state & REACHED) || (state & (BLOCKED | EMPTIED)) == BLOCKED)
        return;
    at->state[node] |= REACHED;
    at->queue[at->queued++] = node;
}

bool
lg__policy_edge(const lg_analysis *analysis, uint64_t edge, uint32_t source)
{
    const lg_columns *columns = &analysis->graph->columns;
    const uint8_t *mark = analysis->policy.mark;
    unsigned barred = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE;
    if (!(mark[source] & LG__MARK_LIVE))
        barred |= LG__MARK_LIVE;
    return !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
           !(mark[lg_columns_target(columns, edge)] & barred);
}

// Among live nodes, the policy graph lacks only references to implicit roots
// and namespaces. These are reached already, or blocked. Looking at the marks
// of each target would take twice the time.
static void
reach_referents(marking *at, uint32_t node, bool garbage)
{
    const lg_columns *columns = &at->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (garbage ? lg__policy_edge(at->analysis, edge, node)
                    : !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            reach(at, lg_columns_target(columns, edge));
}

static void
reach_attributes(marking *at, uint32_t node)
{
    const lg_columns *columns = &at->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        unsigned kind = lg__edge_kind(at->graph, edge);
        if ((kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_DICT) &&
            !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            reach(at, lg_columns_target(columns, edge));
    }
}

// Reaches all but the values of dead keys.
static void
reach_entries(marking *at, uint32_t dict)
{
    const lg_columns *columns = &at->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    lg__weak_entry entry;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__policy_edge(at->analysis, edge, dict) &&
            !(lg__weak_entry_read(at->graph, edge, &entry) && entry.by_key &&
              (at->state[entry.weak] & DEAD)))
            reach(at, lg_columns_target(columns, edge));
}

static bool
spread(marking *at, bool garbage, const lg_monitor *monitor, lg_error *err)
{
    const lg_columns *columns = &at->graph->columns;
    uint32_t steps = 0;
    while (at->visited < at->queued) {
        const uint32_t node = at->queue[at->visited++];
        if (at->state[node] & EMPTIED)
            reach_attributes(at, node);
        else if (at->state[node] & WEAK)
            reach_entries(at, node);
        else
            reach_referents(at, node, garbage);
        if (++steps % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "weighing nodes",
                                 (double)steps / columns->node_count, err))
            return false;
    }
    return true;
}

static void
reach_roots(marking *at)
{
    const lg__policy *policy = &at->analysis->policy;
    const unsigned roots = LG__MARK_IMPLICIT_ROOT | LG__MARK_ENTRY;
    for (uint32_t node = 0; node < at->graph->columns.node_count; node++)
        if ((at->mark[node] & roots) && !(at->state[node] & UNROOTED))
            reach(at, node);
    for (uint32_t i = 0; i < policy->module_count; i++) {
        uint32_t dict = policy->modules[i].dict;
        if (at->state[policy->modules[i].module] & BLOCKED)
            at->state[dict] |= BLOCKED;
        else
            reach(at, dict);
    }
}

// Returns the node that represents another's component, or the node itself.
static uint32_t
leader(const marking *at, uint32_t node)
{
    uint32_t component = lg_node_component(at->analysis, node);
    return component == LG_NONE
               ? node
               : at->analysis
                     ->component_node[at->analysis->component_first[component]];
}

// Marks what other garbage refers to. All other components of garbage are
// source components, from which garbage hangs.
static void
mark_entered(const marking *at)
{
    const lg_columns *columns = &at->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        if (at->mark[node] & LG__MARK_LIVE)
            continue;
        uint32_t own = leader(at, node);
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            if (!lg__policy_edge(at->analysis, edge, node))
                continue;
            uint32_t other = leader(at, lg_columns_target(columns, edge));
            if (other != own)
                at->state[other] |= ENTERED;
        }
    }
}

static bool
is_source(const marking *at, uint32_t node)
{
    return !(at->mark[node] & LG__MARK_LIVE) &&
           !(at->state[leader(at, node)] & ENTERED);
}

static void
reach_garbage(marking *at)
{
    mark_entered(at);
    for (uint32_t node = 0; node < at->graph->columns.node_count; node++)
        if (is_source(at, node))
            reach(at, node);
}

lg_status
lg__garbage_sources(const lg_analysis *analysis, uint8_t **out, lg_error *err)
{
    size_t nodes = (size_t)analysis->graph->columns.node_count + 1;
    uint8_t *sources = lg__alloc(nodes);
    marking at = {.analysis = analysis,
                  .graph = analysis->graph,
                  .mark = analysis->policy.mark,
                  .state = lg__calloc(nodes, 1)};
    if (at.state == NULL || sources == NULL) {
        lg__free(at.state);
        lg__free(sources);
        return lg__error_memory(err);
    }
    mark_entered(&at);
    for (uint32_t node = 0; node + 1 < nodes; node++)
        sources[node] = is_source(&at, node);
    lg__free(at.state);
    *out = sources;
    return LG_OK;
}

// A namespace is a part of its module. If the module is not in the set, the
// namespace has only its own bytes.
static void
add_up(const marking *at, uint64_t *bytes)
{
    const lg_graph *graph = at->graph;
    memset(bytes, 0, ((size_t)graph->device_count + 1) * sizeof *bytes);
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint8_t state = at->state[node];
        if (!(state & REACHED) || (state & BLOCKED))
            bytes[lg_node_device(graph, node)] += lg_node_size(graph, node);
    }
}

// Treats a cycle of garbage as one.
static void
block(marking *at, uint32_t node)
{
    uint32_t garbage = lg__garbage_component_of(at->analysis, node);
    if (at->state[node] & BLOCKED)
        return;
    at->state[node] |= BLOCKED;
    if (garbage == LG_NONE)
        return;
    lg_component component = lg_analysis_component(at->analysis, garbage);
    for (uint32_t i = 0; i < component.count; i++)
        at->state[component.nodes[i]] |= BLOCKED;
}

// What else a run goes by.
typedef struct rules {
    bool garbage; // counts as a root if none of it is in the set
    const lg__gathered *unrooted; // or NULL
    const lg__gathered *emptied;  // or NULL
    const lg__gathered *weak;     // or NULL
} rules;

static void
flag(marking *at, const lg__gathered *nodes, unsigned state)
{
    for (size_t i = 0; nodes != NULL && i < nodes->count; i++)
        at->state[nodes->items[i]] |= (uint8_t)state;
}

bool
lg__weak_dicts(const lg_graph *graph, lg__gathered *out)
{
    bool *weak = lg__calloc((size_t)graph->type_count + 1, sizeof *weak);
    bool enough = weak != NULL;
    for (uint32_t type = 0; type < graph->type_count && enough; type++)
        weak[type] = lg__type_is_weak_dict(graph, type);
    for (uint32_t node = 0; node < graph->columns.node_count && enough;
         node++) {
        uint32_t dict = weak[lg_columns_type(&graph->columns, node)]
                            ? lg__node_attribute(graph, node, "data")
                            : LG_NONE;
        if (dict != LG_NONE)
            enough = lg__gather_append(out, dict);
    }
    lg__free(weak);
    return enough;
}

// Marks the keys that are not reached, in dictionaries that are. Returns
// whether there are new ones.
static bool
mark_dead(marking *at)
{
    const lg_columns *columns = &at->graph->columns;
    bool found = false;
    lg__weak_entry entry;
    for (size_t i = 0; at->weak != NULL && i < at->weak->count; i++) {
        uint32_t dict = at->weak->items[i];
        uint64_t edge = at->state[dict] & REACHED
                            ? lg_columns_first_edge(columns, dict)
                            : UINT64_MAX;
        for (; edge < lg_columns_first_edge(columns, dict + 1); edge++) {
            if (!lg__weak_entry_read(at->graph, edge, &entry) ||
                !entry.by_key || (at->state[entry.weak] & (REACHED | DEAD)))
                continue;
            at->state[entry.weak] |= DEAD;
            found = true;
        }
    }
    return found;
}

static void
forget_reached(marking *at)
{
    at->queued = at->visited = 0;
    for (uint32_t node = 0; node < at->graph->columns.node_count; node++)
        at->state[node] = (uint8_t)(at->state[node] & ~(REACHED | ENTERED));
}

static bool
reach_all(marking *at, bool garbage, const lg_monitor *monitor, lg_error *err)
{
    reach_roots(at);
    if (!spread(at, false, monitor, err))
        return false;
    if (garbage)
        reach_garbage(at);
    return spread(at, true, monitor, err);
}

// A key that is dead stays dead, so each round reaches no more than the one
// before, and the rounds end when no key dies. Namespaces in the set are
// blocked at last: they belong to the set's bytes, but a module that is not in
// the set keeps what its namespace refers to.
static lg_status
run(marking *at, const uint32_t *nodes, size_t count, rules by,
    const lg_monitor *monitor, lg_error *err)
{
    at->weak = by.weak;
    flag(at, by.weak, WEAK);
    flag(at, by.unrooted, UNROOTED);
    flag(at, by.emptied, EMPTIED);
    for (size_t i = 0; i < count; i++)
        if (!(at->mark[nodes[i]] & LG__MARK_NAMESPACE))
            block(at, nodes[i]);
    for (int round = 0; round < ROUNDS; round++) {
        if (!reach_all(at, by.garbage, monitor, err))
            return LG_ECANCELLED;
        if (round + 1 == ROUNDS || !mark_dead(at))
            break;
        forget_reached(at);
    }
    for (size_t i = 0; i < count; i++)
        at->state[nodes[i]] |= BLOCKED;
    return LG_OK;
}

// The caller frees state.
static lg_status
mark(marking *at, const lg_analysis *analysis, const uint32_t *nodes,
     size_t count, rules by, const lg_monitor *monitor, lg_error *err)
{
    size_t total = analysis->graph->columns.node_count;
    *at = (marking){
        .analysis = analysis,
        .graph = analysis->graph,
        .mark = analysis->policy.mark,
        .state = lg__calloc(total + 1, 1),
        .queue = lg__alloc((total + 1) * sizeof(uint32_t)),
    };
    lg_status status = at->state == NULL || at->queue == NULL
                           ? lg__error_memory(err)
                           : run(at, nodes, count, by, monitor, err);
    lg__free(at->queue);
    return status;
}

static lg_status
list_reached(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
             rules by, const lg_monitor *monitor, uint8_t **out, lg_error *err)
{
    marking state;
    lg_status status = mark(&state, analysis, nodes, count, by, monitor, err);
    for (uint32_t node = 0;
         node < analysis->graph->columns.node_count && status == LG_OK; node++)
        state.state[node] =
            (state.state[node] & (REACHED | BLOCKED)) == REACHED;
    if (status == LG_OK)
        *out = state.state;
    else
        lg__free(state.state);
    return status;
}

lg_status
lg__set_reached(const lg_analysis *analysis, const uint32_t *nodes,
                size_t count, const lg_monitor *monitor, uint8_t **out,
                lg_error *err)
{
    return list_reached(analysis, nodes, count, (rules){0}, monitor, out, err);
}

lg_status
lg__set_spared(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
               const lg__gathered *unrooted, const lg_monitor *monitor,
               uint8_t **out, lg_error *err)
{
    const rules by = {.garbage = true, .unrooted = unrooted};
    return list_reached(analysis, nodes, count, by, monitor, out, err);
}

lg_status
lg__nodes_freed_each(const lg_analysis *analysis, const lg__gathered *nodes,
                     const lg__gathered *emptied, const lg__gathered *weak,
                     const lg_monitor *monitor, uint64_t *bytes, lg_error *err)
{
    const rules by = {.garbage = true, .emptied = emptied, .weak = weak};
    marking state;
    lg_status status =
        mark(&state, analysis, nodes->items, nodes->count, by, monitor, err);
    if (status == LG_OK)
        add_up(&state, bytes);
    lg__free(state.state);
    return status;
}

lg_status
lg_nodes_retained_each(const lg_analysis *analysis, const lg_node *nodes,
                       size_t count, const lg_monitor *monitor, uint64_t *bytes,
                       lg_error *err)
{
    size_t total = analysis->graph->columns.node_count;
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= total)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    const lg__gathered set = {(uint32_t *)(uintptr_t)nodes, count, count};
    return lg__nodes_freed_each(analysis, &set, NULL, NULL, monitor, bytes,
                                err);
}

lg_status
lg_nodes_retained(const lg_analysis *analysis, const lg_node *nodes,
                  size_t count, const lg_monitor *monitor, lg_bytes *out,
                  lg_error *err)
{
    uint32_t devices = analysis->graph->device_count;
    uint64_t *bytes = lg__alloc(((size_t)devices + 1) * sizeof *bytes);
    if (bytes == NULL)
        return lg__error_memory(err);
    lg_status status =
        lg_nodes_retained_each(analysis, nodes, count, monitor, bytes, err);
    if (status == LG_OK)
        *out = (lg_bytes){bytes[0], lg_bytes_sum(bytes + 1, devices)};
    lg__free(bytes);
    return status;
}

lg_node
lg_nodes_biggest(const lg_analysis *analysis, const lg_node *nodes,
                 size_t count)
{
    uint32_t best = LG_NONE;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = lg__freed_by(analysis, nodes[i]);
        if (best != LG_NONE && bytes <= most)
            continue;
        best = nodes[i];
        most = bytes;
    }
    return best;
}

static void
add_each(const lg_analysis *analysis, const lg_node *nodes, lg_set_bytes *to)
{
    for (size_t i = 0; i < to->count; i++) {
        to->own[lg_node_device(analysis->graph, nodes[i])] +=
            lg_node_size(analysis->graph, nodes[i]);
        for (uint32_t on = 0; on <= to->devices; on++)
            to->sum[on] += lg_node_retained_on(analysis, nodes[i], on);
    }
}

lg_status
lg_nodes_weigh(const lg_analysis *analysis, const lg_node *nodes, size_t count,
               const lg_monitor *monitor, lg_set_bytes *out, lg_error *err)
{
    size_t each = (size_t)analysis->graph->device_count + 1;
    uint64_t *bytes = lg__calloc(3 * each, sizeof *bytes);
    if (bytes == NULL)
        return lg__error_memory(err);
    lg_set_bytes set = {count, bytes, bytes + each, bytes + 2 * each,
                        analysis->graph->device_count};
    lg_status status = lg_nodes_retained_each(analysis, nodes, count, monitor,
                                              set.retained, err);
    if (status != LG_OK) {
        lg_set_bytes_free(&set);
        return status;
    }
    add_each(analysis, nodes, &set);
    *out = set;
    return LG_OK;
}

void
lg_set_bytes_free(lg_set_bytes *set)
{
    lg__free(set->own);
    *set = (lg_set_bytes){0};
}

// Computes what each of several sets keeps alive by itself. What the roots
// reach without any set belongs to no set. Then each set spreads its number
// over the rest, and a node that two numbers reach is shared.

typedef struct spreading {
    const lg_analysis *analysis;
    const lg_graph *graph;
    uint8_t *closed; // [node] it is reached without the sets, or is in one
    uint32_t *label; // [node]
    uint32_t *stack; // [2 * node] because each label changes at most twice
    size_t height;
} spreading;

static void
meet(spreading *at, uint32_t node, uint32_t label)
{
    uint32_t known = at->label[node];
    if (at->closed[node] || known == label || known == LG__SHARED)
        return;
    at->label[node] = known == 0 ? label : LG__SHARED;
    at->stack[at->height++] = node;
}

static void
show_edges(spreading *at, uint32_t node)
{
    const lg_columns *columns = &at->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__policy_edge(at->analysis, edge, node))
            meet(at, lg_columns_target(columns, edge), at->label[node]);
}

static void
spread_label(spreading *at, const uint32_t *seeds, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at->closed[seeds[i]] = 1;
    for (size_t i = 0; i < count; i++) {
        show_edges(at, seeds[i]);
        while (at->height > 0)
            show_edges(at, at->stack[--at->height]);
    }
}

static void
add_up_labels(const spreading *at, uint32_t count, uint64_t *bytes)
{
    size_t devices = (size_t)at->graph->device_count + 1;
    memset(bytes, 0, ((size_t)count + 1) * devices * sizeof *bytes);
    for (uint32_t node = 0; node < at->graph->columns.node_count; node++) {
        uint32_t label = at->label[node];
        if (label != 0 && label != LG__SHARED)
            bytes[label * devices + lg_node_device(at->graph, node)] +=
                lg_node_size(at->graph, node);
    }
}

static uint32_t *
list_seeds(const uint32_t *label, uint32_t nodes, size_t *count)
{
    uint32_t *seeds = lg__alloc(((size_t)nodes + 1) * sizeof *seeds);
    *count = 0;
    for (uint32_t node = 0; node < nodes && seeds != NULL; node++)
        if (label[node] != 0)
            seeds[(*count)++] = node;
    return seeds;
}

lg_status
lg__sets_retained(const lg_analysis *analysis, uint32_t *label, uint32_t count,
                  const lg_monitor *monitor, uint64_t *bytes, lg_error *err)
{
    uint32_t nodes = analysis->graph->columns.node_count;
    spreading state = {
        .analysis = analysis, .graph = analysis->graph, .label = label};
    size_t seed_count;
    uint32_t *seeds = list_seeds(label, nodes, &seed_count);
    state.stack = lg__alloc((2 * (size_t)nodes + 1) * sizeof *state.stack);
    lg_status status = LG_OK;
    if (seeds == NULL || state.stack == NULL)
        status = lg__error_memory(err);
    else
        status = lg__set_reached(analysis, seeds, seed_count, monitor,
                                 &state.closed, err);
    if (status == LG_OK) {
        spread_label(&state, seeds, seed_count);
        add_up_labels(&state, count, bytes);
    }
    lg__free(seeds);
    lg__free(state.stack);
    lg__free(state.closed);
    return status;
}

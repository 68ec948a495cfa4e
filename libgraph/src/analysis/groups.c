// Computes what each of many groups retains by itself. One search from the
// roots serves up to 64 groups: each bit of a node's word says that a path
// reaches the node without that group.
//
// The word of a node only grows, at most once for each bit. A node waits in the
// ring while what it refers to may lack a bit of its word, and never twice, so
// the ring has room for all. When none waits, a bit that a node lacks means
// that each path to it leads through a node of the group.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>

#include <stdlib.h>

enum { GROUP_SLOTS = 64 };

typedef struct spreading {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const uint32_t *slot_of; // [type] below GROUP_SLOTS, or GROUP_SLOTS
    uint64_t *reached;       // [node]
    uint64_t *blocked;       // [node]
    uint32_t *queue;         // a ring of the nodes whose word has grown
    bool *queued;            // [node]
    uint32_t head;
    uint32_t waiting;
} spreading;

static uint64_t
slot_bit(const spreading *at, uint32_t node)
{
    uint32_t slot = at->slot_of[lg_columns_type(&at->graph->columns, node)];
    return slot < GROUP_SLOTS ? (uint64_t)1 << slot : 0;
}

static void
reach(spreading *at, uint32_t node, uint64_t slots)
{
    uint32_t nodes = at->graph->columns.node_count;
    uint64_t fresh = slots & ~at->blocked[node] & ~at->reached[node];
    if (fresh == 0)
        return;
    at->reached[node] |= fresh;
    if (at->queued[node])
        return;
    at->queued[node] = true;
    at->queue[(at->head + (uint64_t)at->waiting++) % nodes] = node;
}

// Treats a namespace as a part of its module, and a cycle of garbage as one.
static void
block(spreading *at)
{
    const uint8_t *mark = at->analysis->policy.mark;
    for (uint32_t node = 0; node < at->graph->columns.node_count; node++) {
        uint64_t bit = slot_bit(at, node);
        if (bit == 0 || (mark[node] & LG__MARK_NAMESPACE))
            continue;
        at->blocked[node] |= bit;
        uint32_t garbage = lg__garbage_component_of(at->analysis, node);
        if (garbage == LG_NONE)
            continue;
        lg_component component = lg_analysis_component(at->analysis, garbage);
        for (uint32_t i = 0; i < component.count; i++)
            at->blocked[component.nodes[i]] |= bit;
    }
}

static lg_status
reach_roots(spreading *at, lg_error *err)
{
    const lg__policy *policy = &at->analysis->policy;
    const unsigned roots = LG__MARK_IMPLICIT_ROOT | LG__MARK_ENTRY;
    uint32_t nodes = at->graph->columns.node_count;
    uint8_t *sources;
    lg_status status = lg__garbage_sources(at->analysis, &sources, err);
    if (status != LG_OK)
        return status;
    for (uint32_t node = 0; node < nodes; node++)
        if ((policy->mark[node] & roots) || sources[node])
            reach(at, node, UINT64_MAX);
    for (uint32_t i = 0; i < policy->module_count; i++)
        reach(at, policy->modules[i].dict,
              ~at->blocked[policy->modules[i].module]);
    lg__free(sources);
    return LG_OK;
}

static lg_status
spread(spreading *at, const lg_monitor *monitor, lg_error *err)
{
    const lg_columns *columns = &at->graph->columns;
    uint32_t steps = 0;
    while (at->waiting > 0) {
        uint32_t node = at->queue[at->head];
        at->head = at->head + 1 == columns->node_count ? 0 : at->head + 1;
        at->waiting--;
        at->queued[node] = false;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (lg__policy_edge(at->analysis, edge, node))
                reach(at, lg_columns_target(columns, edge), at->reached[node]);
        if (++steps % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "weighing groups", 0.5, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

static void
add_up(const spreading *at, uint32_t count, uint64_t *bytes, uint64_t *rounding)
{
    const lg_graph *graph = at->graph;
    size_t devices = (size_t)graph->device_count + 1;
    uint64_t all =
        count < GROUP_SLOTS ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
    for (size_t i = 0; i < count * devices; i++)
        bytes[i] = 0;
    memset(rounding, 0, count * sizeof *rounding);
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint64_t own = at->blocked[node] | slot_bit(at, node);
        uint64_t lost = all & (~at->reached[node] | own);
        uint64_t size = lg_node_size(graph, node);
        uint64_t more = lost ? lg_node_spent(graph, node) - size : 0;
        for (; lost != 0; lost &= lost - 1) {
            size_t slot = (size_t)__builtin_ctzll(lost);
            bytes[slot * devices + lg_node_device(graph, node)] += size;
            rounding[slot] += more;
        }
    }
}

lg_status
lg__groups_retained(const lg_analysis *analysis, const uint32_t *slot_of,
                    uint32_t count, const lg_monitor *monitor, uint64_t *bytes,
                    uint64_t *rounding, lg_error *err)
{
    size_t nodes = (size_t)analysis->graph->columns.node_count + 1;
    spreading at = {
        .analysis = analysis,
        .graph = analysis->graph,
        .slot_of = slot_of,
        .reached = lg__calloc(nodes, sizeof(uint64_t)),
        .blocked = lg__calloc(nodes, sizeof(uint64_t)),
        .queue = lg__alloc(nodes * sizeof(uint32_t)),
        .queued = lg__calloc(nodes, sizeof(bool)),
    };
    lg_status status = LG_OK;
    if (!at.reached || !at.blocked || !at.queue || !at.queued) {
        status = lg__error_memory(err);
        goto done;
    }
    block(&at);
    status = reach_roots(&at, err);
    if (status == LG_OK)
        status = spread(&at, monitor, err);
    if (status == LG_OK)
        add_up(&at, count, bytes, rounding);

done:
    lg__free(at.reached);
    lg__free(at.blocked);
    lg__free(at.queue);
    lg__free(at.queued);
    return status;
}

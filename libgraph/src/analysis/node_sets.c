// Computes what each of several sets keeps alive by itself. What the roots
// reach without any set belongs to no set. Then each set spreads its number
// over the rest, and a node that two numbers reach is shared.
#include "analysis/analysis_private.h"

#include <stdlib.h>
#include <string.h>

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
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++)
        if (lg__policy_edge(at->analysis, edge, node))
            meet(at, columns->edge_target[edge], at->label[node]);
}

static void
spread(spreading *at, const uint32_t *seeds, size_t count)
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
add_up(const spreading *at, uint32_t count, uint64_t *bytes)
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
        spread(&state, seeds, seed_count);
        add_up(&state, count, bytes);
    }
    lg__free(seeds);
    lg__free(state.stack);
    lg__free(state.closed);
    return status;
}

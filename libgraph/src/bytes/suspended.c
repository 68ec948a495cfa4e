// Lists generators, coroutines and tasks that no thread is running.
#include "bytes/bytes_private.h"
#include "graph/graph_private.h"

#include <stdlib.h>

static void
mark_stacks(const lg_graph *graph, bool *on_stack)
{
    const lg_columns *columns = &graph->columns;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_FRAME)
            on_stack[columns->edge_target[edge]] = true;
}

static bool
has_locals(const lg_graph *graph, uint32_t node)
{
    const uint32_t *first = graph->columns.first_edge;
    for (uint64_t edge = first[node]; edge < first[node + 1]; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_LOCAL)
            return true;
    return false;
}

static int
biggest_first(const void *left, const void *right, void *context)
{
    const lg_analysis *analysis = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    lg_bytes one = lg_node_retained(analysis, a);
    lg_bytes other = lg_node_retained(analysis, b);
    uint64_t more = one.host + one.devices;
    uint64_t less = other.host + other.devices;
    if (more != less)
        return more > less ? -1 : 1;
    return a < b ? -1 : a > b;
}

lg_status
lg__suspended_list(const lg_graph *graph, const lg_analysis *analysis,
                   lg__gathered *out, lg_error *err)
{
    uint32_t nodes = graph->columns.node_count;
    lg__gathered found = {0};
    bool *on_stack = lg__calloc((size_t)nodes + 1, sizeof *on_stack);
    bool enough = on_stack != NULL;
    if (enough)
        mark_stacks(graph, on_stack);
    for (uint32_t node = 0; node < nodes && enough; node++)
        if (lg__node_role(graph, node) == LG__ROLE_SUSPENDED &&
            !on_stack[node] && has_locals(graph, node))
            enough = lg__gather_append(&found, node);
    lg__free(on_stack);
    if (!enough) {
        lg__free(found.items);
        return lg__error_memory(err);
    }
    if (analysis != NULL && found.count > 0)
        qsort_r(found.items, found.count, sizeof *found.items, biggest_first,
                (void *)(uintptr_t)analysis);
    *out = found;
    return LG_OK;
}

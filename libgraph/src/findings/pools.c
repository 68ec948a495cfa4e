// Reads what a thread of a ThreadPoolExecutor has: a weak reference to the
// executor and the executor's queue are arguments of its target.
#include "findings/pools.h"
#include "findings/weak_entries.h"

static bool
is_worker(lg_string function)
{
    return lg__string_is(function, "concurrent.futures.thread._worker");
}

// Returns the argument of the thread's target of that type, or LG_NONE.
static uint32_t
argument_of(const lg__detection *detection, uint32_t thread, const char *type)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    uint32_t all = lg__detection_attribute(detection, thread, "_args");
    if (target == LG_NONE || all == LG_NONE ||
        !is_worker(lg_node_text(detection->graph, target)))
        return LG_NONE;
    for (uint64_t edge = columns->first_edge[all];
         edge < columns->first_edge[all + 1]; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_INDEX &&
            lg__node_is_a(detection->graph, columns->edge_target[edge], type))
            return columns->edge_target[edge];
    return LG_NONE;
}

uint32_t
lg__pool_queue(const lg__detection *detection, uint32_t thread)
{
    return argument_of(detection, thread, "_queue.SimpleQueue");
}

bool
lg__pool_is_gone(const lg__detection *detection, uint32_t thread, uint32_t root)
{
    uint32_t reference =
        argument_of(detection, thread, "weakref.ReferenceType");
    if (reference == LG_NONE)
        reference = argument_of(detection, thread, "weakref"); // CPython 3.9
    if (reference == LG_NONE || lg__pool_queue(detection, thread) == LG_NONE)
        return false;
    uint32_t executor = lg__weak_referent(detection->graph, reference);
    return executor == LG_NONE || lg__detection_owns(detection, root, executor);
}

static bool
has_worker(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    bool found = false;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1] && !found; edge++) {
        uint32_t target = columns->edge_target[edge];
        found = lg__node_role(graph, target) == LG__ROLE_FUNCTION &&
                is_worker(lg_node_text(graph, target));
    }
    return found;
}

bool
lg__is_pool_thread(const lg_graph *graph, uint32_t thread)
{
    const lg_columns *columns = &graph->columns;
    bool found = has_worker(graph, thread);
    for (uint64_t edge = columns->first_edge[thread];
         edge < columns->first_edge[thread + 1] && !found; edge++)
        found = lg__edge_kind(graph, edge) == LG_EDGE_DICT &&
                has_worker(graph, columns->edge_target[edge]);
    return found;
}

// Finds the hops of a path each of which would free its target. The target of
// such a hop dominates the target of the path, and only nodes that it dominates
// itself refer to it otherwise.
#include "paths/path_hops.h"
#include "paths/measure.h"

#include <leakgraph/analysis.h>

// The most steps up the dominators for one path. A hop that needs more is no
// suspect.
enum { STEPS = 4000000 };

typedef struct suspicion {
    const lg_analysis *analysis;
    const lg__hop_walk *walk;
    uint32_t steps;
} suspicion;

static bool
dominates(suspicion *state, uint32_t above, uint32_t node)
{
    while (node != LG_NONE && node != above && state->steps > 0) {
        node = lg_node_dominator(state->analysis, node);
        state->steps--;
    }
    return node == above;
}

static bool
is_only_edge_in(suspicion *state, uint32_t node, uint64_t into)
{
    const lg_columns *columns = &state->walk->graph->columns;
    const lg__reverse *reverse = &state->walk->reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        uint64_t edge = in.edge;
        if (edge == into || (columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            !lg_node_is_reachable(state->analysis, in.source))
            continue;
        if (!dominates(state, node, in.source))
            return false;
    }
    return true;
}

// Returns whether the interpreter, too, holds the node, as it holds the first
// object of every path from a root.
static bool
is_entry(const lg_analysis *analysis, uint32_t node)
{
    return (analysis->policy.mark[node] & LG__MARK_POLICY) != 0;
}

// Returns whether the node is a cached function. Who has bytes in its cache
// clears the cache, and does not delete the function.
static bool
is_cached_function(const lg_graph *graph, uint32_t node)
{
    return lg__node_is_a(graph, node, LG__LRU_CACHE);
}

size_t
lg__suspects_mark(const lg_analysis *analysis, const lg__hop_walk *walk,
                  const lg_path *path, uint32_t target, bool *suspect)
{
    suspicion state = {analysis, walk, STEPS};
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++) {
        const lg_hop *hop = &path->hops[i];
        uint64_t last = hop->edges[hop->edge_count - 1];
        uint32_t node = walk->graph->columns.edge_target[last];
        suspect[i] = lg__edge_can_be_cut(walk->graph, last) &&
                     !is_entry(analysis, node) &&
                     !is_cached_function(walk->graph, node) &&
                     dominates(&state, node, target) &&
                     is_only_edge_in(&state, node, last);
        count += suspect[i];
    }
    return count;
}

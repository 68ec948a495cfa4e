// Everything that must be cut to free a node: the direct holders of it that
// ways may begin at, and a flow through all others.
#include <leakgraph/analysis.h>

#include "paths/flow.h"
#include "paths/paths_private.h"
#include "analysis/analysis_private.h"
#include "paths/trail.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT_USUAL = 16 };

typedef struct search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__walk walk;
    uint8_t *role; // [node] LG__FLOW_
    uint32_t target;
    uint32_t dominator; // LG_NONE: the super-root
    size_t limit;
    lg_paths paths;
} search;

// A namespace is one with its module.
static bool
is_dominator(const search *state, uint32_t node)
{
    return node == state->dominator ||
           ((state->analysis->policy.mark[node] & LG__MARK_NAMESPACE) &&
            lg__policy_module(&state->analysis->policy, node) ==
                state->dominator);
}

static uint8_t
role_of(const search *state, uint32_t node)
{
    const unsigned implicit_root = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE;
    if (lg_node_is_reachable(state->analysis, node) !=
        lg_node_is_reachable(state->analysis, state->target))
        return LG__FLOW_CLOSED;
    if (state->dominator != LG_NONE)
        return is_dominator(state, node) ? LG__FLOW_SOURCE : LG__FLOW_INNER;
    return (state->analysis->policy.mark[node] & implicit_root)
               ? LG__FLOW_SOURCE
               : LG__FLOW_INNER;
}

static void
set_roles(search *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        state->role[node] = role_of(state, node);
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint8_t *role = &state->role[graph->root_node[i]];
        if (state->dominator != LG_NONE || *role == LG__FLOW_SOURCE)
            continue;
        *role = graph->root_kind[i] == LG_ROOT_NATIVE ? LG__FLOW_ENTRY
                                                      : LG__FLOW_SOURCE;
    }
}

// The best root that the node, or the namespace folded into it, is; the kind is
// LG_ROOT_GIVEN if none.
static lg_root
root_of(const search *state, uint32_t node)
{
    const lg_graph *graph = state->graph;
    lg_root best = {.node = node, .kind = LG_ROOT_GIVEN, .name = {"", 0}};
    unsigned least = LG__RANK_NONE;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t at = graph->root_node[i];
        if (at != node && state->walk.fold[at].owner != node)
            continue;
        if (lg__root_rank(graph, i) < least) {
            least = lg__root_rank(graph, i);
            best = lg_graph_root(graph, i);
            best.node = node;
        }
    }
    return best;
}

// Puts the way from a real root in front of a path that begins at furniture
// which is none, such as a class that a module names.
static lg_status
lead_in(const search *state, lg_path *path, lg_error *err)
{
    lg_path lead;
    lg_status status = lg_path_from_root(state->graph, path->root.node,
                                         state->monitor, &lead, err);
    if (status == LG_ENOTFOUND)
        return LG_OK;
    if (status != LG_OK)
        return status;
    size_t count = lead.count + path->count;
    lg_hop *hops = realloc(lead.hops, (count + 1) * sizeof *hops);
    if (hops == NULL) {
        lg_path_free(&lead);
        return lg__error_memory(err);
    }
    if (path->count > 0)
        memcpy(hops + lead.count, path->hops, path->count * sizeof *hops);
    free(path->hops);
    *path = (lg_path){lead.root, hops, count};
    return LG_OK;
}

static lg_status
append(search *state, lg_path *path, lg_error *err)
{
    lg_status status = LG_OK;
    path->root = root_of(state, path->root.node);
    if (state->dominator == LG_NONE && path->root.kind == LG_ROOT_GIVEN)
        status = lead_in(state, path, err);
    lg_path *items = status != LG_OK
                         ? NULL
                         : realloc(state->paths.items,
                                   (state->paths.count + 1) * sizeof *items);
    if (items == NULL) {
        lg_path_free(path);
        return status != LG_OK ? status : lg__error_memory(err);
    }
    state->paths.items = items;
    items[state->paths.count++] = *path;
    return LG_OK;
}

static lg_status
append_edges(search *state, const uint64_t *edges, size_t count, lg_error *err)
{
    lg_hops hops;
    lg_status status = lg__trail_fold(&state->walk, edges, count, &hops, err);
    if (status != LG_OK)
        return status;
    lg_path path = {
        {.node = hops.items[0].source, .kind = LG_ROOT_GIVEN, .name = {"", 0}},
        hops.items,
        hops.count};
    return append(state, &path, err);
}

static lg_status
append_way(search *state, const uint32_t *nodes, size_t count, lg_error *err)
{
    if (count == 1) {
        lg_path path = {{.node = nodes[0]}, NULL, 0};
        return append(state, &path, err);
    }
    uint64_t *edges = malloc(count * sizeof *edges);
    if (edges == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i + 1 < count; i++)
        edges[i] = lg__edge_between(state->graph, nodes[i], nodes[i + 1]);
    lg_status status = append_edges(state, edges, count - 1, err);
    free(edges);
    return status;
}

// References from sources to the target itself: each must be cut.
static lg_status
list_direct(search *state, lg_error *err)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__reverse *reverse = &state->walk.reverse;
    lg_status status = LG_OK;
    for (uint64_t i = reverse->first[state->target];
         i < reverse->first[state->target + 1] && status == LG_OK; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        if (state->role[in.source] != LG__FLOW_SOURCE ||
            in.source == state->target ||
            (columns->edge_kind[edge] & LG_EDGE_WEAK))
            continue;
        if (state->paths.count == state->limit) {
            state->paths.more = true;
            break;
        }
        status = append_edges(state, &edge, 1, err);
    }
    return status;
}

static lg_status
list_others(search *state, lg_error *err)
{
    lg__flow flow = {
        .graph = state->graph,
        .reverse = state->walk.reverse,
        .role = state->role,
        .target = state->target,
        .limit = state->limit - state->paths.count,
        .monitor = state->monitor,
    };
    lg__ways ways = {0};
    lg_status status = lg__flow_run(&flow, &ways, err);
    size_t begin = 0;
    for (size_t i = 0; i < ways.count && status == LG_OK; i++) {
        status =
            append_way(state, ways.nodes + begin, ways.end[i] - begin, err);
        begin = ways.end[i];
    }
    state->paths.more |= ways.more;
    lg__ways_free(&ways);
    return status;
}

// A target that is a root itself: no path needs a hop.
static lg_status
list_itself(search *state, lg_error *err)
{
    if (state->paths.count == state->limit) {
        state->paths.more = true;
        return LG_OK;
    }
    return append_way(state, &state->target, 1, err);
}

static lg_status
list_paths(search *state, lg_error *err)
{
    uint8_t role = state->role[state->target];
    bool garbage = !lg_node_is_reachable(state->analysis, state->target);
    if (garbage && state->dominator == LG_NONE)
        return LG_OK;
    if (role == LG__FLOW_SOURCE)
        return list_itself(state, err);
    lg_status status = list_direct(state, err);
    if (status == LG_OK && !state->paths.more)
        status = list_others(state, err);
    if (status == LG_OK && role == LG__FLOW_ENTRY)
        status = list_itself(state, err);
    return status;
}

// Insertion, because there are few and equal ones must keep their order.
static void
sort_by_length(lg_paths *paths)
{
    for (size_t i = 1; i < paths->count; i++) {
        lg_path kept = paths->items[i];
        size_t at = i;
        for (; at > 0 && paths->items[at - 1].count > kept.count; at--)
            paths->items[at] = paths->items[at - 1];
        paths->items[at] = kept;
    }
}

static lg_status
prepare(search *state, lg_error *err)
{
    const lg_graph *graph = state->graph;
    state->walk = (lg__walk){.graph = graph, .everything = true};
    state->walk.fold = lg__graph_folds(graph);
    state->role = malloc((size_t)graph->columns.node_count + 1);
    if (!state->walk.fold || !state->role ||
        !lg__graph_reverse(graph, &state->walk.reverse))
        return lg__error_memory(err);
    if (state->walk.fold[state->target].owner != LG_NONE)
        state->target = state->walk.fold[state->target].owner;
    state->dominator = lg_node_dominator(state->analysis, state->target);
    set_roles(state);
    return LG_OK;
}

lg_status
lg_paths_disjoint(const lg_analysis *analysis, uint32_t target, size_t limit,
                  const lg_monitor *monitor, lg_paths *out, lg_error *err)
{
    search state = {
        .analysis = analysis,
        .graph = lg_analysis_graph(analysis),
        .monitor = monitor,
        .target = target,
        .limit = limit ? limit : LIMIT_USUAL,
    };
    if (target >= state.graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", target);
    lg_status status = prepare(&state, err);
    if (status == LG_OK)
        status = list_paths(&state, err);
    if (status == LG_OK) {
        sort_by_length(&state.paths);
        *out = state.paths;
    } else {
        lg_paths_free(&state.paths);
    }
    free(state.role);
    return status;
}

void
lg_paths_free(lg_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        lg_path_free(&paths->items[i]);
    free(paths->items);
    *paths = (lg_paths){0};
}

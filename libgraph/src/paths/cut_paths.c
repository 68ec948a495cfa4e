// Finds paths that show the references to cut.
#include "paths/cut_search.h"
#include "paths/trail.h"

#include <stdlib.h>
#include <string.h>

// Searches backward from `end`, breadth first, over one side of the cut, up to
// a source; without sources, over the whole side. `by` gets the edge on which
// each node leads towards the end.
static uint32_t
search_back(lg__cut_search *state, uint32_t end, bool below)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__reverse *reverse = &state->walk.reverse;
    uint32_t met = 1;
    state->queue[0] = end;
    state->by[end] = 0;
    if (!below && state->role[end] == LG__FLOW_SOURCE)
        return end;
    for (uint32_t i = 0; i < met; i++) {
        uint32_t node = state->queue[i];
        for (uint64_t at = reverse->first[node]; at < reverse->first[node + 1];
             at++) {
            lg__in_edge in = reverse->edge[at];
            uint64_t edge = columns->first_edge[in.source] + in.rank;
            if (state->by[in.source] != UINT64_MAX ||
                (columns->edge_kind[edge] & LG_EDGE_WEAK) ||
                state->role[in.source] == LG__FLOW_CLOSED ||
                (state->cut.below[in.source] != 0) != below)
                continue;
            state->by[in.source] = edge;
            if (state->role[in.source] == LG__FLOW_SOURCE)
                return in.source;
            state->queue[met++] = in.source;
        }
    }
    return LG_NONE;
}

static void
forget(lg__cut_search *state)
{
    memset(state->by, 0xff,
           ((size_t)state->graph->columns.node_count + 1) * sizeof *state->by);
}

// Builds the hops from a node to the end of the last search, after one given
// edge.
static lg_status
hops_along(const lg__cut_search *state, uint32_t start, uint32_t end,
           uint64_t before, lg_hops *out, lg_error *err)
{
    const uint32_t *target = state->graph->columns.edge_target;
    size_t count = before != UINT64_MAX;
    for (uint32_t at = start; at != end; at = target[state->by[at]])
        count++;
    uint64_t *edges = lg__wide_alloc((count + 1) * sizeof *edges);
    if (edges == NULL)
        return lg__error_memory(err);
    size_t filled = 0;
    if (before != UINT64_MAX)
        edges[filled++] = before;
    for (uint32_t at = start; at != end; at = target[state->by[at]])
        edges[filled++] = state->by[at];
    lg_status status = lg__trail_fold(&state->walk, edges, count, out, err);
    lg__wide_free(edges);
    return status;
}

static bool
crosses(const lg__cut_search *state, const lg_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (state->cut.below[path->hops[i].target])
            return true;
    return false;
}

static lg_path
path_along(const lg__cut_search *state, uint32_t start, const lg_hops *hops)
{
    lg_path path =
        lg__path_at(&state->walk, lg__seen_node(state->walk.fold, start));
    path.hops = hops->items;
    path.count = hops->count;
    return path;
}

// Finds a path from a root, or from the start of the search, to the source of
// an edge of the cut. Prefers the most telling path if that stays on this side
// of the cut.
static lg_status
find_lead(lg__cut_search *state, uint32_t node, lg_path *out, lg_error *err)
{
    lg_path path = {0};
    lg_status status = LG_ENOTFOUND;
    if (state->from == NULL)
        status = lg_path_from_root(state->graph,
                                   lg__seen_node(state->walk.fold, node),
                                   state->monitor, &path, err);
    if (status == LG_OK && !crosses(state, &path)) {
        *out = path;
        return LG_OK;
    }
    lg_path_free(&path);
    if (status != LG_OK && status != LG_ENOTFOUND)
        return status;
    forget(state);
    uint32_t start = search_back(state, node, false);
    if (start == LG_NONE)
        start = node;
    lg_hops hops = {0};
    status = hops_along(state, start, node, UINT64_MAX, &hops, err);
    // A folded end shows as its owner, where the hop of the cut begins.
    if (status == LG_OK && hops.count > 0 &&
        state->walk.fold[node].owner != LG_NONE &&
        hops.items[hops.count - 1].source ==
            lg__seen_node(state->walk.fold, node))
        hops.count--;
    if (status == LG_OK)
        *out = path_along(state, start, &hops);
    return status;
}

static uint32_t
hop_of_edge(const lg_path *path, uint64_t edge)
{
    for (size_t i = 0; i < path->count; i++)
        for (uint32_t k = 0; k < path->hops[i].edge_count; k++)
            if (path->hops[i].edges[k] == edge)
                return (uint32_t)i;
    return 0;
}

static lg_status
add_cut(lg__cut_search *state, uint64_t edge, lg_hops *rest, lg_error *err)
{
    lg_path path = {0};
    lg_status status =
        find_lead(state, lg_edge_source(state->graph, edge), &path, err);
    if (status == LG_OK)
        status = lg__path_extend(&path, rest->items, rest->count, err);
    if (status != LG_OK) {
        lg_path_free(&path);
        return status;
    }
    state->cuts.items[state->cuts.count++] =
        (lg_cut){path, hop_of_edge(&path, edge)};
    return LG_OK;
}

lg_status
lg__cut_list_paths(lg__cut_search *state, size_t limit, lg_error *err)
{
    size_t count = state->cut.count;
    if (limit != 0 && limit < count)
        count = limit;
    lg_hops *rest = lg__wide_calloc(count + 1, sizeof *rest);
    state->cuts.items = lg__wide_calloc(count + 1, sizeof *state->cuts.items);
    state->cuts.total = state->cut.count;
    lg_status status =
        rest && state->cuts.items ? LG_OK : lg__error_memory(err);
    forget(state);
    if (status == LG_OK)
        search_back(state, state->network.target, true);
    for (size_t i = 0; status == LG_OK && i < count; i++) {
        uint64_t edge = state->cut.edges[i];
        status = hops_along(state, state->graph->columns.edge_target[edge],
                            state->network.target, edge, &rest[i], err);
    }
    for (size_t i = 0; status == LG_OK && i < count; i++)
        status = add_cut(state, state->cut.edges[i], &rest[i], err);
    for (size_t i = 0; rest != NULL && i < count; i++)
        lg_hops_free(&rest[i]);
    lg__wide_free(rest);
    return status;
}

// Keeps the path that no program can cut.
lg_status
lg__cut_keep_path(lg__cut_search *state, lg_error *err)
{
    lg_hops hops = {0};
    uint32_t start = lg_edge_source(state->graph, state->cut.kept[0]);
    lg_status status = lg__trail_fold(&state->walk, state->cut.kept,
                                      state->cut.kept_count, &hops, err);
    if (status == LG_OK) {
        state->cuts.is_kept = true;
        state->cuts.kept = path_along(state, start, &hops);
    }
    return status;
}

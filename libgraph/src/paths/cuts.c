// Finds what to cut to free a node. Chooses at which nodes paths may begin,
// through which they may go, and which of the smallest cuts to name.
#include "paths/cut_search.h"

#include <stdlib.h>

bool
lg_hop_can_be_cut(const lg_graph *graph, const lg_hop *hop)
{
    return lg__edge_can_be_cut(graph, hop->edges[hop->edge_count - 1]);
}

// Returns whether the search starts here. A namespace counts as its module.
static bool
is_start(const lg__cut_search *state, uint32_t node)
{
    const lg__policy *policy = &state->analysis->policy;
    return node == *state->from ||
           ((policy->mark[node] & LG__MARK_NAMESPACE) &&
            lg__policy_module(policy, node) == *state->from);
}

static uint8_t
role_of(const lg__cut_search *state, uint32_t node)
{
    const unsigned root = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE;
    if (lg_node_is_reachable(state->analysis, node) !=
        lg_node_is_reachable(state->analysis, state->network.target))
        return LG__FLOW_CLOSED;
    bool source = state->from != NULL
                      ? is_start(state, node)
                      : (state->analysis->policy.mark[node] & root) != 0;
    return source ? LG__FLOW_SOURCE : LG__FLOW_INNER;
}

static void
set_roles(lg__cut_search *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        state->role[node] = role_of(state, node);
    for (uint32_t i = 0; state->from == NULL && i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE || state->native)
            state->role[graph->root_node[i]] = LG__FLOW_SOURCE;
}

static lg_status
find_cut(lg__cut_search *state, lg__can_cut can_cut, lg__min_cut *out,
         lg_error *err)
{
    state->network.can_cut = can_cut;
    return lg__min_cut_find(&state->network, out, err);
}

// Finds the smallest cut. Prefers a cut of plain references if it is as small.
static lg_status
choose_cut(lg__cut_search *state, lg_error *err)
{
    lg__min_cut plain = {0};
    lg_status status = find_cut(state, lg__edge_can_be_cut, &state->cut, err);
    if (status != LG_OK || state->cut.count == 0)
        return status;
    status = find_cut(state, lg__edge_is_plain, &plain, err);
    if (status == LG_OK && plain.count == state->cut.count) {
        lg__min_cut_free(&state->cut);
        state->cut = plain;
    } else {
        lg__min_cut_free(&plain);
    }
    return status;
}

// Returns whether the target is a root itself, so that there is nothing to cut
// before it.
static bool
is_source(const lg__cut_search *state)
{
    return state->role[state->network.target] == LG__FLOW_SOURCE;
}

static lg_status
search_from(lg__cut_search *state, bool native, size_t limit, lg_error *err)
{
    state->native = native;
    set_roles(state);
    if (is_source(state)) {
        state->cuts.is_kept = true;
        state->cuts.kept = lg__path_at(&state->walk, state->network.target);
        return LG_OK;
    }
    lg__min_cut_free(&state->cut);
    lg_status status = choose_cut(state, err);
    if (status != LG_OK)
        return status;
    return state->cut.kept_count > 0 ? lg__cut_keep_path(state, err)
                                     : lg__cut_list_paths(state, limit, err);
}

static bool
has_native_roots(const lg_graph *graph)
{
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_NATIVE)
            return true;
    return false;
}

// Finds the cuts. If native code or a running call holds the node, which no
// program can change, keeps that path and cuts the other references.
static lg_status
find_cuts(lg__cut_search *state, size_t limit, lg_error *err)
{
    bool native = state->from == NULL && has_native_roots(state->graph);
    lg_status status = search_from(state, native, limit, err);
    if (status != LG_OK || state->from != NULL || !state->cuts.is_kept)
        return status;
    lg_path kept = state->cuts.kept;
    state->cuts.kept = (lg_path){0};
    state->cuts.is_kept = false;
    state->network.without_calls = true;
    status = search_from(state, false, limit, err);
    if (state->cuts.is_kept) {
        lg_path_free(&kept);
    } else {
        state->cuts.is_kept = true;
        state->cuts.kept = kept;
    }
    return status;
}

static int
compare_cuts(const void *left, const void *right)
{
    const lg_cut *a = left;
    const lg_cut *b = right;
    if (a->path.count != b->path.count)
        return a->path.count < b->path.count ? -1 : 1;
    uint64_t first = a->path.hops[a->hop].edges[0];
    uint64_t second = b->path.hops[b->hop].edges[0];
    return first < second ? -1 : first > second;
}

// Sorts the cuts. What a debugger keeps comes last.
static void
sort_cuts(lg__cut_search *state)
{
    lg_cut *items = state->cuts.items;
    size_t count = state->cuts.count;
    if (count < 2)
        return;
    qsort(items, count, sizeof *items, compare_cuts);
    for (size_t i = 1; i < count; i++) {
        lg_cut one = items[i];
        unsigned level = lg__late_level(state->late, &one.path);
        size_t at = i;
        for (;
             at > 0 && lg__late_level(state->late, &items[at - 1].path) > level;
             at--)
            items[at] = items[at - 1];
        items[at] = one;
    }
}

// Returns whether the reference is listed already: a program deletes an
// attribute once, even if it is stored twice.
static bool
is_listed(const lg__cut_search *state, size_t count, const lg_cut *cut)
{
    const lg_graph *graph = state->graph;
    lg__reference own = lg__hop_reference(graph, &cut->path.hops[cut->hop]);
    for (size_t i = 0; i < count; i++) {
        const lg_cut *other = &state->cuts.items[i];
        const lg_hop *hop = &other->path.hops[other->hop];
        if (lg__references_are_one(graph, state->walk.fold, own,
                                   lg__hop_reference(graph, hop)))
            return true;
    }
    return false;
}

static void
join_cuts(lg__cut_search *state)
{
    size_t kept = 0;
    for (size_t i = 0; i < state->cuts.count; i++) {
        lg_cut *cut = &state->cuts.items[i];
        if (is_listed(state, kept, cut)) {
            lg_path_free(&cut->path);
            state->cuts.total--;
        } else {
            state->cuts.items[kept++] = *cut;
        }
    }
    state->cuts.count = kept;
}

static lg_status
prepare(lg__cut_search *state, lg_error *err)
{
    const lg_graph *graph = state->graph;
    size_t nodes = (size_t)graph->columns.node_count + 1;
    state->walk = (lg__walk){.graph = graph, .everything = true};
    state->walk.fold = lg__graph_folds(graph);
    state->role = lg__wide_alloc(nodes);
    state->by = lg__wide_alloc(nodes * sizeof *state->by);
    state->queue = lg__wide_alloc(nodes * sizeof *state->queue);
    if (!state->walk.fold || !state->role || !state->by || !state->queue ||
        !lg__late_find(graph, &state->late) ||
        !lg__graph_reverse(graph, &state->walk.reverse))
        return lg__error_memory(err);
    state->network.target =
        lg__seen_node(state->walk.fold, state->network.target);
    state->network.reverse = state->walk.reverse;
    state->network.role = state->role;
    return LG_OK;
}

lg_status
lg_node_cuts(const lg_analysis *analysis, lg_node node, const lg_node *from,
             size_t limit, const lg_monitor *monitor, lg_cuts *out,
             lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg__cut_search state = {
        .analysis = analysis,
        .graph = graph,
        .monitor = monitor,
        .from = from,
        .network = {.graph = graph, .target = node, .monitor = monitor}};
    if (node >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    if (from != NULL && *from >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", *from);
    lg_status status = prepare(&state, err);
    bool nothing = from == NULL && !lg_node_is_reachable(analysis, node);
    if (status == LG_OK && !nothing)
        status = find_cuts(&state, limit, err);
    if (status == LG_OK) {
        sort_cuts(&state);
        join_cuts(&state);
        *out = state.cuts;
    } else {
        lg_cuts_free(&state.cuts);
    }
    lg__min_cut_free(&state.cut);
    lg__wide_free(state.role);
    lg__wide_free(state.by);
    lg__wide_free(state.queue);
    return status;
}

void
lg_cuts_free(lg_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        lg_path_free(&cuts->items[i].path);
    lg__wide_free(cuts->items);
    lg_path_free(&cuts->kept);
    *cuts = (lg_cuts){0};
}

// Finds what to cut to free a node. Chooses at which nodes paths may begin,
// through which they may go, and which of the smallest cuts to name.
//
// Suspects are the hops of a path each of which would free its target. The
// target of such a hop dominates the target of the path, and only nodes that it
// dominates itself refer to it otherwise.
#include "graph/graph_private.h"
#include "paths/measure.h"
#include "paths/min_cut.h"
#include "paths/path_hops.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/why_facts.h>
#include <leakgraph/why.h>

#include <stdlib.h>

// One search for references to cut.
typedef struct cut_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__hop_walk walk;
    lg__flow_network network;
    uint8_t *role;
    const uint8_t *late; // see lg__late_find
    const lg_node *from; // NULL: the roots
    bool native;         // whether references from native code are sources
    lg__min_cut cut;
    uint32_t *by;    // [node] in the last search, 1 + the edge towards its end;
                     // LG_NONE: the end; 0: not met
    uint32_t *queue; // the nodes that the search met
    uint32_t met;
    lg_cuts cuts;
} cut_search;

// Folds raw edges along a path into hops.

static bool
is_closure(const lg__hop_walk *walk, uint32_t owner, uint64_t edge)
{
    uint32_t target = lg_columns_target(&walk->graph->columns, edge);
    return lg__edge_opens(walk, owner, edge) &&
           lg__node_role(walk->graph, target) == LG__ROLE_TUPLE;
}

// Begins a hop at a node, or at its owner if it is folded. A cell is folded
// through a closure tuple that its function opens, so the search for the edge
// to that tuple ends.
static lg_hop
begin(const lg__hop_walk *walk, uint32_t node)
{
    const lg_columns *columns = &walk->graph->columns;
    lg__fold fold = lg__fold_of(walk->fold, node);
    lg_hop hop = {.source = node};
    if (fold.owner == LG_NONE)
        return hop;
    hop.source = fold.owner;
    if (lg__node_role(walk->graph, node) != LG__ROLE_CELL) {
        hop.edges[hop.edge_count++] =
            lg_columns_first_edge(columns, fold.owner) + fold.rank;
        return hop;
    }
    uint64_t edge = lg_columns_first_edge(columns, fold.owner);
    while (!is_closure(walk, fold.owner, edge))
        edge++;
    uint32_t tuple = lg_columns_target(&walk->graph->columns, edge);
    hop.edges[hop.edge_count++] = edge;
    hop.edges[hop.edge_count++] =
        lg_columns_first_edge(columns, tuple) + fold.rank;
    return hop;
}

// Returns whether the hop continues through the target of its last edge: a
// namespace that the hop opened, or the cell of a closure.
static bool
goes_on(const lg__hop_walk *walk, const lg_hop *hop)
{
    const lg_graph *graph = walk->graph;
    const lg_columns *columns = &graph->columns;
    if (hop->edge_count == 1)
        return lg__edge_opens(walk, hop->source, hop->edges[0]);
    return hop->edge_count == 2 &&
           is_closure(walk, hop->source, hop->edges[0]) &&
           lg__edge_kind(graph, hop->edges[1]) == LG_EDGE_INDEX &&
           lg__node_role(graph, lg_columns_target(columns, hop->edges[1])) ==
               LG__ROLE_CELL;
}

// Turns edges into hops. Each edge begins where the one before ends. A folded
// source shows as its owner; the last target must not be folded. O(edges).
static lg_status
trail_fold(const lg__hop_walk *walk, const uint64_t *edges, size_t count,
           lg_hops *out, lg_error *err)
{
    const lg_graph *graph = walk->graph;
    lg_hops hops = {.items = lg__alloc((count + 1) * sizeof(lg_hop))};
    if (hops.items == NULL)
        return lg__error_memory(err);
    lg_hop hop = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t target = lg_columns_target(&graph->columns, edges[i]);
        if (hop.edge_count == 0)
            hop = begin(walk, lg_edge_source(graph, edges[i]));
        hop.edges[hop.edge_count++] = edges[i];
        if (i + 1 < count && goes_on(walk, &hop))
            continue;
        hop.target = lg__seen_node(walk->fold, target);
        hops.items[hops.count++] = hop;
        hop.edge_count = 0;
    }
    *out = hops;
    return LG_OK;
}

// Finds paths that show the references to cut.

static void
forget(cut_search *state)
{
    for (uint32_t i = 0; i < state->met; i++)
        state->by[state->queue[i]] = 0;
    state->met = 0;
}

static void
meet(cut_search *state, uint32_t node, uint32_t by)
{
    state->by[node] = by;
    state->queue[state->met++] = node;
}

// The edge on which the last search left a node.
static uint64_t
edge_of(const cut_search *state, uint32_t node)
{
    return state->by[node] - 1;
}

// Searches backward from `end`, breadth first, over one side of the cut, up to
// a source; without sources, over the whole side.
static uint32_t
search_back(cut_search *state, uint32_t end, bool below)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__reverse *reverse = &state->walk.reverse;
    forget(state);
    meet(state, end, LG_NONE);
    if (!below && state->role[end] == LG__FLOW_SOURCE)
        return end;
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->by[in.source] != 0 ||
                (lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
                state->role[in.source] == LG__FLOW_CLOSED ||
                (state->cut.below[in.source] != 0) != below)
                continue;
            meet(state, in.source, (uint32_t)edge + 1);
            if (state->role[in.source] == LG__FLOW_SOURCE)
                return in.source;
        }
    }
    return LG_NONE;
}

// Builds the hops from a node to the end of the last search, after one given
// edge.
static lg_status
hops_along(const cut_search *state, uint32_t start, uint32_t end,
           uint64_t before, lg_hops *out, lg_error *err)
{
    const lg_columns *columns = &state->graph->columns;
    size_t count = before != UINT64_MAX;
    for (uint32_t at = start; at != end;
         at = lg_columns_target(columns, edge_of(state, at)))
        count++;
    uint64_t *edges = lg__alloc((count + 1) * sizeof *edges);
    if (edges == NULL)
        return lg__error_memory(err);
    size_t filled = 0;
    if (before != UINT64_MAX)
        edges[filled++] = before;
    for (uint32_t at = start; at != end;
         at = lg_columns_target(columns, edge_of(state, at)))
        edges[filled++] = edge_of(state, at);
    lg_status status = trail_fold(&state->walk, edges, count, out, err);
    lg__free(edges);
    return status;
}

static bool
crosses(const cut_search *state, const lg_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (state->cut.below[path->hops[i].target])
            return true;
    return false;
}

static lg_path
path_along(const cut_search *state, uint32_t start, const lg_hops *hops)
{
    lg_path path =
        lg__path_at(&state->walk, lg__seen_node(state->walk.fold, start));
    path.hops = hops->items;
    path.count = hops->count;
    return path;
}

// Finds a path from a root, or from the start of the search, to the source of
// an edge of the cut. Prefers the most telling path if that stays on this side
// of the cut. Otherwise searches backward, which passes no node below the cut,
// so that the path crosses the cut at the edge itself and nowhere else.
static lg_status
find_lead(cut_search *state, uint32_t node, lg_path *out, lg_error *err)
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
    uint32_t start = search_back(state, node, false);
    if (start == LG_NONE)
        start = node;
    lg_hops hops = {0};
    status = hops_along(state, start, node, UINT64_MAX, &hops, err);
    // A folded end shows as its owner, where the hop of the cut begins.
    if (status == LG_OK && hops.count > 0 &&
        lg__fold_owner(state->walk.fold, node) != LG_NONE &&
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
add_cut(cut_search *state, uint64_t edge, lg_hops *rest, lg_error *err)
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

// Fills `cuts` from `cut`: a path through each of the first `limit` edges (0:
// all).
static lg_status
cut_list_paths(cut_search *state, size_t limit, lg_error *err)
{
    size_t count = state->cut.count;
    if (limit != 0 && limit < count)
        count = limit;
    lg_hops *rest = lg__calloc(count + 1, sizeof *rest);
    state->cuts.items = lg__calloc(count + 1, sizeof *state->cuts.items);
    state->cuts.total = state->cut.count;
    lg_status status =
        rest && state->cuts.items ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        search_back(state, state->network.target, true);
    for (size_t i = 0; status == LG_OK && i < count; i++) {
        uint64_t edge = state->cut.edges[i];
        status =
            hops_along(state, lg_columns_target(&state->graph->columns, edge),
                       state->network.target, edge, &rest[i], err);
    }
    for (size_t i = 0; status == LG_OK && i < count; i++)
        status = add_cut(state, state->cut.edges[i], &rest[i], err);
    for (size_t i = 0; rest != NULL && i < count; i++)
        lg_hops_free(&rest[i]);
    lg__free(rest);
    return status;
}

// Keeps the path that no program can cut.
static lg_status
cut_keep_path(cut_search *state, lg_error *err)
{
    lg_hops hops = {0};
    uint32_t start = lg_edge_source(state->graph, state->cut.kept[0]);
    lg_status status = trail_fold(&state->walk, state->cut.kept,
                                  state->cut.kept_count, &hops, err);
    if (status == LG_OK) {
        state->cuts.is_kept = true;
        state->cuts.kept = path_along(state, start, &hops);
    }
    return status;
}

bool
lg_hop_can_be_cut(const lg_graph *graph, const lg_hop *hop)
{
    return lg__edge_can_be_cut(graph, hop->edges[hop->edge_count - 1]);
}

// Returns whether the search starts here. A namespace counts as its module.
static bool
is_start(const cut_search *state, uint32_t node)
{
    const lg__policy *policy = &state->analysis->policy;
    return node == *state->from ||
           ((policy->mark[node] & LG__MARK_NAMESPACE) &&
            lg__policy_module(policy, node) == *state->from);
}

static uint8_t
role_of(const cut_search *state, uint32_t node)
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
set_roles(cut_search *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        state->role[node] = role_of(state, node);
    for (uint32_t i = 0; state->from == NULL && i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE || state->native)
            state->role[graph->root_node[i]] = LG__FLOW_SOURCE;
}

static lg_status
find_cut(cut_search *state, lg__cut_rule can_cut, lg__min_cut *out,
         lg_error *err)
{
    state->network.can_cut = can_cut;
    return lg__min_cut_find(&state->network, out, err);
}

// Returns whether a program can cut the edge, and the edge is an attribute, an
// item or a variable.
static bool
edge_is_plain(const lg_graph *graph, uint64_t edge)
{
    lg_hop hop = {.edges = {edge}, .edge_count = 1};
    hop.source = lg_edge_source(graph, edge);
    hop.target = lg_columns_target(&graph->columns, edge);
    return lg__edge_can_be_cut(graph, edge) &&
           lg__hop_penalty(graph, &hop) == 0;
}

// Finds the smallest cut. Prefers a cut of plain references if it is as small.
// The second cut may use fewer references, so it is never smaller than the
// first, and equal size makes it a smallest one, too.
static lg_status
choose_cut(cut_search *state, lg_error *err)
{
    lg__min_cut plain = {0};
    lg_status status = find_cut(state, lg__edge_can_be_cut, &state->cut, err);
    if (status != LG_OK || state->cut.count == 0)
        return status;
    status = find_cut(state, edge_is_plain, &plain, err);
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
is_source(const cut_search *state)
{
    return state->role[state->network.target] == LG__FLOW_SOURCE;
}

static lg_status
search_from(cut_search *state, bool native, size_t limit, lg_error *err)
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
    return state->cut.kept_count > 0 ? cut_keep_path(state, err)
                                     : cut_list_paths(state, limit, err);
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
find_cuts(cut_search *state, size_t limit, lg_error *err)
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

// Sorts the cuts. What a debugger keeps comes last. The insertion moves a cut
// only past those of a higher level, so within a level the first order stays.
static void
sort_cuts(cut_search *state)
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
is_listed(const cut_search *state, size_t count, const lg_cut *cut)
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
join_cuts(cut_search *state)
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
prepare(cut_search *state, lg_error *err)
{
    const lg_graph *graph = state->graph;
    size_t nodes = (size_t)graph->columns.node_count + 1;
    state->walk = (lg__hop_walk){.graph = graph, .everything = true};
    state->walk.fold = lg__graph_folds(graph);
    state->role = lg__alloc(nodes);
    state->by = lg__sparse_calloc(nodes, sizeof *state->by);
    state->queue = lg__sparse_calloc(nodes, sizeof *state->queue);
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
    cut_search state = {
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
    lg__free(state.role);
    lg__free(state.by);
    lg__free(state.queue);
    return status;
}

void
lg_cuts_free(lg_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        lg_path_free(&cuts->items[i].path);
    lg__free(cuts->items);
    lg_path_free(&cuts->kept);
    *cuts = (lg_cuts){0};
}

// The most steps up the dominators for one path. A hop that needs more is no
// suspect.
enum { STEPS = 4000000 };

typedef struct suspicion {
    const lg_analysis *analysis;
    const lg__hop_walk *walk;
    uint32_t steps;
} suspicion;

// Counts the steps down over all hops of a path. When they are used up, the
// answer is no unless the node has been met: a hop is called a suspect only if
// that was shown.
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
        if (edge == into || (lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
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
        uint32_t node = lg_columns_target(&walk->graph->columns, last);
        suspect[i] = lg__edge_can_be_cut(walk->graph, last) &&
                     !is_entry(analysis, node) &&
                     !is_cached_function(walk->graph, node) &&
                     dominates(&state, node, target) &&
                     is_only_edge_in(&state, node, last);
        count += suspect[i];
    }
    return count;
}

// Finds what to cut to free a node. Chooses at which nodes paths may begin,
// through which they may go, and which of the smallest cuts to name.
#include "graph/graph_private.h"
#include "paths/path_hops.h"
#include "paths/measure.h"

#include <leakgraph/internal/why_facts.h>
#include <leakgraph/why.h>

#include <stdlib.h>
#include <string.h>

// The role of a node in the flow.
enum {
    FLOW_CLOSED = 0, // no path goes through it
    FLOW_INNER = 1,
    FLOW_SOURCE = 2, // paths begin here, and none goes through it
};

// Returns whether a program can cut the edge.
typedef bool (*cut_rule)(const lg_graph *graph, uint64_t edge);

typedef struct flow_network {
    const lg_graph *graph;
    lg__reverse reverse;
    const uint8_t *role; // [node] FLOW_
    uint32_t target;     // must not be a source
    cut_rule can_cut;
    const lg_monitor *monitor;
    bool without_calls; // no path goes through what a running call holds
} flow_network;

// The minimum cut that is nearest to the target.
typedef struct min_cut {
    uint64_t *edges; // [count] in the order of a search from the target
    size_t count;
    uint8_t *below; // [node] 1 if it is on the target's side of the cut
    uint64_t *kept; // [kept_count] a path from a source to the target
                    // without an edge that can be cut; if there is one,
                    // there is no cut
    size_t kept_count;
} min_cut;

// Dinic's algorithm (Soviet Math. Doklady 11, 1970). It searches from the
// target backward, because most targets have few referrers. A reference that a
// program can cut carries one unit; any other carries any number.
//
// Between two rounds, the units flow: what is neither a source nor the target
// passes on as many as it gets. A round numbers the nodes by their distance
// from the target, and carries units along shortest paths until none gets
// through. An arc that failed once in a round fails for the rest of it, so
// `arc` never goes back; and the sources are farther away in each round, which
// bounds their number. In the last round, no source is met. Each reference into
// a node that was met, from one that was not and is not closed, carries its one
// unit, and nothing flows back. So there are as many of these references as
// units: they are a smallest cut. It is the nearest to the target, because a
// path leads from all that was met to the target without a full reference.

// A step of a search, from `node` to the node before it on a path.
typedef struct step {
    uint32_t node;
    uint64_t edge;
    bool forward; // false: it takes back a unit that the edge carries
} step;

typedef struct search {
    const flow_network *network;
    const lg_columns *columns;
    uint32_t *flow;   // [edge] units that it carries
    uint8_t *crossed; // [node] whether an edge out of it has carried a unit
    uint32_t *level;  // [node] distance from the target; LG_NONE: not met
    uint32_t *arc;    // [node] next arc to try
    uint32_t *queue;  // the nodes met
    uint32_t met;
    step *path;
    size_t depth;
    size_t capacity;
} search;

static bool
is_part(const search *state, uint64_t edge)
{
    unsigned kind = state->columns->edge_kind[edge];
    return !(kind & LG_EDGE_WEAK) &&
           !(state->network->without_calls &&
             (kind & LG_EDGE_KIND_MASK) == LG_EDGE_STACK);
}

static bool
has_room(const search *state, uint64_t edge)
{
    return state->flow[edge] == 0 ||
           !state->network->can_cut(state->network->graph, edge);
}

// Looks at arc number `at` of a node: first its in-edges, then the out-edges
// whose units can be taken back. Returns false when there are no more. *usable
// says whether the arc leads anywhere.
static bool
look_at_arc(const search *state, uint32_t node, uint32_t at, step *out,
            uint32_t *before, bool *usable)
{
    const lg__reverse *reverse = &state->network->reverse;
    uint64_t ins = lg__count_in(reverse, node);
    *out = (step){.node = node, .forward = at < ins};
    if (at < ins) {
        lg__in_edge in = lg__in_at(reverse, lg__first_in(reverse, node) + at);
        out->edge = in.edge;
        *before = in.source;
        *usable = in.source != node &&
                  state->network->role[in.source] != FLOW_CLOSED &&
                  is_part(state, out->edge) && has_room(state, out->edge);
        return true;
    }
    out->edge = state->columns->first_edge[node] + (at - ins);
    if (!state->crossed[node] ||
        out->edge >= state->columns->first_edge[node + 1])
        return false;
    *before = state->columns->edge_target[out->edge];
    *usable = state->flow[out->edge] > 0;
    return true;
}

static void
meet(search *state, uint32_t node, uint32_t level)
{
    if (state->level[node] != LG_NONE)
        return;
    state->level[node] = level;
    state->arc[node] = 0;
    state->queue[state->met++] = node;
}

static void
forget_network(search *state)
{
    for (uint32_t i = 0; i < state->met; i++)
        state->level[state->queue[i]] = LG_NONE;
    state->met = 0;
}

// Numbers each node that can still reach the target by its distance. Returns
// whether a source is among them.
static bool
find_levels(search *state)
{
    uint32_t last = LG_NONE;
    forget_network(state);
    meet(state, state->network->target, 0);
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        uint32_t before;
        bool usable;
        step to;
        if (state->level[node] >= last)
            break;
        for (uint32_t at = 0;
             look_at_arc(state, node, at, &to, &before, &usable); at++) {
            if (!usable)
                continue;
            if (state->network->role[before] == FLOW_SOURCE)
                last = state->level[node] + 1;
            else
                meet(state, before, state->level[node] + 1);
        }
    }
    return last != LG_NONE;
}

static bool
push(search *state, step to)
{
    if (!lg__stack_room(&state->path, state->depth, &state->capacity,
                        sizeof *state->path))
        return false;
    state->path[state->depth++] = to;
    return true;
}

static void
carry(search *state)
{
    for (size_t i = 0; i < state->depth; i++) {
        uint64_t edge = state->path[i].edge;
        if (state->path[i].forward) {
            state->flow[edge]++;
            state->crossed[lg_edge_source(state->network->graph, edge)] = 1;
        } else {
            state->flow[edge]--;
        }
    }
    state->depth = 0;
}

// Takes one step of the search from a node. Sets *source if it reached a
// source.
static bool
advance(search *state, uint32_t *node, bool *source, bool *memory)
{
    uint32_t before;
    bool usable;
    step to;
    *source = false;
    for (; look_at_arc(state, *node, state->arc[*node], &to, &before, &usable);
         state->arc[*node]++) {
        if (!usable)
            continue;
        *source = state->network->role[before] == FLOW_SOURCE;
        if (!*source && state->level[before] != state->level[*node] + 1)
            continue;
        *memory = push(state, to);
        *node = before;
        return true;
    }
    return false;
}

// Carries one more unit along the levels. Returns false when none gets through.
static bool
find_unit(search *state, bool *memory)
{
    uint32_t node = state->network->target;
    bool source = false;
    state->depth = 0;
    while (*memory && !source) {
        if (advance(state, &node, &source, memory))
            continue;
        if (state->depth == 0)
            return false;
        node = state->path[--state->depth].node;
        state->arc[node]++;
    }
    if (*memory)
        carry(state);
    return *memory;
}

static lg_status
fill(search *state, lg_error *err)
{
    bool memory = true;
    while (find_levels(state)) {
        if (!lg__monitor_goes_on(state->network->monitor, "looking for paths",
                                 0, err))
            return LG_ECANCELLED;
        while (find_unit(state, &memory))
            ;
        if (!memory)
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Lists the edges into nodes that still reach the target.
static lg_status
list_cut(const search *state, min_cut *out, lg_error *err)
{
    const lg__reverse *reverse = &state->network->reverse;
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        out->below[node] = 1;
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->level[in.source] != LG_NONE || state->flow[edge] == 0)
                continue;
            if (!lg__array_room(&out->edges, out->count, sizeof *out->edges))
                return lg__error_memory(err);
            out->edges[out->count++] = edge;
        }
    }
    return LG_OK;
}

// Searches over edges that cannot be cut. `by` gets the edge that led to each
// node.
static uint32_t
find_kept(search *state, uint64_t *by)
{
    const lg__reverse *reverse = &state->network->reverse;
    forget_network(state);
    meet(state, state->network->target, 0);
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->level[in.source] != LG_NONE ||
                state->network->role[in.source] == FLOW_CLOSED ||
                !is_part(state, edge) ||
                state->network->can_cut(state->network->graph, edge))
                continue;
            by[in.source] = edge;
            if (state->network->role[in.source] == FLOW_SOURCE)
                return in.source;
            meet(state, in.source, state->level[node] + 1);
        }
    }
    return LG_NONE;
}

static lg_status
look_for_kept(search *state, min_cut *out, lg_error *err)
{
    uint64_t *by =
        lg__alloc(((size_t)state->columns->node_count + 1) * sizeof *by);
    if (by == NULL)
        return lg__error_memory(err);
    uint32_t source = find_kept(state, by);
    size_t count = 0;
    for (uint32_t at = source;
         source != LG_NONE && at != state->network->target;
         at = state->columns->edge_target[by[at]])
        count++;
    out->kept = count > 0 ? lg__alloc(count * sizeof *out->kept) : NULL;
    bool memory = count == 0 || out->kept != NULL;
    for (uint32_t at = source; memory && out->kept_count < count;
         at = state->columns->edge_target[by[at]])
        out->kept[out->kept_count++] = by[at];
    lg__free(by);
    return memory ? LG_OK : lg__error_memory(err);
}

static lg_status
begin_network(search *state, min_cut *out, lg_error *err)
{
    size_t nodes = (size_t)state->columns->node_count + 1;
    state->flow =
        lg__calloc(state->columns->edge_count + 1, sizeof *state->flow);
    state->crossed = lg__calloc(nodes, 1);
    state->level = lg__alloc(nodes * sizeof *state->level);
    state->arc = lg__alloc(nodes * sizeof *state->arc);
    state->queue = lg__alloc(nodes * sizeof *state->queue);
    out->below = lg__calloc(nodes, 1);
    if (!state->flow || !state->crossed || !state->level || !state->arc ||
        !state->queue || !out->below)
        return lg__error_memory(err);
    memset(state->level, 0xff, nodes * sizeof *state->level);
    return LG_OK;
}

// O(edges * sqrt(edges)) at worst; in practice a few passes over what leads to
// the target. Takes 16 bytes per node and 4 per edge that the search meets.
// Free with min_cut_free, also on failure.
static lg_status
min_cut_find(const flow_network *network, min_cut *out, lg_error *err)
{
    search state = {.network = network, .columns = &network->graph->columns};
    *out = (min_cut){0};
    lg_status status = begin_network(&state, out, err);
    if (status == LG_OK)
        status = look_for_kept(&state, out, err);
    if (status == LG_OK && out->kept_count == 0) {
        status = fill(&state, err);
        if (status == LG_OK)
            status = list_cut(&state, out, err);
    }
    lg__free(state.flow);
    lg__free(state.crossed);
    lg__free(state.level);
    lg__free(state.arc);
    lg__free(state.queue);
    lg__free(state.path);
    return status;
}

static void
min_cut_free(min_cut *cut)
{
    lg__free(cut->edges);
    lg__free(cut->below);
    lg__free(cut->kept);
    *cut = (min_cut){0};
}

// One search for references to cut.
typedef struct cut_search {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg__hop_walk walk;
    flow_network network;
    uint8_t *role;
    const uint8_t *late; // see lg__late_find
    const lg_node *from; // NULL: the roots
    bool native;         // whether references from native code are sources
    min_cut cut;
    uint64_t *by;    // [node] in the current search, the edge towards its end
    uint32_t *queue; // the search's nodes
    lg_cuts cuts;
} cut_search;

// Folds raw edges along a path into hops.

static bool
is_closure(const lg__hop_walk *walk, uint32_t owner, uint64_t edge)
{
    uint32_t target = walk->graph->columns.edge_target[edge];
    return lg__edge_opens(walk, owner, edge) &&
           lg__node_role(walk->graph, target) == LG__ROLE_TUPLE;
}

// Begins a hop at a node, or at its owner if it is folded.
static lg_hop
begin(const lg__hop_walk *walk, uint32_t node)
{
    const uint32_t *first = walk->graph->columns.first_edge;
    lg__fold fold = lg__fold_of(walk->fold, node);
    lg_hop hop = {.source = node};
    if (fold.owner == LG_NONE)
        return hop;
    hop.source = fold.owner;
    if (lg__node_role(walk->graph, node) != LG__ROLE_CELL) {
        hop.edges[hop.edge_count++] = first[fold.owner] + fold.rank;
        return hop;
    }
    uint64_t edge = first[fold.owner];
    while (!is_closure(walk, fold.owner, edge))
        edge++;
    uint32_t tuple = walk->graph->columns.edge_target[edge];
    hop.edges[hop.edge_count++] = edge;
    hop.edges[hop.edge_count++] = first[tuple] + fold.rank;
    return hop;
}

// Returns whether the hop continues through the target of its last edge: a
// namespace that the hop opened, or the cell of a closure.
static bool
goes_on(const lg__hop_walk *walk, const lg_hop *hop)
{
    const lg_graph *graph = walk->graph;
    const uint32_t *targets = graph->columns.edge_target;
    if (hop->edge_count == 1)
        return lg__edge_opens(walk, hop->source, hop->edges[0]);
    return hop->edge_count == 2 &&
           is_closure(walk, hop->source, hop->edges[0]) &&
           lg__edge_kind(graph, hop->edges[1]) == LG_EDGE_INDEX &&
           lg__node_role(graph, targets[hop->edges[1]]) == LG__ROLE_CELL;
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
        uint32_t target = graph->columns.edge_target[edges[i]];
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

// Searches backward from `end`, breadth first, over one side of the cut, up to
// a source; without sources, over the whole side. `by` gets the edge on which
// each node leads towards the end.
static uint32_t
search_back(cut_search *state, uint32_t end, bool below)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__reverse *reverse = &state->walk.reverse;
    uint32_t met = 1;
    state->queue[0] = end;
    state->by[end] = 0;
    if (!below && state->role[end] == FLOW_SOURCE)
        return end;
    for (uint32_t i = 0; i < met; i++) {
        uint32_t node = state->queue[i];
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->by[in.source] != UINT64_MAX ||
                (columns->edge_kind[edge] & LG_EDGE_WEAK) ||
                state->role[in.source] == FLOW_CLOSED ||
                (state->cut.below[in.source] != 0) != below)
                continue;
            state->by[in.source] = edge;
            if (state->role[in.source] == FLOW_SOURCE)
                return in.source;
            state->queue[met++] = in.source;
        }
    }
    return LG_NONE;
}

static void
forget(cut_search *state)
{
    memset(state->by, 0xff,
           ((size_t)state->graph->columns.node_count + 1) * sizeof *state->by);
}

// Builds the hops from a node to the end of the last search, after one given
// edge.
static lg_status
hops_along(const cut_search *state, uint32_t start, uint32_t end,
           uint64_t before, lg_hops *out, lg_error *err)
{
    const uint32_t *target = state->graph->columns.edge_target;
    size_t count = before != UINT64_MAX;
    for (uint32_t at = start; at != end; at = target[state->by[at]])
        count++;
    uint64_t *edges = lg__alloc((count + 1) * sizeof *edges);
    if (edges == NULL)
        return lg__error_memory(err);
    size_t filled = 0;
    if (before != UINT64_MAX)
        edges[filled++] = before;
    for (uint32_t at = start; at != end; at = target[state->by[at]])
        edges[filled++] = state->by[at];
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
// of the cut.
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
    forget(state);
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
        return FLOW_CLOSED;
    bool source = state->from != NULL
                      ? is_start(state, node)
                      : (state->analysis->policy.mark[node] & root) != 0;
    return source ? FLOW_SOURCE : FLOW_INNER;
}

static void
set_roles(cut_search *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        state->role[node] = role_of(state, node);
    for (uint32_t i = 0; state->from == NULL && i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE || state->native)
            state->role[graph->root_node[i]] = FLOW_SOURCE;
}

static lg_status
find_cut(cut_search *state, cut_rule can_cut, min_cut *out, lg_error *err)
{
    state->network.can_cut = can_cut;
    return min_cut_find(&state->network, out, err);
}

// Finds the smallest cut. Prefers a cut of plain references if it is as small.
static lg_status
choose_cut(cut_search *state, lg_error *err)
{
    min_cut plain = {0};
    lg_status status = find_cut(state, lg__edge_can_be_cut, &state->cut, err);
    if (status != LG_OK || state->cut.count == 0)
        return status;
    status = find_cut(state, lg__edge_is_plain, &plain, err);
    if (status == LG_OK && plain.count == state->cut.count) {
        min_cut_free(&state->cut);
        state->cut = plain;
    } else {
        min_cut_free(&plain);
    }
    return status;
}

// Returns whether the target is a root itself, so that there is nothing to cut
// before it.
static bool
is_source(const cut_search *state)
{
    return state->role[state->network.target] == FLOW_SOURCE;
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
    min_cut_free(&state->cut);
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

// Sorts the cuts. What a debugger keeps comes last.
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
    state->by = lg__alloc(nodes * sizeof *state->by);
    state->queue = lg__alloc(nodes * sizeof *state->queue);
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
    min_cut_free(&state.cut);
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

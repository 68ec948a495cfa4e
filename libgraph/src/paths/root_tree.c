// Finds shortest root paths to all nodes: breadth first from all roots, level
// by level, and within a level by the rank of the root, then by penalty, then
// by the index of the node before. Native roots serve only what no other root
// reaches.
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

// What the search knows of a node, as bits. Because it visits level by level, a
// node that it met and has not passed is of the visited level or of the next.
enum {
    FOLDED = 1,
    ODD = 2, // its level is odd
    PASSED = 4,
    STATE_BITS = 3,
};

// What the search asks about a node, kept together in memory.
typedef struct visit {
    uint32_t before; // see lg__roottree
    uint32_t mark;   // rank of the root, penalty and state
} visit;

typedef struct search {
    lg__roottree tree;
    visit *visit; // [node]
    uint32_t *queue;
    uint32_t met, at;
} search;

// How many nodes of the queue ahead to prefetch targets, and for how many
// targets. The others are prefetched when the search is at the node.
enum { AHEAD = 4, TARGETS_AHEAD = 16 };

static uint32_t
key_of(const visit *node)
{
    return node->mark >> STATE_BITS;
}

static uint32_t
key_of_root(uint8_t rank)
{
    return (uint32_t)rank << LG__PENALTY_BITS;
}

static uint32_t
key_behind(uint32_t key, unsigned penalty)
{
    const uint32_t rank = key >> LG__PENALTY_BITS << LG__PENALTY_BITS;
    return rank | lg__penalty_add(key - rank, penalty);
}

// Returns whether a met node is on the level below another node.
static bool
is_below(const visit *target, const visit *source)
{
    return !(target->mark & PASSED) &&
           ((target->mark ^ source->mark) & ODD) != 0;
}

static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    visit *target = &state->visit[hop->target];
    const visit *source = &state->visit[state->at];
    bool is_new = target->before == LG_NONE;
    if (hop->weak || (!is_new && !is_below(target, source)))
        return true;
    uint32_t key = key_behind(key_of(source),
                              lg__hop_penalty(state->tree.walk.graph, hop));
    if (is_new)
        state->queue[state->met++] = hop->target;
    else if (key > key_of(target) ||
             (key == key_of(target) && state->at > target->before))
        return true;
    *target = (visit){state->at, key << STATE_BITS | (~source->mark & ODD)};
    return true;
}

// Starts from the native roots, or from all others.
static void
meet_roots(search *state, bool native)
{
    const lg_graph *graph = state->tree.walk.graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node =
            lg__seen_node(state->tree.walk.fold, graph->root_node[i]);
        visit *here = &state->visit[node];
        uint8_t rank = lg__root_rank(graph, i);
        if ((rank == LG__RANK_NATIVE) != native)
            continue;
        if (here->before == LG_NONE)
            state->queue[state->met++] = node;
        else if (here->before != node || state->tree.root[node] == LG_NONE ||
                 key_of_root(rank) >= key_of(here))
            continue;
        state->tree.root[node] = i;
        *here = (visit){node, key_of_root(rank) << STATE_BITS};
    }
}

static void
ask_targets_ahead(const search *state, uint32_t at)
{
    const lg_columns *columns = &state->tree.walk.graph->columns;
    lg__ask_ahead(columns, state->queue + at, state->met - at);
    if (at + AHEAD >= state->met)
        return;
    uint32_t next = state->queue[at + AHEAD];
    uint64_t edge = columns->first_edge[next];
    uint64_t end = columns->first_edge[next + 1];
    end = end - edge < TARGETS_AHEAD ? end : edge + TARGETS_AHEAD;
    for (; edge < end; edge++)
        __builtin_prefetch(&state->visit[columns->edge_target[edge]]);
}

// Returns whether a reference of this kind may be on a shortest path. Most lead
// to nodes that were met already, and need no hop.
static bool
is_news(const visit *target, const visit *source, unsigned kind)
{
    return (target->before == LG_NONE || is_below(target, source)) &&
           !(kind & LG_EDGE_WEAK);
}

static void
ask_target_ahead(const search *state, uint64_t edge, uint64_t end)
{
    const uint32_t *targets = state->tree.walk.graph->columns.edge_target;
    if (edge + TARGETS_AHEAD < end)
        __builtin_prefetch(&state->visit[targets[edge + TARGETS_AHEAD]]);
}

// Visits what is in the namespace that the edge opens.
static void
visit_namespace(search *state, uint32_t node, uint64_t opener)
{
    const lg_columns *columns = &state->tree.walk.graph->columns;
    const visit *source = &state->visit[node];
    uint32_t names = columns->edge_target[opener];
    uint64_t end = columns->first_edge[names + 1];
    for (uint64_t edge = columns->first_edge[names]; edge < end; edge++) {
        uint32_t at = columns->edge_target[edge];
        const visit *target = &state->visit[at];
        ask_target_ahead(state, edge, end);
        if (target->mark & FOLDED)
            lg__hops_through(&state->tree.walk, node, opener, edge);
        else if (is_news(target, source, columns->edge_kind[edge]))
            meet(state, &(lg_hop){node, at, {opener, edge}, 2, false});
    }
}

static void
visit_folded(search *state, uint32_t node, uint64_t edge)
{
    const lg__walk *walk = &state->tree.walk;
    uint32_t target = walk->graph->columns.edge_target[edge];
    if (lg__edge_opens(walk, node, edge) &&
        lg__node_role(walk->graph, target) != LG__ROLE_TUPLE)
        visit_namespace(state, node, edge);
    else
        lg__hops_by_walk(walk, node, edge);
}

static void
visit_edges(search *state, uint32_t node)
{
    const lg_columns *columns = &state->tree.walk.graph->columns;
    visit *source = &state->visit[node];
    uint64_t end = columns->first_edge[node + 1];
    state->at = node;
    source->mark |= PASSED;
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t at = columns->edge_target[edge];
        const visit *target = &state->visit[at];
        ask_target_ahead(state, edge, end);
        if (target->mark & FOLDED)
            visit_folded(state, node, edge);
        else if (is_news(target, source, columns->edge_kind[edge]))
            meet(state, &(lg_hop){node, at, {edge}, 1, false});
    }
}

static lg_status
spread(search *state, const lg_monitor *monitor, lg_error *err)
{
    uint32_t at = 0;
    for (int native = 0; native < 2; native++) {
        meet_roots(state, native != 0);
        for (; at < state->met; at++) {
            if (at % 65536 == 0 &&
                !lg__monitor_goes_on(
                    monitor, "looking for paths",
                    (double)at / state->tree.walk.graph->columns.node_count,
                    err))
                return LG_ECANCELLED;
            ask_targets_ahead(state, at);
            visit_edges(state, state->queue[at]);
        }
    }
    return LG_OK;
}

// Takes the graph's tree if it has one.
static bool
take_kept(const lg_graph *graph, lg__roottree *tree)
{
    const lg__lazy *lazy = graph->lazy;
    if (!lazy->has_paths)
        return false;
    tree->before = lazy->path_before;
    tree->root = lazy->path_root;
    tree->kept = true;
    return true;
}

// Gives the tree to the graph, or takes that of another thread that was faster.
static void
keep(const lg_graph *graph, lg__roottree *tree)
{
    lg__lazy *lazy = graph->lazy;
    lg_lock_take(&lazy->lock);
    if (lazy->has_paths) {
        free(tree->before);
        free(tree->root);
    } else {
        lazy->path_before = tree->before;
        lazy->path_root = tree->root;
        lazy->has_paths = true;
    }
    lg_lock_give(&lazy->lock);
    take_kept(graph, tree);
}

static lg_status
grow(lg__roottree *tree, const lg_monitor *monitor, lg_error *err)
{
    size_t nodes = tree->walk.graph->columns.node_count;
    search state = {
        .tree = *tree,
        .visit = lg__wide_alloc((nodes + 1) * sizeof(visit)),
        .queue = lg__wide_alloc((nodes + 1) * sizeof(uint32_t)),
    };
    lg_status status =
        state.visit && state.queue ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < nodes && status == LG_OK; i++)
        state.visit[i] =
            (visit){LG_NONE, tree->walk.fold[i].owner != LG_NONE ? FOLDED : 0};
    state.tree.walk.visit = meet;
    state.tree.walk.context = &state;
    if (status == LG_OK)
        status = spread(&state, monitor, err);
    for (size_t i = 0; i < nodes && status == LG_OK; i++)
        tree->before[i] = state.visit[i].before;
    free(state.visit);
    free(state.queue);
    return status;
}

// Makes a tree without paths, which owns its arrays.
static lg_status
begin(const lg_graph *graph, lg__roottree *tree, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    tree->before = lg__wide_alloc(nodes * sizeof *tree->before);
    tree->root = lg__wide_alloc(nodes * sizeof *tree->root);
    if (tree->before == NULL || tree->root == NULL)
        return lg__error_memory(err);
    memset(tree->before, 0xff, nodes * sizeof *tree->before);
    memset(tree->root, 0xff, nodes * sizeof *tree->root);
    return LG_OK;
}

lg_status
lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                 lg__roottree *out, lg_error *err)
{
    lg__roottree tree = {0};
    lg_status status =
        lg__paths_walk(graph, &tree.walk) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK && !take_kept(graph, &tree)) {
        status = begin(graph, &tree, err);
        if (status == LG_OK)
            status = grow(&tree, monitor, err);
        if (status == LG_OK)
            keep(graph, &tree);
    }
    if (status == LG_OK)
        *out = tree;
    else
        lg__roottree_free(&tree);
    return status;
}

// Returns the root at which the path begins, by kind and name.
static uint32_t
find_root(const lg__walk *walk, const lg_root *root)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        lg_root one = lg_graph_root(graph, i);
        if (lg__seen_node(walk->fold, one.node) == root->node &&
            one.kind == root->kind && one.name.data == root->name.data)
            return i;
    }
    return LG_NONE;
}

static void
plant_path(lg__roottree *tree, const lg_path *path)
{
    uint32_t root = path->root.node;
    tree->before[root] = root;
    tree->root[root] = find_root(&tree->walk, &path->root);
    for (size_t i = 0; i < path->count; i++)
        tree->before[path->hops[i].target] = path->hops[i].source;
}

lg_status
lg__roottree_to(const lg_graph *graph, uint32_t node, const lg_monitor *monitor,
                lg__roottree *out, lg_error *err)
{
    lg_path path = {0};
    lg__roottree tree = {0};
    lg_status status =
        lg__paths_walk(graph, &tree.walk) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = begin(graph, &tree, err);
    if (status == LG_OK)
        status = lg_path_from_root(graph, node, monitor, &path, err);
    if (status == LG_OK)
        plant_path(&tree, &path);
    lg_path_free(&path);
    if (status != LG_OK && status != LG_ENOTFOUND) {
        lg__roottree_free(&tree);
        return status;
    }
    *out = tree;
    return LG_OK;
}

// Returns whether the path to an entrance may lead on to the target, as
// lg__path_enters does.
static bool
enters(const lg__roottree *tree, uint32_t entrance, uint32_t target)
{
    uint32_t at = entrance;
    if (tree->before[at] == LG_NONE)
        return false;
    for (; tree->before[at] != at && at != target; at = tree->before[at])
        ;
    return at != target &&
           lg__root_rank(tree->walk.graph, tree->root[at]) != LG__RANK_NATIVE;
}

uint32_t
lg__roottree_before(const lg__roottree *tree, uint32_t node)
{
    uint32_t entrance = lg__path_entrance(&tree->walk, node);
    return entrance != LG_NONE && enters(tree, entrance, node)
               ? entrance
               : tree->before[node];
}

lg_status
lg__roottree_path(const lg__roottree *tree, uint32_t node, lg_path *out,
                  lg_error *err)
{
    uint32_t end = lg__seen_node(tree->walk.fold, node);
    if (tree->before[end] == LG_NONE)
        return LG_ENOTFOUND;
    uint32_t last = lg__roottree_before(tree, end);
    uint32_t at = last;
    size_t count = last != end;
    for (; tree->before[at] != at; at = tree->before[at])
        count++;
    lg_hop *hops = malloc((count + 1) * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    lg_root root = lg_graph_root(tree->walk.graph, tree->root[at]);
    root.node = at;
    *out = (lg_path){LG_STARTS_AT_ROOT, root, hops, count};
    for (at = end; count > 0; at = last, last = tree->before[at])
        hops[--count] = lg__hop_between(&tree->walk, last, at);
    return LG_OK;
}

void
lg__roottree_free(lg__roottree *tree)
{
    if (!tree->kept) {
        free(tree->before);
        free(tree->root);
    }
    *tree = (lg__roottree){0};
}

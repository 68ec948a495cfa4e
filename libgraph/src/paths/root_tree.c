// Finds shortest root paths to all nodes: breadth first from all roots, level
// by level, and within a level by the rank of the root, then by penalty. Native
// roots serve only what no other root reaches.
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct key {
    uint16_t penalty; // saturating
    uint8_t rank;
} key;

typedef struct search {
    lg__roottree tree;
    key *key;        // [node]
    uint32_t *level; // [node]
    uint32_t *queue;
    uint32_t met;
    uint32_t at;
} search;

static bool
is_better(key a, key b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.penalty < b.penalty;
}

static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    if (hop->weak)
        return true;
    uint32_t node = hop->target;
    uint32_t level = state->level[state->at] + 1;
    key here = state->key[state->at];
    unsigned penalty =
        here.penalty + lg__hop_penalty(state->tree.walk.graph, hop);
    here.penalty = (uint16_t)(penalty < UINT16_MAX ? penalty : UINT16_MAX);
    if (state->tree.before[node] == LG_NONE) {
        state->queue[state->met++] = node;
        state->level[node] = level;
    } else if (state->level[node] != level ||
               !is_better(here, state->key[node])) {
        return true;
    }
    state->tree.before[node] = state->at;
    state->key[node] = here;
    return true;
}

// Starts from the native roots, or from all others.
static void
meet_roots(search *state, bool native)
{
    const lg_graph *graph = state->tree.walk.graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node = graph->root_node[i];
        uint8_t rank = lg__root_rank(graph, i);
        uint32_t owner = state->tree.walk.fold[node].owner;
        if (owner != LG_NONE)
            node = owner;
        if ((rank == LG__RANK_NATIVE) != native)
            continue;
        if (state->tree.before[node] == LG_NONE)
            state->queue[state->met++] = node;
        else if (state->tree.before[node] != node ||
                 state->tree.root[node] == LG_NONE ||
                 rank >= state->key[node].rank)
            continue;
        state->tree.before[node] = node;
        state->tree.root[node] = i;
        state->level[node] = 0;
        state->key[node] = (key){0, rank};
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
            state->at = state->queue[at];
            lg__hops_out_walk(&state->tree.walk, state->at);
        }
    }
    return LG_OK;
}

// Takes the graph's tree, if it has one.
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

// Gives the tree to the graph; if another thread was faster, takes that one.
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
    size_t nodes = (size_t)tree->walk.graph->columns.node_count + 1;
    search state = {
        .tree = *tree,
        .key = calloc(nodes, sizeof(key)),
        .level = calloc(nodes, sizeof(uint32_t)),
        .queue = malloc(nodes * sizeof(uint32_t)),
    };
    state.tree.walk.visit = meet;
    state.tree.walk.context = &state;
    lg_status status = state.key && state.level && state.queue
                           ? spread(&state, monitor, err)
                           : lg__error_memory(err);
    free(state.key);
    free(state.level);
    free(state.queue);
    return status;
}

// A tree of no paths, whose arrays belong to it.
static lg_status
begin(const lg_graph *graph, lg__roottree *tree, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    tree->before = malloc(nodes * sizeof *tree->before);
    tree->root = malloc(nodes * sizeof *tree->root);
    if (tree->before == NULL || tree->root == NULL)
        return lg__error_memory(err);
    memset(tree->before, 0xff, nodes * sizeof *tree->before);
    memset(tree->root, 0xff, nodes * sizeof *tree->root);
    return LG_OK;
}

// What a walk needs, the same for each tree of a graph.
static lg_status
set_walk(const lg_graph *graph, lg__roottree *tree, lg_error *err)
{
    tree->walk = (lg__walk){
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    return tree->walk.fold != NULL &&
                   lg__graph_reverse(graph, &tree->walk.reverse)
               ? LG_OK
               : lg__error_memory(err);
}

lg_status
lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                 lg__roottree *out, lg_error *err)
{
    lg__roottree tree = {0};
    lg_status status = set_walk(graph, &tree, err);
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

// Where the path begins among the roots: at one of its kind and name.
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
    lg_status status = set_walk(graph, &tree, err);
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

lg_status
lg__roottree_path(const lg__roottree *tree, uint32_t node, lg_path *out,
                  lg_error *err)
{
    uint32_t end = lg__seen_node(tree->walk.fold, node);
    uint32_t at = end;
    size_t count = 0;
    if (tree->before[end] == LG_NONE)
        return LG_ENOTFOUND;
    for (; tree->before[at] != at; at = tree->before[at])
        count++;
    lg_hop *hops = malloc((count + 1) * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    *out =
        (lg_path){lg_graph_root(tree->walk.graph, tree->root[at]), hops, count};
    for (at = end; count > 0; at = tree->before[at])
        hops[--count] = lg__hop_between(&tree->walk, tree->before[at], at);
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

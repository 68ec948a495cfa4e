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

lg_status
lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                 lg__roottree *out, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    search state = {
        .tree = {.walk = {.graph = graph,
                          .fold = lg__graph_folds(graph),
                          .visit = meet,
                          .context = &state,
                          .everything = true},
                 .before = malloc(nodes * sizeof(uint32_t)),
                 .root = malloc(nodes * sizeof(uint32_t))},
        .key = calloc(nodes, sizeof(key)),
        .level = calloc(nodes, sizeof(uint32_t)),
        .queue = malloc(nodes * sizeof(uint32_t)),
    };
    lg_status status = LG_OK;
    if (!lg__graph_reverse(graph, &state.tree.walk.reverse) ||
        !state.tree.walk.fold || !state.tree.before || !state.tree.root ||
        !state.key || !state.level || !state.queue) {
        status = lg__error_memory(err);
        goto done;
    }
    memset(state.tree.before, 0xff, nodes * sizeof(uint32_t));
    memset(state.tree.root, 0xff, nodes * sizeof(uint32_t));
    status = spread(&state, monitor, err);
    state.tree.walk.context = NULL;
    if (status == LG_OK)
        *out = state.tree;

done:
    if (status != LG_OK)
        lg__roottree_free(&state.tree);
    free(state.key);
    free(state.level);
    free(state.queue);
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
    size_t nodes = (size_t)graph->columns.node_count + 1;
    lg_path path = {0};
    lg__roottree tree = {.walk = {.graph = graph,
                                  .fold = lg__graph_folds(graph),
                                  .everything = true},
                         .before = malloc(nodes * sizeof(uint32_t)),
                         .root = malloc(nodes * sizeof(uint32_t))};
    lg_status status = LG_OK;
    if (!lg__graph_reverse(graph, &tree.walk.reverse) || !tree.walk.fold ||
        !tree.before || !tree.root)
        status = lg__error_memory(err);
    if (status == LG_OK) {
        memset(tree.before, 0xff, nodes * sizeof(uint32_t));
        memset(tree.root, 0xff, nodes * sizeof(uint32_t));
        status = lg_path_from_root(graph, node, monitor, &path, err);
    }
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
    free(tree->before);
    free(tree->root);
    *tree = (lg__roottree){0};
}

// Finds a shortest strong path from a root: breadth first over the hops that
// lead to the target, until a level has a root in it. Each visited node
// remembers the next node towards the target, and the least penalty of the
// paths of that length, so that the most telling of the shortest paths wins.
// The search looks up the hops themselves at its end.
#include "paths/paths_private.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
    lg__walk walk;
    uint32_t *next;    // [node] towards the target; LG_NONE: not visited
    uint16_t *penalty; // saturating
    uint32_t *level;   // hops to the target
    uint8_t *rank;     // [node] of the best root that the node is
    uint32_t *queue;
    uint32_t met;
    uint32_t at;       // the node whose referrers it visits
    uint32_t entrance; // the only last step to the target, unless LG_NONE
} search;

// Modules that refer to objects as part of their job.
static bool
is_bookkeeping(lg_string name)
{
    static const char *const names[] = {
        "sys",
        "gc",
        "builtins",
        "linecache",
        "IPython",
        "ipykernel",
        "weakref",
        "_weakrefset",
        "atexit",
        "functools",
        "logging",
        "warnings",
        "importlib",
        "_frozen_importlib",
        "_frozen_importlib_external",
    };
    lg_string top = name;
    for (uint32_t i = 0; i < name.length && top.length == name.length; i++)
        if (name.data[i] == '.')
            top.length = i;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(top, names[i]))
            return true;
    return false;
}

uint8_t
lg__root_rank(const lg_graph *graph, uint32_t index)
{
    lg_root root = lg_graph_root(graph, index);
    switch (root.kind) {
    case LG_ROOT_THREAD:
    case LG_ROOT_GIVEN:
        return LG__RANK_THREAD;
    case LG_ROOT_MODULE:
        return is_bookkeeping(root.name) ? LG__RANK_BOOKKEEPING
                                         : LG__RANK_USER_MODULE;
    case LG_ROOT_INTERPRETER:
        return LG__RANK_INTERPRETER;
    case LG_ROOT_STATIC:
        return LG__RANK_STATIC;
    default:
        return LG__RANK_NATIVE;
    }
}

// Whether a module names a class that another one defines: `from a import B`.
static bool
is_imported(const lg_graph *graph, const lg_hop *hop)
{
    if (lg__node_category(graph, hop->source) != LG_CATEGORY_MODULE ||
        lg__node_category(graph, hop->target) != LG_CATEGORY_TYPE)
        return false;
    lg_string module = lg_node_text(graph, hop->source);
    lg_string name = lg_node_text(graph, hop->target);
    return name.length <= module.length + 1 ||
           memcmp(name.data, module.data, module.length) != 0 ||
           name.data[module.length] != '.' ||
           memchr(name.data + module.length + 1, '.',
                  name.length - module.length - 1) != NULL;
}

// How little a reference tells a reader. Among paths of the same length, the
// least sum wins. A kind that is not listed costs nothing: the source names it,
// as `.x`, `[0]` or a local variable.
static const uint8_t penalties[LG_EDGE_KIND_COUNT] = {
    // Every instance refers to its class, and every function to its globals.
    // Such a path shows where code comes from, not what keeps data. It must
    // lose even against some references without a name.
    [LG_EDGE_TYPE] = 16,
    [LG_EDGE_GLOBALS] = 16,
    // These hold data, but nothing in the source names them.
    [LG_EDGE_REFERENCE] = 4,
    [LG_EDGE_FIELD] = 4,
    [LG_EDGE_NATIVE] = 4,
    // These have a place, but seldom matter: readers look for the value beside
    // a key, and the next instruction drops a temporary.
    [LG_EDGE_KEY] = 2,
    [LG_EDGE_STACK] = 2,
};
// The module that defines a class comes before those that import it. Nothing
// else should depend on that, so this is the smallest cost of all.
enum { PENALTY_IMPORTED = 1 };

unsigned
lg__hop_penalty(const lg_graph *graph, const lg_hop *hop)
{
    unsigned penalty = is_imported(graph, hop) ? PENALTY_IMPORTED : 0;
    for (uint32_t i = 0; i < hop->edge_count; i++)
        penalty += penalties[lg__edge_kind(graph, hop->edges[i])];
    return penalty;
}

static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    uint32_t node = hop->source;
    bool first = state->next[state->at] == state->at;
    if (hop->weak ||
        (first && state->entrance != LG_NONE && node != state->entrance))
        return true;
    uint32_t level = state->level[state->at] + 1;
    unsigned penalty =
        state->penalty[state->at] + lg__hop_penalty(state->walk.graph, hop);
    uint16_t saturated =
        (uint16_t)(penalty < UINT16_MAX ? penalty : UINT16_MAX);
    if (state->next[node] == LG_NONE) {
        state->queue[state->met++] = node;
        state->level[node] = level;
    } else if (state->level[node] != level ||
               state->penalty[node] <= saturated) {
        return true;
    }
    state->next[node] = state->at;
    state->penalty[node] = saturated;
    return true;
}

static bool
is_better_root(const search *state, uint32_t node, uint32_t best)
{
    if (best == LG_NONE || state->rank[node] != state->rank[best])
        return best == LG_NONE || state->rank[node] < state->rank[best];
    if (state->penalty[node] != state->penalty[best])
        return state->penalty[node] < state->penalty[best];
    return node < best;
}

// The best root among the nodes from begin to end: native roots, or all others.
static uint32_t
best_root(const search *state, uint32_t begin, uint32_t end, bool native)
{
    uint32_t best = LG_NONE;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t node = state->queue[i];
        uint8_t rank = state->rank[node];
        if ((native ? rank == LG__RANK_NATIVE : rank < LG__RANK_NATIVE) &&
            is_better_root(state, node, best))
            best = node;
    }
    return best;
}

// Searches level by level. Returns the best root of the first level that has
// one which is not native, or else the nearest native root.
static lg_status
find_root(search *state, uint32_t target, const lg_monitor *monitor,
          uint32_t *out, lg_error *err)
{
    uint32_t native = LG_NONE;
    uint32_t begin = 0;
    state->queue[0] = target;
    state->next[target] = target;
    state->met = 1;
    while (begin < state->met) {
        uint32_t end = state->met;
        uint32_t best = best_root(state, begin, end, false);
        if (best != LG_NONE) {
            *out = best;
            return LG_OK;
        }
        if (native == LG_NONE)
            native = best_root(state, begin, end, true);
        for (uint32_t i = begin; i < end; i++) {
            state->at = state->queue[i];
            if (i % 65536 == 0 &&
                !lg__monitor_goes_on(monitor, "searching", 0, err))
                return LG_ECANCELLED;
            lg__hops_in_walk(&state->walk, state->at);
        }
        begin = end;
    }
    *out = native;
    return LG_OK;
}

// The node that shows a root: the owner of a folded one.
static uint32_t
seen_root(const search *state, uint32_t index)
{
    uint32_t node = state->walk.graph->root_node[index];
    uint32_t owner = state->walk.fold[node].owner;
    return owner == LG_NONE ? node : owner;
}

// Goes by the entrance if a root leads there that is not native, and otherwise
// by any node.
static lg_status
find_entered(search *state, uint32_t target, const lg_monitor *monitor,
             uint32_t *out, lg_error *err)
{
    const lg_graph *graph = state->walk.graph;
    state->entrance = lg__path_entrance(graph, &state->walk.reverse, target);
    lg_status status = find_root(state, target, monitor, out, err);
    bool found = *out != LG_NONE && state->rank[*out] < LG__RANK_NATIVE;
    if (status != LG_OK || found || state->entrance == LG_NONE)
        return status;
    memset(state->next, 0xff, graph->columns.node_count * sizeof(uint32_t));
    state->penalty[target] = 0;
    state->entrance = LG_NONE;
    return find_root(state, target, monitor, out, err);
}

unsigned
lg__hop_choose(const lg_graph *graph, const lg_hop *hop, lg_hop *best)
{
    unsigned penalty = lg__hop_penalty(graph, hop);
    unsigned least =
        best->edge_count > 0 ? lg__hop_penalty(graph, best) : UINT_MAX;
    if (penalty >= least)
        return least;
    *best = *hop;
    return penalty;
}

typedef struct choice {
    const lg_graph *graph;
    uint32_t source;
    uint32_t target;
    lg_hop best;
} choice;

static bool
choose(void *context, const lg_hop *hop)
{
    choice *state = context;
    if (hop->weak || hop->source != state->source ||
        hop->target != state->target)
        return true;
    return lg__hop_choose(state->graph, hop, &state->best) > 0;
}

// A list of a million has a million hops out, but its element has few in.
static bool
is_shorter_backwards(const lg__walk *walk, uint32_t source, uint32_t target)
{
    const uint64_t *first = walk->graph->columns.first_edge;
    const uint64_t *first_in = walk->reverse.first;
    return first_in != NULL && first_in[target + 1] - first_in[target] <
                                   first[source + 1] - first[source];
}

lg_hop
lg__hop_between(const lg__walk *walk, uint32_t source, uint32_t target)
{
    choice made = {.graph = walk->graph, .source = source, .target = target};
    lg__walk again = *walk;
    again.visit = choose;
    again.context = &made;
    if (is_shorter_backwards(walk, source, target))
        lg__hops_in_walk(&again, target);
    else
        lg__hops_out_walk(&again, source);
    return made.best;
}

static lg_status
make_path(const search *state, uint32_t root_node, uint32_t target,
          lg_path *out, lg_error *err)
{
    const lg_graph *graph = state->walk.graph;
    size_t count = 0;
    for (uint32_t node = root_node; node != target; node = state->next[node])
        count++;
    lg_hop *hops = NULL;
    if (count > 0 && (hops = malloc(count * sizeof *hops)) == NULL)
        return lg__error_memory(err);
    uint32_t node = root_node;
    for (size_t i = 0; i < count; i++) {
        hops[i] = lg__hop_between(&state->walk, node, state->next[node]);
        node = state->next[node];
    }
    uint32_t index = 0;
    while (seen_root(state, index) != root_node ||
           lg__root_rank(graph, index) != state->rank[root_node])
        index++;
    *out = (lg_path){lg_graph_root(graph, index), hops, count};
    out->root.node = root_node;
    return LG_OK;
}

static void
rank_roots(search *state)
{
    const lg_graph *graph = state->walk.graph;
    memset(state->rank, LG__RANK_NONE, graph->columns.node_count);
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node = seen_root(state, i);
        uint8_t rank = lg__root_rank(graph, i);
        if (rank < state->rank[node])
            state->rank[node] = rank;
    }
}

static void
search_free(search *state)
{
    free(state->next);
    free(state->penalty);
    free(state->level);
    free(state->rank);
    free(state->queue);
}

static lg_status
search_new(search *state, const lg_graph *graph, lg_error *err)
{
    size_t nodes = graph->columns.node_count;
    *state = (search){
        .walk = {.graph = graph,
                 .fold = lg__graph_folds(graph),
                 .visit = meet,
                 .everything = true},
        .next = malloc(nodes * sizeof(uint32_t)),
        .penalty = calloc(nodes, sizeof(uint16_t)),
        .level = calloc(nodes, sizeof(uint32_t)),
        .rank = malloc(nodes),
        .queue = malloc(nodes * sizeof(uint32_t)),
    };
    if (!state->walk.fold || !lg__graph_reverse(graph, &state->walk.reverse) ||
        !state->next || !state->penalty || !state->level || !state->rank ||
        !state->queue) {
        search_free(state);
        return lg__error_memory(err);
    }
    state->walk.context = state;
    memset(state->next, 0xff, nodes * sizeof(uint32_t));
    rank_roots(state);
    return LG_OK;
}

lg_status
lg_path_from_root(const lg_graph *graph, lg_node target,
                  const lg_monitor *monitor, lg_path *out, lg_error *err)
{
    if (target >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", target);
    if (graph->partial)
        return lg_error_set(err, LG_EPARTIAL,
                            "paths from roots need a whole snapshot, and this "
                            "one is partial");
    search state;
    lg_status status = search_new(&state, graph, err);
    if (status != LG_OK)
        return status;
    target = lg__seen_node(state.walk.fold, target);
    uint32_t root = LG_NONE;
    status = find_entered(&state, target, monitor, &root, err);
    if (status == LG_OK && root == LG_NONE)
        status = lg_error_set(err, LG_ENOTFOUND,
                              "no root reaches node %u: it is garbage that "
                              "was not collected yet",
                              target);
    if (status == LG_OK)
        status = make_path(&state, root, target, out, err);
    search_free(&state);
    return status;
}

void
lg_path_free(lg_path *path)
{
    free(path->hops);
    path->hops = NULL;
    path->count = 0;
}

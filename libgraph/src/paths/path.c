// Finds a shortest strong path from a root: searches breadth first over the
// hops that lead to the target, until a level has a root. Each visited node
// keeps the least penalty of its paths to the target and the steps of such
// paths, so the most telling of the shortest paths wins. Of equal paths, the
// one wins that comes to the target from the lowest node, then to that from the
// lowest node, and so on; the tree of all paths decides in the same way. The
// hops themselves are looked up at the end.
//
// A partial graph lacks most of the heap, but may have all that the search
// reads. It has all holders of a node whose reference count the edges explain.
// So the search of a graph of the whole heap would visit the same nodes on the
// same levels if they are explained up to the last level but one. Nothing
// decides between two equal paths, because numbers differ.
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/root_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct step {
    uint32_t towards; // a node that is one hop nearer to the target
    uint32_t more;    // 1 + the index of another step of the same node; 0: none
} step;

typedef struct search {
    lg__hop_walk walk;
    lg_allocator allocator;
    lg__vector steps;
    uint32_t *first;   // [node] 1 + the index of its first step; 0: not visited
    uint32_t *penalty; // [node] penalty of its best path to the target;
                       // saturating
    uint32_t *level;   // [node] number of hops to the target
    uint8_t *rank;     // [node] rank of the best root that the node is
    uint32_t *before;  // [node] 1 + the node before it on the path found
    uint32_t *queue;
    uint32_t met;
    uint32_t target;
    const uint8_t *late; // see lg__late_find
    uint8_t *shared;     // see lg__class_values_mark
    bool passed_over;    // nodes that only a debugger has
    uint32_t at;         // the node whose referrers are visited
    bool exhausted;      // memory ran out
} search;

// The nodes of the queue that are as far from the target as the best root.
typedef struct front {
    uint32_t begin;
    uint32_t end;
    uint32_t root; // index of the root, or LG_NONE
} front;

static bool
is_met(const search *state, uint32_t node)
{
    return node == state->target || state->first[node] != 0;
}

static bool
add_step(search *state, uint32_t node)
{
    step *steps = state->steps.data;
    uint32_t first = state->first[node];
    if (first != 0 && steps[first - 1].towards == state->at)
        return true;
    step *added = lg__vector_extend(&state->allocator, &state->steps, 1);
    if (added == NULL || state->steps.count >= LG_NONE) {
        state->exhausted = true;
        return false;
    }
    *added = (step){state->at, first};
    state->first[node] = (uint32_t)state->steps.count;
    return true;
}

// Keeps the steps of the best paths only: a smaller penalty replaces those of
// worse paths, and an equal one adds to them.
static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    uint32_t node = hop->source;
    if (hop->weak || node == state->target ||
        (state->shared[hop->target] &&
         lg__edge_repeats_class(state->walk.graph, node,
                                hop->edges[hop->edge_count - 1])))
        return true;
    if (state->late != NULL && state->late[node] != 0) {
        state->passed_over = true;
        return true;
    }
    uint32_t level = state->level[state->at] + 1;
    bool is_new = state->first[node] == 0;
    if (!is_new && state->level[node] != level)
        return true;
    uint32_t penalty = lg__penalty_add(state->penalty[state->at],
                                       lg__hop_penalty(state->walk.graph, hop));
    if (!is_new && state->penalty[node] < penalty)
        return true;
    if (is_new)
        state->queue[state->met++] = node;
    else if (state->penalty[node] > penalty)
        state->first[node] = 0;
    state->level[node] = level;
    state->penalty[node] = penalty;
    return add_step(state, node);
}

// Returns whether one root is better than another; any root is better than
// none.
static bool
is_better_root(const search *state, uint32_t node, uint32_t best)
{
    if (best == LG_NONE || state->rank[node] != state->rank[best])
        return best == LG_NONE || state->rank[node] < state->rank[best];
    return state->penalty[node] < state->penalty[best];
}

// Returns a best root among the nodes from begin to end: among native roots, or
// all others.
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

static lg_status
visit_level(search *state, uint32_t begin, uint32_t end,
            const lg_monitor *monitor, lg_error *err)
{
    for (uint32_t i = begin; i < end; i++) {
        state->at = state->queue[i];
        if (i % 65536 == 0 &&
            !lg__monitor_goes_on(monitor, "searching", 0, err))
            return LG_ECANCELLED;
        lg__hops_in_walk(&state->walk, state->at);
        if (state->exhausted)
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Searches level by level. Stops at the first level with a non-native root, or
// else takes the nearest native root. When a level is looked at, all nodes of
// the level before were visited, so the penalties of its own are final.
static lg_status
find_root(search *state, const lg_monitor *monitor, front *out, lg_error *err)
{
    front native = {0, 0, LG_NONE};
    front here = {0, 1, LG_NONE};
    lg_status status = LG_OK;
    state->queue[0] = state->target;
    state->met = 1;
    for (; here.begin < here.end && status == LG_OK;
         here.begin = here.end, here.end = state->met) {
        here.root = best_root(state, here.begin, here.end, false);
        if (here.root != LG_NONE) {
            *out = here;
            return LG_OK;
        }
        if (native.root == LG_NONE) {
            native = here;
            native.root = best_root(state, here.begin, here.end, true);
        }
        status = visit_level(state, here.begin, here.end, monitor, err);
    }
    *out = native;
    return status;
}

// Moves the roots that are as good as the best one to the beginning of the
// queue. Returns how many there are.
static uint32_t
keep_best_roots(search *state, const front *at)
{
    uint32_t kept = 0;
    for (uint32_t i = at->begin; i < at->end; i++) {
        uint32_t node = state->queue[i];
        if (state->rank[node] == state->rank[at->root] &&
            !is_better_root(state, at->root, node))
            state->queue[kept++] = node;
    }
    return kept;
}

// Follows all best paths from their roots to the target, level by level. For
// each node, remembers the lowest node that they come from. The queue serves
// once more: a node enters it when its first predecessor is noted, so it enters
// once.
static void
follow_best(search *state, const front *at)
{
    const step *steps = state->steps.data;
    state->met = keep_best_roots(state, at);
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        uint32_t next = node == state->target ? 0 : state->first[node];
        for (; next != 0; next = steps[next - 1].more) {
            uint32_t *before = &state->before[steps[next - 1].towards];
            if (*before == 0)
                state->queue[state->met++] = steps[next - 1].towards;
            if (*before == 0 || node + 1 < *before)
                *before = node + 1;
        }
    }
}

// Returns whether a partial graph has all references to a node.
//
// Structures of PyTorch refer to tensors, and to what the backward pass needs,
// without a reference that counts. A synthetic frame has its thread, which is
// the best of roots. A partial graph may lack the functions of a module and the
// instances of a class, which refer to its namespace, too.
static bool
node_is_explained(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    const unsigned flags = lg_columns_flags(columns, node);
    const lg_category category = lg__node_category(graph, node);
    if (flags & LG_NODE_SYNTHETIC)
        return category == LG_CATEGORY_FRAME;
    return !(flags & LG_NODE_IMMORTAL) && category != LG_CATEGORY_MODULE &&
           category != LG_CATEGORY_TYPE && category != LG_CATEGORY_TENSOR &&
           !lg__node_is_a(graph, node, "torch._C._FunctionBase") &&
           lg_columns_refcount(columns, node) != UINT32_MAX &&
           lg_columns_refcount(columns, node) ==
               lg_columns_found(columns, node);
}

// Returns whether a graph of the whole heap has the same entrance, if any.
static bool
path_entrance_is_sure(const lg__hop_walk *walk, uint32_t target)
{
    uint64_t end = lg__first_in(&walk->reverse, target + 1);
    for (uint64_t i = lg__first_in(&walk->reverse, target); i < end; i++) {
        lg__in_edge in = lg__in_at(&walk->reverse, i);
        if (lg__edge_kind(walk->graph, in.edge) == LG_EDGE_VALUE &&
            lg__fold_owner(walk->fold, in.source) == LG_NONE &&
            !node_is_explained(walk->graph, in.source))
            return false;
    }
    return true;
}

// Returns whether a graph of the whole heap has the same path. Call it after
// follow_best(), which has visited more nodes if another path is as good.
static bool
is_sure(const search *state, const front *at)
{
    const lg_graph *graph = state->walk.graph;
    bool sure = state->late == NULL &&
                state->rank[at->root] < LG__RANK_STATIC &&
                state->met == state->level[at->root] + 1;
    for (uint32_t i = 0; i < graph->root_count && sure; i++)
        sure = graph->root_kind[i] != LG_ROOT_GIVEN;
    for (uint32_t node = 0; node < graph->columns.node_count && sure; node++)
        if (is_met(state, node) && state->level[node] < state->level[at->root])
            sure = node_is_explained(graph, node);
    return sure;
}

static lg_status
make_path(const search *state, lg_path *out, lg_error *err)
{
    size_t count = 0;
    uint32_t at = state->target;
    for (; state->before[at] != 0; at = state->before[at] - 1)
        count++;
    lg_path path = lg__path_at(&state->walk, at);
    if (count > 0 && (path.hops = lg__alloc(count * sizeof *path.hops)) == NULL)
        return lg__error_memory(err);
    path.count = count;
    for (at = state->target; count > 0; at = state->before[at] - 1)
        path.hops[--count] =
            lg__hop_between(&state->walk, state->before[at] - 1, at);
    *out = path;
    return LG_OK;
}

static void
rank_roots(search *state)
{
    const lg_graph *graph = state->walk.graph;
    memset(state->rank, LG__RANK_NONE, graph->columns.node_count);
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node = lg__seen_node(state->walk.fold, graph->root_node[i]);
        uint8_t rank = lg__root_rank(graph, i);
        if (rank < state->rank[node])
            state->rank[node] = rank;
    }
}

static void
search_free(search *state)
{
    lg__vector_free(&state->allocator, &state->steps);
    lg__free(state->first);
    lg__free(state->penalty);
    lg__free(state->level);
    lg__free(state->rank);
    lg__free(state->before);
    lg__free(state->queue);
    lg__free(state->shared);
}

// Most searches visit few nodes.
static lg_status
search_new(search *state, const lg__hop_walk *walk, uint32_t target,
           lg_error *err)
{
    size_t nodes = walk->graph->columns.node_count;
    *state = (search){
        .walk = *walk,
        .allocator = lg_allocator_default(),
        .steps = {.element = sizeof(step)},
        .first = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .penalty = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .level = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .rank = lg__alloc(nodes),
        .before = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .queue = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .target = target,
        .shared = lg__sparse_calloc(nodes, 1),
    };
    if (!state->first || !state->penalty || !state->level || !state->rank ||
        !state->before || !state->queue || !state->shared ||
        !lg__late_find(walk->graph, &state->late))
        return lg__error_memory(err);
    lg__class_values_mark(walk->graph, 1, state->shared);
    state->walk.visit = meet;
    state->walk.context = state;
    rank_roots(state);
    return LG_OK;
}

static lg_status
say_partial(lg_error *err)
{
    return lg_error_set(err, LG_EPARTIAL,
                        "paths from roots need a whole snapshot, and this "
                        "one is partial");
}

// Takes the path of a node that a debugger alone may lead to from the tree,
// which knows what comes after what.
static lg_status
path_of_tree(const lg__hop_walk *walk, uint32_t target,
             const lg_monitor *monitor, lg_path *out, lg_error *err)
{
    lg__roottree tree = {0};
    lg_status status = lg__roottree_new(walk->graph, monitor, &tree, err);
    if (status == LG_OK)
        status = lg__roottree_path(&tree, target, out, err);
    lg__roottree_free(&tree);
    return status;
}

// Finds the path. LG_ENOTFOUND, without a message, if no root reaches the
// target.
static lg_status
find_path(const lg__hop_walk *walk, uint32_t target, const lg_monitor *monitor,
          lg_path *out, lg_error *err)
{
    search state;
    front at = {0, 0, LG_NONE};
    lg_status status = search_new(&state, walk, target, err);
    if (status == LG_OK)
        status = find_root(&state, monitor, &at, err);
    bool found = at.root != LG_NONE && state.rank[at.root] != LG__RANK_NATIVE;
    bool late = status == LG_OK && !found && state.passed_over;
    if (status == LG_OK && at.root == LG_NONE)
        status = LG_ENOTFOUND;
    if (status == LG_OK && !late) {
        follow_best(&state, &at);
        status = !walk->graph->partial || is_sure(&state, &at)
                     ? make_path(&state, out, err)
                     : say_partial(err);
    }
    search_free(&state);
    if (walk->graph->partial && (late || status == LG_ENOTFOUND))
        return say_partial(err);
    return late ? path_of_tree(walk, target, monitor, out, err) : status;
}

// Finds the path through the target's entrance, which may have one itself.
// LG_ENOTFOUND, without a message, if there is none.
static lg_status
enter(const lg__hop_walk *walk, uint32_t target, const lg_monitor *monitor,
      lg_path *out, lg_error *err)
{
    lg_path path = {0};
    uint32_t entrance = lg__path_entrance(walk, target);
    if (walk->graph->partial &&
        (entrance != LG_NONE || !path_entrance_is_sure(walk, target)))
        return say_partial(err);
    lg_status status = LG_ENOTFOUND;
    if (entrance != LG_NONE && lg__entrance_has_one(walk->graph, entrance))
        status = enter(walk, entrance, monitor, &path, err);
    if (entrance != LG_NONE && status == LG_ENOTFOUND)
        status = find_path(walk, entrance, monitor, &path, err);
    if (status == LG_OK && !lg__path_enters(&path, target))
        status = LG_ENOTFOUND;
    if (status == LG_OK) {
        lg_hop last = lg__hop_between(walk, entrance, target);
        status = lg__path_extend(&path, &last, 1, err);
    }
    if (status == LG_OK)
        *out = path;
    else
        lg_path_free(&path);
    return status;
}

lg_status
lg_path_from_root(const lg_graph *graph, lg_node target,
                  const lg_monitor *monitor, lg_path *out, lg_error *err)
{
    if (target >= graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", target);
    lg__hop_walk walk;
    if (!lg__paths_walk(graph, &walk))
        return lg__error_memory(err);
    uint32_t seen = lg__seen_node(walk.fold, target);
    lg_status status = enter(&walk, seen, monitor, out, err);
    if (status == LG_ENOTFOUND)
        status = find_path(&walk, seen, monitor, out, err);
    if (status == LG_ENOTFOUND)
        status = lg_error_set(err, LG_ENOTFOUND,
                              "no root reaches node %u: it is garbage that "
                              "was not collected yet",
                              seen);
    return status;
}

void
lg_path_free(lg_path *path)
{
    lg__free(path->hops);
    path->hops = NULL;
    path->count = 0;
}

lg_status
lg__path_extend(lg_path *path, const lg_hop *hops, size_t count, lg_error *err)
{
    lg_hop *all =
        lg__realloc(path->hops, (path->count + count + 1) * sizeof *all);
    if (all == NULL)
        return lg__error_memory(err);
    if (count > 0)
        memcpy(all + path->count, hops, count * sizeof *all);
    path->hops = all;
    path->count += count;
    return LG_OK;
}

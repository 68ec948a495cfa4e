// Finds shortest root paths to all nodes: breadth first from all roots, level
// by level, and within a level by the rank of the root, then by penalty, then
// by the index of the node before. Native roots serve only what no other root
// reaches, and what a debugger has only what nothing else leads to: such a path
// need not be the shortest. A path is read out of that tree. A helper may look
// for the tree while the thread that will need it does something else.
#include "paths/measure.h"
#include "paths/momentary.h"
#include "paths/root_tree.h"
#include "paths/path_hops.h"

#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>

// What the search knows of a node, as bits. Because it visits level by level, a
// node that it met and has not passed is of the visited level or of the next:
// it waits.
// Most references lead to nodes that were passed, and ask no more than these
// bits, which are close together in memory.
enum {
    FOLDED = 1,
    ODD = 2, // its level is odd
    PASSED = 4,
    MET = 8,
    SHARED = 16, // see lg__class_values_mark
};

// Nodes of one level, which wait. A large level lists only the first of them,
// and the states of all nodes tell which the others are: so lists need little
// memory, and few levels are large.
typedef struct waiting {
    uint32_t *nodes;
    uint32_t count;
} waiting;

typedef struct search {
    lg__roottree tree;
    uint32_t *before;    // [node] of the tree
    uint8_t *state;      // [node]
    uint32_t *key;       // [node] of those that were met: the rank of the root,
                         // and the penalty
    const uint8_t *late; // see lg__late_find
    waiting visited, next;
    uint32_t room; // nodes that a level lists
    uint32_t passed, at;
    const lg_monitor *monitor;
} search;

// A level lists at most this share of all nodes, and a few more. One with more
// nodes is large.
enum { LISTED_SHARE = 32, LISTED_LEAST = 64 };

static void
wait(search *state, uint32_t node)
{
    waiting *next = &state->next;
    if (next->count < state->room)
        next->nodes[next->count] = node;
    next->count++;
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

// Returns whether a reference may be on a shortest path, by the states of its
// ends: whether its target is new, or on the level below.
static bool
is_news(uint8_t target, uint8_t source)
{
    return !(target & MET) ||
           (!(target & PASSED) && ((target ^ source) & ODD) != 0);
}

// Meets a node that may be news, behind the current one. A node that waits
// takes the smaller key, and of equal keys the lower node before it. So the
// tree depends on neither the order of a level's nodes nor that of their edges.
static void
meet_node(search *state, uint32_t node, unsigned penalty)
{
    uint8_t *known = &state->state[node];
    uint32_t key = key_behind(state->key[state->at], penalty);
    if (!(*known & MET))
        wait(state, node);
    else if (key > state->key[node] ||
             (key == state->key[node] && state->at > state->before[node]))
        return;
    state->key[node] = key;
    state->before[node] = state->at;
    *known =
        (uint8_t)((*known & SHARED) | MET | (~state->state[state->at] & ODD));
}

static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    uint8_t known = state->state[hop->target];
    if (!hop->weak && is_news(known, state->state[state->at]))
        meet_node(state, hop->target,
                  lg__hop_penalty(state->tree.walk.graph, hop));
    return true;
}

// Meets the target of an edge of the node, or of its namespace, to which
// `opener` leads. The penalty of most hops depends on their edges alone.
static void
meet_target(search *state, uint32_t node, uint64_t opener, uint64_t edge)
{
    const lg_graph *graph = state->tree.walk.graph;
    uint32_t target = lg_columns_target(&graph->columns, edge);
    bool direct = opener == edge;
    if ((state->state[target] & SHARED) &&
        lg__edge_repeats_class(graph, node, edge))
        return;
    unsigned penalty = lg__penalties[lg__edge_kind(graph, edge)];
    if (!direct)
        penalty += lg__penalties[lg__edge_kind(graph, opener)];
    if (lg__node_category(graph, node) == LG_CATEGORY_MODULE)
        penalty = lg__hop_penalty(
            graph, &(lg_hop){node, target, {opener, edge}, 2 - direct, false});
    meet_node(state, target, penalty);
}

// Starts from the native roots, or from all others.
static void
meet_roots(search *state, bool native)
{
    const lg_graph *graph = state->tree.walk.graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t node =
            lg__seen_node(state->tree.walk.fold, graph->root_node[i]);
        uint8_t rank = lg__root_rank(graph, i);
        if ((rank == LG__RANK_NATIVE) != native)
            continue;
        if (!(state->state[node] & MET))
            wait(state, node);
        else if (state->before[node] != node ||
                 key_of_root(rank) >= state->key[node])
            continue;
        state->tree.root[node] = i + 1;
        state->before[node] = node;
        state->key[node] = key_of_root(rank);
        state->state[node] = (uint8_t)((state->state[node] & SHARED) | MET);
    }
}

// Visits what is in the namespace that the edge opens.
static void
visit_namespace(search *state, uint32_t node, uint64_t opener)
{
    const lg_columns *columns = &state->tree.walk.graph->columns;
    uint8_t source = state->state[node];
    uint32_t names = lg_columns_target(columns, opener);
    const lg_edge_range edges = lg_columns_edges(columns, names);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t at = lg_columns_target(columns, edge);
        uint8_t target = state->state[at];
        if (target & FOLDED)
            lg__hops_through(&state->tree.walk, node, opener, edge);
        else if (is_news(target, source) &&
                 !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            meet_target(state, node, opener, edge);
    }
}

static void
visit_folded(search *state, uint32_t node, uint64_t edge)
{
    const lg__hop_walk *walk = &state->tree.walk;
    uint32_t target = lg_columns_target(&walk->graph->columns, edge);
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
    uint8_t source = state->state[node] |= PASSED;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    state->at = node;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t at = lg_columns_target(columns, edge);
        uint8_t target = state->state[at];
        if (target & FOLDED)
            visit_folded(state, node, edge);
        else if (is_news(target, source) &&
                 !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            meet_target(state, node, edge, edge);
    }
}

// Begins a turn of the search: with the roots, with the nodes that earlier
// turns passed over, which become one level, or with native roots. A node of
// this turn that is met only now waits as any other.
static void
begin_turn(search *state, unsigned turn)
{
    uint32_t nodes = state->tree.walk.graph->columns.node_count;
    if (turn == 0 || turn == LG__LATE_LEVELS)
        meet_roots(state, turn != 0);
    else if (state->late != NULL)
        for (uint32_t node = 0; node < nodes; node++)
            if (state->late[node] == turn && (state->state[node] & PASSED)) {
                state->state[node] &= (uint8_t)~ODD;
                visit_edges(state, node);
            }
}

// Passes a node that waits. One of a later turn is not visited.
static bool
pass(search *state, uint32_t node, unsigned turn, lg_error *err)
{
    const uint32_t nodes = state->tree.walk.graph->columns.node_count;
    if (state->late == NULL || state->late[node] <= turn)
        visit_edges(state, node);
    else
        state->state[node] |= PASSED;
    return state->passed++ % 65536 != 0 ||
           lg__monitor_goes_on(state->monitor, "looking for paths",
                               (double)state->passed / nodes, err);
}

// How many nodes ahead of the search memory is asked for: their places among
// the edges, and their edges.
enum { PLACES_AHEAD = 16, EDGES_AHEAD = 8 };

static bool
pass_listed(search *state, unsigned turn, lg_error *err)
{
    const lg_columns *columns = &state->tree.walk.graph->columns;
    const waiting *visited = &state->visited;
    bool goes_on = true;
    for (uint32_t i = 0; i < visited->count && goes_on; i++) {
        const uint32_t *ahead = &visited->nodes[i];
        if (i + PLACES_AHEAD < visited->count) {
            uint64_t edge = lg_columns_first_edge(columns, ahead[EDGES_AHEAD]);
            __builtin_prefetch(lg_first_edges_ahead(&columns->first_edge,
                                                    ahead[PLACES_AHEAD]));
            lg_columns_prefetch_edge(columns, edge);
        }
        goes_on = pass(state, *ahead, turn, err);
    }
    return goes_on;
}

// States that are compared at once.
enum { TOGETHER = sizeof(uint64_t) };

// Returns whether one of the states, behind which there are others, is `wanted`
// in the bits of the mask. Compares eight states at once: a byte of `differs`
// is zero exactly where a state is as wanted, and the last expression is not
// zero exactly if some byte is.
static bool
has_state(const uint8_t *states, uint8_t mask, uint8_t wanted)
{
    const uint64_t ones = UINT64_MAX / UINT8_MAX;
    uint64_t differs;
    memcpy(&differs, states, sizeof differs);
    differs = (differs & mask * ones) ^ wanted * ones;
    return ((differs - ones) & ~differs & ones << 7) != 0;
}

// Passes the nodes of a large level, which are those that wait and are of it.
static bool
pass_all(search *state, unsigned turn, lg_error *err)
{
    const uint32_t nodes = state->tree.walk.graph->columns.node_count;
    const uint8_t mask = MET | PASSED | ODD;
    const uint8_t wanted = state->state[state->visited.nodes[0]] & mask;
    bool goes_on = true;
    for (uint32_t node = 0; node < nodes && goes_on;) {
        if (nodes - node >= TOGETHER &&
            !has_state(state->state + node, mask, wanted)) {
            node += TOGETHER;
            continue;
        }
        if ((state->state[node] & mask) == wanted)
            goes_on = pass(state, node, turn, err);
        node++;
    }
    return goes_on;
}

// Searches breadth first, in turns, and in each level after level. What a level
// leads to does not depend on the order of its nodes. Each is visited once, and
// has its final key and the node before it by then: whatever leads to it from
// now on is as far from the roots as itself, or farther. A node of a later turn
// is only marked when it is met, and visited when its turn begins: so a path
// leads over it only to what no earlier turn has reached.
static lg_status
spread(search *state, lg_error *err)
{
    for (unsigned turn = 0; turn <= LG__LATE_LEVELS; turn++) {
        begin_turn(state, turn);
        while (state->next.count > 0) {
            const waiting passed = state->visited;
            state->visited = state->next;
            state->next = (waiting){passed.nodes, 0};
            if (!(state->visited.count <= state->room
                      ? pass_listed(state, turn, err)
                      : pass_all(state, turn, err)))
                return LG_ECANCELLED;
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

static void
free_arrays(lg__roottree *tree)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__compact_free(&allocator, &tree->before);
    lg__free(tree->from);
    lg__free(tree->root);
}

// Gives the tree to the graph, or takes that of another thread that was faster.
static void
keep(const lg_graph *graph, lg__roottree *tree)
{
    lg__lazy *lazy = graph->lazy;
    lg_lock_take(&lazy->lock);
    if (lazy->has_paths) {
        free_arrays(tree);
    } else {
        lazy->path_before = tree->before;
        lazy->path_root = tree->root;
        lazy->has_paths = true;
    }
    lg_lock_give(&lazy->lock);
    take_kept(graph, tree);
}

static lg_status
grow(lg__roottree *tree, const uint8_t *late, const lg_monitor *monitor,
     lg_error *err)
{
    const lg_allocator allocator = lg_allocator_default();
    const uint32_t nodes = tree->walk.graph->columns.node_count;
    const uint32_t room = nodes / LISTED_SHARE + LISTED_LEAST;
    search state = {
        .tree = *tree,
        .before = lg__compact_open(&allocator, nodes, &tree->before),
        .state = lg__alloc((size_t)nodes + 1),
        .key = lg__alloc(((size_t)nodes + 1) * sizeof(uint32_t)),
        .visited = {lg__alloc(room * sizeof(uint32_t)), 0},
        .next = {lg__alloc(room * sizeof(uint32_t)), 0},
        .room = room,
        .monitor = monitor,
        .late = late,
    };
    const bool enough = state.before && state.state && state.key &&
                        state.visited.nodes && state.next.nodes;
    lg_status status = enough ? LG_OK : lg__error_memory(err);
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++) {
        state.before[i] = i;
        state.state[i] =
            lg__fold_owner(tree->walk.fold, i) != LG_NONE ? FOLDED : 0;
    }
    if (status == LG_OK)
        lg__class_values_mark(tree->walk.graph, SHARED, state.state);
    state.tree.walk.visit = meet;
    state.tree.walk.context = &state;
    if (status == LG_OK)
        status = spread(&state, err);
    if (status == LG_OK)
        lg__compact_close(&allocator, &tree->before, nodes);
    lg__free(state.state);
    lg__free(state.key);
    lg__free(state.visited.nodes);
    lg__free(state.next.nodes);
    return status;
}

// Makes an array of a tree, for numbers of few nodes.
static lg_status
begin(const lg_graph *graph, uint32_t **out, lg_error *err)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    *out = lg__sparse_calloc(nodes, sizeof **out);
    return *out != NULL ? LG_OK : lg__error_memory(err);
}

bool
lg__paths_walk(const lg_graph *graph, lg__hop_walk *out)
{
    *out = (lg__hop_walk){
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    return out->fold != NULL && lg__graph_reverse(graph, &out->reverse);
}

lg_status
lg__roottree_new(const lg_graph *graph, const lg_monitor *monitor,
                 lg__roottree *out, lg_error *err)
{
    lg__roottree tree = {0};
    const uint8_t *late;
    lg_status status =
        lg__paths_walk(graph, &tree.walk) && lg__late_find(graph, &late)
            ? LG_OK
            : lg__error_memory(err);
    if (status == LG_OK && !take_kept(graph, &tree)) {
        status = begin(graph, &tree.root, err);
        if (status == LG_OK)
            status = grow(&tree, late, monitor, err);
        if (status == LG_OK)
            keep(graph, &tree);
    }
    if (status == LG_OK)
        *out = tree;
    else
        lg__roottree_free(&tree);
    return status;
}

// Marks what leads to something only as long as it runs: running frames, and
// what wakes a task.
static void
mark_momentary(const lg_graph *graph, const lg__momentary *reference,
               uint8_t *level)
{
    uint32_t late = lg__edge_kind(graph, reference->edge) == LG_EDGE_FRAME
                        ? lg_columns_target(&graph->columns, reference->edge)
                    : reference->moment == LG__MOMENT_TASK ? reference->source
                                                           : LG_NONE;
    if (late != LG_NONE && level[late] == 0 &&
        lg__node_category(graph, late) != LG_CATEGORY_ROOT)
        level[late] = LG__LATE_RUNNING;
}

// Returns the levels of lg__late_find, with what is momentary; NULL: memory ran
// out.
static uint8_t *
late_at_rest(const lg_graph *graph)
{
    const lg_allocator allocator = lg_allocator_default();
    const uint8_t *late;
    lg__vector momentary = {.element = sizeof(lg__momentary)};
    size_t nodes = (size_t)graph->columns.node_count + 1;
    uint8_t *level =
        lg__late_find(graph, &late) && lg__momentary_list(graph, &momentary)
            ? lg__calloc(nodes, 1)
            : NULL;
    if (level != NULL && late != NULL)
        memcpy(level, late, nodes);
    const lg__momentary *items = momentary.data;
    for (size_t i = 0; level != NULL && i < momentary.count; i++)
        mark_momentary(graph, &items[i], level);
    lg__vector_free(&allocator, &momentary);
    return level;
}

lg_status
lg__roottree_at_rest(const lg_graph *graph, const lg_monitor *monitor,
                     lg__roottree *out, lg_error *err)
{
    lg__roottree tree = {0};
    uint8_t *late = late_at_rest(graph);
    lg_status status = late != NULL && lg__paths_walk(graph, &tree.walk)
                           ? begin(graph, &tree.root, err)
                           : lg__error_memory(err);
    if (status == LG_OK)
        status = grow(&tree, late, monitor, err);
    lg__free(late);
    if (status == LG_OK)
        *out = tree;
    else
        lg__roottree_free(&tree);
    return status;
}

// Returns the root at which the path begins, by kind and name.
static uint32_t
find_root(const lg__hop_walk *walk, const lg_root *root)
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
    tree->root[path->root.node] = find_root(&tree->walk, &path->root) + 1;
    for (size_t i = 0; i < path->count; i++) {
        const lg_hop *hop = &path->hops[i];
        tree->from[hop->target] = hop->source - hop->target;
    }
}

lg_status
lg__roottree_of(const lg_graph *graph, const lg_path *path, lg__roottree *out,
                lg_error *err)
{
    lg__roottree tree = {0};
    lg_status status =
        lg__paths_walk(graph, &tree.walk) ? LG_OK : lg__error_memory(err);
    if (status == LG_OK)
        status = begin(graph, &tree.root, err);
    if (status == LG_OK)
        status = begin(graph, &tree.from, err);
    if (status != LG_OK) {
        lg__roottree_free(&tree);
        return status;
    }
    if (path != NULL)
        plant_path(&tree, path);
    *out = tree;
    return LG_OK;
}

void
lg__roottree_free(lg__roottree *tree)
{
    if (!tree->kept)
        free_arrays(tree);
    *tree = (lg__roottree){0};
}

static uint32_t step(const lg__roottree *tree, uint32_t at, bool *enters);

// Returns whether the path to an entrance may lead on to the target, as
// lg__path_enters does.
static bool
leads_on(const lg__roottree *tree, uint32_t entrance, uint32_t target)
{
    uint32_t at = entrance;
    bool enters = lg__entrance_has_one(tree->walk.graph, entrance);
    if (lg__roottree_before(tree, at) == LG_NONE)
        return false;
    for (uint32_t before = step(tree, at, &enters);
         before != at && at != target; before = step(tree, at, &enters))
        at = before;
    return at != target &&
           lg__root_rank(tree->walk.graph, lg__roottree_root(tree, at)) !=
               LG__RANK_NATIVE;
}

uint32_t
lg__roottree_entrance(const lg__roottree *tree, uint32_t node)
{
    uint32_t entrance = lg__path_entrance(&tree->walk, node);
    return entrance != LG_NONE && leads_on(tree, entrance, node) ? entrance
                                                                 : LG_NONE;
}

// Returns the node before another one of a path. `*enters` is whether the path
// to that one may lead through its entrance, and then the same for the node
// before. A parameter has an entrance, and a dict none, so this ends.
static uint32_t
step(const lg__roottree *tree, uint32_t at, bool *enters)
{
    uint32_t entrance =
        *enters ? lg__roottree_entrance(tree, at) : (uint32_t)LG_NONE;
    *enters =
        entrance != LG_NONE && lg__entrance_has_one(tree->walk.graph, entrance);
    return entrance != LG_NONE ? entrance : lg__roottree_before(tree, at);
}

lg_status
lg__roottree_path(const lg__roottree *tree, uint32_t node, lg_path *out,
                  lg_error *err)
{
    uint32_t end = lg__seen_node(tree->walk.fold, node);
    if (lg__roottree_before(tree, end) == LG_NONE)
        return LG_ENOTFOUND;
    bool enters = true;
    size_t count = 0;
    uint32_t at = end;
    for (uint32_t before = step(tree, at, &enters); before != at;
         before = step(tree, at, &enters)) {
        at = before;
        count++;
    }
    lg_hop *hops = lg__alloc((count + 1) * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    lg_root root = lg_graph_root(tree->walk.graph, lg__roottree_root(tree, at));
    root.node = at;
    *out = (lg_path){LG_STARTS_AT_ROOT, root, hops, count};
    enters = true;
    for (at = end; count > 0;) {
        uint32_t before = step(tree, at, &enters);
        hops[--count] = lg__hop_between(&tree->walk, before, at);
        at = before;
    }
    return LG_OK;
}

// From this many nodes on, the search takes much longer than to start a thread.
enum { FOR_HELPER = 1 << 17 };

// How often whoever waits asks the monitor.
enum { MILLISECONDS = 50 };

struct lg__tree_ahead {
    lg_helper *helper;
    const lg_graph *graph;
    atomic_bool stop;
    _Atomic double done; // part of the search
};

static bool
goes_on(void *context, const char *phase, double done)
{
    lg__tree_ahead *ahead = context;
    (void)phase;
    atomic_store(&ahead->done, done);
    return !atomic_load(&ahead->stop);
}

// The graph keeps the tree. A failure is not told: whoever needs the tree looks
// for it then.
static void
search_ahead(void *context)
{
    lg__tree_ahead *ahead = context;
    const lg_monitor monitor = {goes_on, ahead};
    lg__roottree tree;
    lg_error error;
    if (lg__roottree_new(ahead->graph, &monitor, &tree, &error) == LG_OK)
        lg__roottree_free(&tree);
}

lg__tree_ahead *
lg__tree_ahead_begin(const lg_graph *graph)
{
    lg__hop_walk both; // its indexes, which both threads use, are made here
    if (graph->columns.node_count < FOR_HELPER || graph->lazy->has_paths ||
        !lg__paths_walk(graph, &both))
        return NULL;
    lg__tree_ahead *ahead = lg__calloc(1, sizeof *ahead);
    if (ahead == NULL)
        return NULL;
    ahead->graph = graph;
    ahead->helper = lg_helper_start(search_ahead, ahead);
    if (ahead->helper != NULL)
        return ahead;
    lg__free(ahead);
    return NULL;
}

lg_status
lg__tree_ahead_wait(lg__tree_ahead *ahead, const lg_monitor *monitor,
                    lg_error *err)
{
    while (ahead != NULL && !lg_helper_wait_for(ahead->helper, MILLISECONDS))
        if (!lg__monitor_goes_on(monitor, "looking for paths",
                                 atomic_load(&ahead->done), err))
            return LG_ECANCELLED;
    return LG_OK;
}

void
lg__tree_ahead_end(lg__tree_ahead *ahead)
{
    if (ahead == NULL)
        return;
    atomic_store(&ahead->stop, true);
    lg_helper_end(ahead->helper);
    lg__free(ahead);
}

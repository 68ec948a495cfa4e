// Finds where things are as if nothing ran.
//
// A list that a module has, and a variable of a running function, too, is
// dominated by neither. So while the variable is there, the list and its
// elements would be elsewhere than before and after, and no place would grow.
// The same holds for a list on the hidden stack of a call, and for a task that
// now waits for a queue, now for a timer.
//
// Places follow the dominator tree of another graph. Its nodes have levels: a
// node has the lowest level on which a path leads to it that has no references
// of higher levels. References that last have the level of their source, and
// momentary ones that of their moment. Whatever leads to a node from a higher
// level is left out. So what lasting references reach is where these put it,
// whether or not code runs that has it, too; what frames keep alone is below
// frames. A task that nothing else keeps is a root of its own, because what it
// waits for changes. Each node has one dominator, so a place retains what it
// has itself and what the places below it retain.
//
// A frame that something else keeps, such as a traceback in a list, or a
// coroutine that is running, is not of its thread: it holds its variables like
// any object. A frame that its thread dominates is running, also while the
// thread handles an exception whose traceback leads to it.
#include "build/build_private.h"
#include "growth/place_walk.h"

#include <leakgraph/internal/retained.h>

// Levels besides those of moments.
enum {
    UNREACHED = 0,
    LASTING = 1,
    LEVEL_OF = LASTING,
    LEVEL_OF_ROOT = UINT8_MAX, // the lists of roots have it
};

typedef struct resting {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg__vector momentary; // lg__momentary
    lg__vector cut;       // uint64_t
    lg__vector roots;     // lg__plain_root: those of the rest
    lg__gathered lost;    // roots that are none of the rest
    uint64_t *late;       // a bit for each edge: it is momentary
    uint8_t *level;       // [node]
    uint32_t *queue;      // [node]
    uint32_t met;
    uint32_t lasting; // how many of the queue last
} resting;

static bool
is_late(const resting *of, uint64_t edge)
{
    return of->late[edge / 64] >> edge % 64 & 1;
}

// Adds the other references to a frame that its thread dominates.
static bool
add_references(resting *state, const lg__reverse *reverse,
               const lg__momentary *run)
{
    const lg_allocator allocator = lg_allocator_default();
    const lg__momentary runs = *run;
    uint32_t frame = lg_columns_target(&state->graph->columns, runs.edge);
    bool is_run = lg__edge_kind(state->graph, runs.edge) == LG_EDGE_FRAME;
    if (!is_run || runs.moment == LG__MOMENT_STACK ||
        lg__dominator_of(state->analysis, frame) != runs.source)
        return true;
    for (uint64_t i = lg__first_in(reverse, frame);
         i < lg__first_in(reverse, frame + 1); i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        if (in.edge == runs.edge ||
            (lg_columns_kind(&state->graph->columns, in.edge) & LG_EDGE_WEAK))
            continue;
        lg__momentary *added =
            lg__vector_extend(&allocator, &state->momentary, 1);
        if (added == NULL)
            return false;
        *added = (lg__momentary){in.edge, in.source, runs.moment};
    }
    return true;
}

static bool
list_references(resting *state)
{
    lg__reverse reverse;
    if (!lg__graph_reverse(state->graph, &reverse) ||
        !lg__momentary_list(state->graph, &state->momentary))
        return false;
    size_t count = state->momentary.count;
    for (size_t i = 0; i < count; i++)
        if (!add_references(state, &reverse,
                            (lg__momentary *)state->momentary.data + i))
            return false;
    return true;
}

// Levels come in ascending order, and a node keeps its first one, which is the
// lowest. So the queue gets each node once, over all levels.
static void
reach(resting *state, uint32_t node, unsigned level)
{
    if (state->level[node] != UNREACHED)
        return;
    state->level[node] = (uint8_t)level;
    state->queue[state->met++] = node;
}

// Reaches all that the queue leads to from `at` on.
static void
spread(resting *state, uint32_t at, unsigned level)
{
    const lg_columns *columns = &state->graph->columns;
    bool all = level == LEVEL_OF + LG__MOMENT_STACK;
    for (; at < state->met; at++) {
        const lg_edge_range edges = lg_columns_edges(columns, state->queue[at]);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
                (all || !is_late(state, edge)))
                reach(state, lg_columns_target(columns, edge), level);
    }
}

// Reaches what lasts: from roots that no moment explains.
static void
reach_lasting(resting *state)
{
    const lg_graph *graph = state->graph;
    const unsigned fixed = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE;
    const uint8_t *mark = state->analysis->policy.mark;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (mark[node] & fixed)
            reach(state, node, LASTING);
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (!lg__root_is_momentary(graph, i))
            reach(state, graph->root_node[i], LASTING);
    spread(state, 0, LASTING);
    state->lasting = state->met;
}

// Reaches what references of a moment lead to.
static void
reach_moment(resting *state, lg__moment moment)
{
    const lg_graph *graph = state->graph;
    const lg__momentary *items = state->momentary.data;
    uint32_t begin = state->met;
    unsigned level = LEVEL_OF + moment;
    bool last = moment == LG__MOMENT_STACK;
    for (uint32_t i = 0; last && i < graph->root_count; i++)
        reach(state, graph->root_node[i], level);
    for (size_t i = 0; i < state->momentary.count; i++) {
        bool now = items[i].moment == LG__MOMENT_TASK
                       ? lg_node_is_reachable(state->analysis, items[i].source)
                       : state->level[items[i].source] != UNREACHED;
        if (now && (items[i].moment == moment || last))
            reach(state, lg_columns_target(&graph->columns, items[i].edge),
                  level);
    }
    spread(state, begin, level);
}

static bool
cut(resting *state, uint64_t edge)
{
    const lg_allocator allocator = lg_allocator_default();
    uint64_t *added = lg__vector_extend(&allocator, &state->cut, 1);
    if (added != NULL)
        *added = edge;
    return added != NULL;
}

static bool
counts_for(const resting *state, uint32_t target, unsigned level)
{
    return state->level[target] >= level ||
           (state->analysis->policy.mark[target] &
            (LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE));
}

// Cuts what leads from a node to those of lower levels.
static bool
cut_below(resting *state, uint32_t node)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    bool enough = true;
    for (uint64_t edge = edges.begin; edge < edges.end && enough; edge++)
        if (!(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            !is_late(state, edge) &&
            !counts_for(state, lg_columns_target(columns, edge),
                        state->level[node]))
            enough = cut(state, edge);
    return enough;
}

// Cuts what does not count.
static bool
cut_all(resting *state)
{
    const lg__momentary *items = state->momentary.data;
    bool enough = true;
    for (size_t i = 0; i < state->momentary.count && enough; i++) {
        unsigned level = LEVEL_OF + items[i].moment;
        unsigned source = state->level[items[i].source];
        uint32_t target =
            lg_columns_target(&state->graph->columns, items[i].edge);
        bool task = items[i].moment == LG__MOMENT_TASK;
        level = level < source ? source : level;
        if (source != UNREACHED && (task || !counts_for(state, target, level)))
            enough = cut(state, items[i].edge);
    }
    for (uint32_t i = state->lasting; i < state->met && enough; i++)
        enough = cut_below(state, state->queue[i]);
    return enough;
}

static bool
add_root(resting *state, uint32_t node, unsigned kind)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__plain_root *added = lg__vector_extend(&allocator, &state->roots, 1);
    if (added != NULL)
        *added = (lg__plain_root){node, (uint8_t)kind};
    state->level[node] = LEVEL_OF_ROOT;
    return added != NULL;
}

// Keeps what hidden stacks refer to as roots only if nothing else refers to it.
static bool
keep_roots(resting *state)
{
    const unsigned of_stack = LEVEL_OF + LG__MOMENT_STACK;
    const lg_graph *graph = state->graph;
    bool enough = true;
    for (uint32_t i = 0; i < graph->root_count && enough; i++)
        if (!lg__root_is_momentary(graph, i) ||
            state->level[graph->root_node[i]] == of_stack)
            enough = add_root(state, graph->root_node[i], graph->root_kind[i]);
    return enough;
}

// Makes tasks that nothing else keeps roots.
static bool
add_tasks(resting *state)
{
    const lg__momentary *items = state->momentary.data;
    bool enough = true;
    for (size_t i = 0; i < state->momentary.count && enough; i++) {
        uint32_t target =
            lg_columns_target(&state->graph->columns, items[i].edge);
        if (items[i].moment != LG__MOMENT_TASK ||
            state->level[target] != LEVEL_OF + LG__MOMENT_TASK)
            continue;
        enough = add_root(state, target, LG_ROOT_THREAD);
    }
    return enough;
}

// Lists the roots that are none of the rest.
static bool
lose_roots(resting *state)
{
    const lg_graph *graph = state->graph;
    const uint8_t *mark = state->analysis->policy.mark;
    bool enough = true;
    for (uint32_t i = 0; i < graph->root_count && enough; i++) {
        uint32_t node = graph->root_node[i];
        if (state->level[node] == LEVEL_OF_ROOT ||
            (mark[node] & LG__MARK_POLICY) != LG__MARK_ENTRY)
            continue;
        state->level[node] = LEVEL_OF_ROOT;
        enough = lg__gather_append(&state->lost, node);
    }
    return enough;
}

static bool
begin(resting *state)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__momentary *items = state->momentary.data;
    size_t nodes = (size_t)columns->node_count + 1;
    state->late =
        lg__calloc((size_t)(columns->edge_count / 64 + 1), sizeof(uint64_t));
    state->level = lg__calloc(nodes, 1);
    state->queue = lg__alloc(nodes * sizeof(uint32_t));
    if (state->late == NULL || state->level == NULL || state->queue == NULL)
        return false;
    for (size_t i = 0; i < state->momentary.count; i++)
        state->late[items[i].edge / 64] |= UINT64_C(1) << items[i].edge % 64;
    return true;
}

static lg_status
analyse_anew(const resting *state, const lg_monitor *monitor, lg_analysis **out,
             lg_error *err)
{
    lg_graph *rest;
    lg_status status = lg__graph_without(state->graph, state->cut.data,
                                         state->cut.count, &rest, err);
    if (status != LG_OK)
        return status;
    status = lg__graph_take_roots(rest, state->roots.data,
                                  (uint32_t)state->roots.count)
                 ? lg_analysis_new(rest, monitor, out, err)
                 : lg__error_memory(err);
    if (status == LG_OK) {
        (*out)->graph = state->graph;
        lg__children_forget(*out);
    }
    lg_graph_free(rest);
    return status;
}

static lg_status
analyse(const resting *state, const lg_monitor *monitor, lg_analysis **out,
        lg_error *err)
{
    const lg__lost lost = {.edges = state->cut.data,
                           .edge_count = state->cut.count,
                           .roots = state->lost.items,
                           .root_count = state->lost.count};
    lg_status status =
        lg__analysis_borrowed(state->analysis, &lost, monitor, out, err);
    return status == LG_EUNSUPPORTED ? analyse_anew(state, monitor, out, err)
                                     : status;
}

static bool
find_lost(resting *state)
{
    if (!list_references(state) || !begin(state))
        return false;
    reach_lasting(state);
    for (unsigned moment = LG__MOMENT_LOOP; moment <= LG__MOMENT_STACK;
         moment++)
        reach_moment(state, moment);
    return cut_all(state) && keep_roots(state) && add_tasks(state) &&
           lose_roots(state);
}

static lg_status
find_rest(const lg_analysis *analysis, const lg_monitor *monitor,
          lg_analysis **out, lg_error *err)
{
    const lg_allocator allocator = lg_allocator_default();
    resting state = {.analysis = analysis,
                     .graph = analysis->graph,
                     .momentary = {.element = sizeof(lg__momentary)},
                     .cut = {.element = sizeof(uint64_t)},
                     .roots = {.element = sizeof(lg__plain_root)}};
    lg_status status = find_lost(&state) ? LG_OK : lg__error_memory(err);
    lg__free(state.late);
    lg__free(state.level);
    lg__free(state.queue);
    if (status == LG_OK)
        status = analyse(&state, monitor, out, err);
    lg__vector_free(&allocator, &state.momentary);
    lg__vector_free(&allocator, &state.cut);
    lg__vector_free(&allocator, &state.roots);
    lg__free(state.lost.items);
    return status;
}

typedef struct kept {
    lg__cached cached;
    lg_analysis *at_rest; // NULL: nothing changes
} kept;

static void
free_kept(lg__cached *cached)
{
    kept *of = (kept *)cached;
    lg_analysis_free(of->at_rest);
    lg__free(of);
}

lg_status
lg__analysis_at_rest(const lg_analysis *analysis, const lg_monitor *monitor,
                     const lg_analysis **out, lg_error *err)
{
    kept *found = (kept *)lg__cached_of(analysis, LG__CACHE_AT_REST);
    if (found == NULL) {
        kept *made = lg__calloc(1, sizeof *made);
        if (made == NULL)
            return lg__error_memory(err);
        made->cached.free = free_kept;
        lg_status status = find_rest(analysis, monitor, &made->at_rest, err);
        if (status != LG_OK) {
            free_kept(&made->cached);
            return status;
        }
        found =
            (kept *)lg__cached_keep(analysis, LG__CACHE_AT_REST, &made->cached);
    }
    *out = found->at_rest != NULL ? found->at_rest : analysis;
    return LG_OK;
}

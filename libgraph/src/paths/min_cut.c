// Finds a smallest cut between sources and a target.
//
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
#include "paths/min_cut.h"

#include <leakgraph/internal/why_facts.h>

#include <stdlib.h>

// A step of a search, from `node` to the node before it on a path.
typedef struct step {
    uint32_t node;
    uint64_t edge;
    bool forward; // false: it takes back a unit that the edge carries
} step;

typedef struct search {
    const lg__flow_network *network;
    const lg_columns *columns;
    uint32_t *flow;   // [edge] units that it carries
    uint8_t *crossed; // [node] whether an edge out of it has carried a unit
    uint32_t *level;  // [node] 1 + distance from the target; 0: not met
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
    unsigned kind = lg_columns_kind(state->columns, edge);
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
                  state->network->role[in.source] != LG__FLOW_CLOSED &&
                  is_part(state, out->edge) && has_room(state, out->edge);
        return true;
    }
    out->edge = lg_columns_first_edge(state->columns, node) + (at - ins);
    if (!state->crossed[node] ||
        out->edge >= lg_columns_first_edge(state->columns, node + 1))
        return false;
    *before = lg_columns_target(state->columns, out->edge);
    *usable = state->flow[out->edge] > 0;
    return true;
}

static void
meet(search *state, uint32_t node, uint32_t level)
{
    if (state->level[node] != 0)
        return;
    state->level[node] = level;
    state->arc[node] = 0;
    state->queue[state->met++] = node;
}

static void
forget_network(search *state)
{
    for (uint32_t i = 0; i < state->met; i++)
        state->level[state->queue[i]] = 0;
    state->met = 0;
}

// Numbers each node that can still reach the target by its distance. Returns
// whether a source is among them.
static bool
find_levels(search *state)
{
    uint32_t last = LG_NONE;
    forget_network(state);
    meet(state, state->network->target, 1);
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
            if (state->network->role[before] == LG__FLOW_SOURCE)
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
        *source = state->network->role[before] == LG__FLOW_SOURCE;
        if (!*source && state->level[before] != state->level[*node] + 1)
            continue;
        *memory = push(state, to);
        *node = before;
        return true;
    }
    return false;
}

// Carries one more unit along the levels. Returns false when none gets through.
// The path grows from the target. From a node without a usable arc it goes one
// step back and gives up the arc that led there, so each arc fails once in a
// round.
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
list_cut(const search *state, lg__min_cut *out, lg_error *err)
{
    const lg__reverse *reverse = &state->network->reverse;
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        out->below[node] = 1;
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->level[in.source] != 0 || state->flow[edge] == 0)
                continue;
            if (!lg__array_room(&out->edges, out->count, sizeof *out->edges))
                return lg__error_memory(err);
            out->edges[out->count++] = edge;
        }
    }
    return LG_OK;
}

// Searches over edges that cannot be cut. `by` gets the edge that led to each
// node. A path without a reference that can be cut carries any number of units,
// so no cut exists: it is looked for first, and then no unit needs to flow.
static uint32_t
find_kept(search *state, uint64_t *by)
{
    const lg__reverse *reverse = &state->network->reverse;
    forget_network(state);
    meet(state, state->network->target, 1);
    for (uint32_t i = 0; i < state->met; i++) {
        uint32_t node = state->queue[i];
        for (uint64_t at = lg__first_in(reverse, node);
             at < lg__first_in(reverse, node + 1); at++) {
            lg__in_edge in = lg__in_at(reverse, at);
            uint64_t edge = in.edge;
            if (state->level[in.source] != 0 ||
                state->network->role[in.source] == LG__FLOW_CLOSED ||
                !is_part(state, edge) ||
                state->network->can_cut(state->network->graph, edge))
                continue;
            by[in.source] = edge;
            if (state->network->role[in.source] == LG__FLOW_SOURCE)
                return in.source;
            meet(state, in.source, state->level[node] + 1);
        }
    }
    return LG_NONE;
}

static lg_status
look_for_kept(search *state, lg__min_cut *out, lg_error *err)
{
    uint64_t *by =
        lg__sparse_calloc((size_t)state->columns->node_count + 1, sizeof *by);
    if (by == NULL)
        return lg__error_memory(err);
    uint32_t source = find_kept(state, by);
    size_t count = 0;
    for (uint32_t at = source;
         source != LG_NONE && at != state->network->target;
         at = lg_columns_target(state->columns, by[at]))
        count++;
    out->kept = count > 0 ? lg__alloc(count * sizeof *out->kept) : NULL;
    bool memory = count == 0 || out->kept != NULL;
    for (uint32_t at = source; memory && out->kept_count < count;
         at = lg_columns_target(state->columns, by[at]))
        out->kept[out->kept_count++] = by[at];
    lg__free(by);
    return memory ? LG_OK : lg__error_memory(err);
}

static lg_status
begin_network(search *state, lg__min_cut *out, lg_error *err)
{
    size_t nodes = (size_t)state->columns->node_count + 1;
    state->flow =
        lg__sparse_calloc(state->columns->edge_count + 1, sizeof *state->flow);
    state->crossed = lg__sparse_calloc(nodes, 1);
    state->level = lg__sparse_calloc(nodes, sizeof *state->level);
    state->arc = lg__sparse_calloc(nodes, sizeof *state->arc);
    state->queue = lg__sparse_calloc(nodes, sizeof *state->queue);
    out->below = lg__sparse_calloc(nodes, 1);
    if (!state->flow || !state->crossed || !state->level || !state->arc ||
        !state->queue || !out->below)
        return lg__error_memory(err);
    return LG_OK;
}

lg_status
lg__min_cut_find(const lg__flow_network *network, lg__min_cut *out,
                 lg_error *err)
{
    search state = {.network = network, .columns = &network->graph->columns};
    *out = (lg__min_cut){0};
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

void
lg__min_cut_free(lg__min_cut *cut)
{
    lg__free(cut->edges);
    lg__free(cut->below);
    lg__free(cut->kept);
    *cut = (lg__min_cut){0};
}

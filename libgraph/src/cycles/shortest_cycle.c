// Finds the shortest cycle through a component: breadth first over hops from a
// few promising members.
//
// A search meets members in the order of their distance from its start, so the
// first hop that leads back closes a shortest cycle through the start. It gives
// up at the length of the best cycle so far: only a shorter one is of use.
#include "cycles/cycles_private.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

// Starts that a search tries, however few visits it may make.
enum { STARTS_LEAST = 4 };

// The rank of members that are not the program's.
enum { OTHERS = 8 };

// Which hops the search takes. Classes refer to themselves in many ways, which
// says little about the objects behind them.
typedef enum freedom {
    WITHOUT_CLASSES = 0,
    WITHOUT_CLASS_INTERNALS,
    ALL_HOPS,
    FREEDOMS,
} freedom;

typedef struct candidate {
    uint32_t rank; // how little the member says
    uint32_t node;
    uint64_t crossings; // referrers times referents
} candidate;

typedef struct search {
    lg__hop_walk walk;
    const lg__members *members;
    lg__effort *effort;
    freedom freedom;
    bool alone;      // all other members are folded away
    uint32_t *from;  // [member] the member before it; LG_NONE: not visited
    uint32_t *depth; // [member]
    uint32_t *queue; // [member]
    uint32_t met;
    uint32_t at;    // the member whose hops are being visited
    uint32_t start; // the start, a member
    uint32_t last;  // the member that closes the cycle, or LG_NONE
} search;

bool
lg__cycle_notes_new(const lg_graph *graph, lg__cycle_notes *out)
{
    size_t nodes = (size_t)graph->columns.node_count + 1;
    *out = (lg__cycle_notes){
        .gone = lg__sparse_calloc(graph->columns.edge_count / 8 + 1, 1),
        .rank = lg__sparse_calloc(nodes, sizeof *out->rank),
        .promise = lg__sparse_calloc(nodes, 1),
    };
    return out->gone && out->rank && out->promise;
}

void
lg__cycle_notes_free(lg__cycle_notes *notes)
{
    lg__free(notes->gone);
    lg__free(notes->rank);
    lg__free(notes->promise);
    *notes = (lg__cycle_notes){0};
}

bool
lg__members_edge(const lg__members *members, const lg_graph *graph,
                 uint64_t edge)
{
    return !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK) &&
           !((unsigned)members->notes->gone[edge / 8] >> edge % 8 & 1u);
}

// Returns whether every edge of the hop exists and stays within the
// component.
static bool
members_hold(const lg__members *members, const lg_graph *graph,
             const lg_hop *hop)
{
    for (uint32_t i = 0; i < hop->edge_count; i++)
        if (!lg__members_edge(members, graph, hop->edges[i]) ||
            lg__members_find(
                members, lg_columns_target(&graph->columns, hop->edges[i])) ==
                LG_NONE)
            return false;
    return lg__members_find(members, hop->source) != LG_NONE &&
           lg__members_find(members, hop->target) != LG_NONE;
}

static bool
is_class(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_TYPE;
}

// Returns whether the hop is internal to classes: from a class to a base, or
// from a descriptor to its class.
static bool
is_class_internal(const lg_graph *graph, const lg_hop *hop)
{
    uint64_t last = hop->edges[hop->edge_count - 1];
    unsigned kind = lg__edge_kind(graph, last);
    if (is_class(graph, hop->source))
        return hop->edge_count == 1 && kind == LG_EDGE_ATTRIBUTE;
    return is_class(graph, hop->target) && kind != LG_EDGE_TYPE &&
           lg__node_category(graph, hop->source) == LG_CATEGORY_FUNCTION;
}

static bool
may_take(const search *state, const lg_hop *hop)
{
    const lg_graph *graph = state->walk.graph;
    // Skips self-references, which say nothing about the other objects.
    if (hop->source == hop->target && !state->alone)
        return state->freedom == ALL_HOPS;
    switch (state->freedom) {
    case WITHOUT_CLASSES:
        return !is_class(graph, hop->source) && !is_class(graph, hop->target);
    case WITHOUT_CLASS_INTERNALS:
        return !is_class_internal(graph, hop);
    default:
        return true;
    }
}

static bool
meet(void *context, const lg_hop *hop)
{
    search *state = context;
    state->effort->hops++;
    if (hop->weak || !may_take(state, hop) ||
        !members_hold(state->members, state->walk.graph, hop))
        return true;
    uint32_t member = lg__members_find(state->members, hop->target);
    if (member == state->start) {
        state->last = state->at;
        return false;
    }
    if (state->from[member] == LG_NONE) {
        state->from[member] = state->at;
        state->depth[member] = state->depth[state->at] + 1;
        state->queue[state->met++] = member;
    }
    return true;
}

// Returns the length of the shortest cycle through a member, or 0 if none is
// shorter than `limit`. Leaves the path in `from`.
static uint32_t
measure(search *state, uint32_t start, uint32_t limit)
{
    memset(state->from, 0xff, state->members->count * sizeof *state->from);
    state->start = start;
    state->from[start] = start;
    state->depth[start] = 0;
    state->last = LG_NONE;
    state->queue[0] = start;
    state->met = 1;
    for (uint32_t i = 0; i < state->met; i++) {
        state->at = state->queue[i];
        if (state->depth[state->at] + 1 >= limit)
            return 0;
        if (!lg__hops_out_walk(&state->walk, state->members->nodes[state->at]))
            return state->depth[state->last] + 1;
    }
    return 0;
}

static uint32_t
start_rank(const lg_graph *graph, uint32_t node)
{
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_OTHER:
    case LG_CATEGORY_TENSOR:
    case LG_CATEGORY_ARRAY:
    case LG_CATEGORY_FIGURE:
    case LG_CATEGORY_EXCEPTION:
        return 0;
    case LG_CATEGORY_CONTAINER:
        return 1;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_FRAME:
        return 2;
    default:
        return 3;
    }
}

static bool
is_of_the_program(const lg_graph *graph, uint32_t node)
{
    return lg__node_origin(graph, node, NULL) == LG__ORIGIN_PROGRAM;
}

// Returns how little a start at the node says. That never changes.
static uint32_t
promise_of(const search *state, uint32_t node)
{
    const lg_graph *graph = state->walk.graph;
    uint8_t *known = &state->members->notes->promise[node];
    if (*known == 0)
        *known = (uint8_t)(1 + start_rank(graph, node) +
                           (is_of_the_program(graph, node) ? 0 : OTHERS));
    return *known - 1u;
}

static int
by_promise(const void *left, const void *right)
{
    const candidate *a = left;
    const candidate *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->crossings != b->crossings)
        return a->crossings > b->crossings ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static uint64_t
count_crossings(const search *state, uint32_t node)
{
    const lg_columns *columns = &state->walk.graph->columns;
    return (lg_columns_first_edge(columns, node + 1) -
            lg_columns_first_edge(columns, node)) *
           lg__count_in(&state->walk.reverse, node);
}

// Lists the members that are not folded away, most promising first.
static uint32_t
list_starts(const search *state, candidate *starts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->members->count; i++) {
        uint32_t node = state->members->nodes[i];
        if (lg__fold_owner(state->walk.fold, node) == LG_NONE)
            starts[count++] = (candidate){promise_of(state, node), i,
                                          count_crossings(state, node)};
    }
    qsort(starts, count, sizeof *starts, by_promise);
    return count;
}

// Returns the member with the shortest cycle, or LG_NONE. Members of the
// program come first; if one of them has a cycle, no others are tried. A try
// visits each member at most once. So the tries make at most the allowed number
// of visits, and STARTS_LEAST times the members on top.
static uint32_t
best_start(search *state, const candidate *starts, uint32_t count)
{
    uint32_t tries =
        state->effort->visits / state->members->count + STARTS_LEAST;
    uint32_t best = LG_NONE;
    uint32_t limit = LG_NONE;
    for (uint32_t i = 0; i < count && i < tries && limit > 1; i++) {
        if (best != LG_NONE && starts[i].rank >= OTHERS &&
            starts[0].rank < OTHERS)
            break;
        uint32_t length = measure(state, starts[i].node, limit);
        if (length == 0)
            continue;
        limit = length;
        best = starts[i].node;
    }
    return best;
}

// The hop with the least penalty between two members.
typedef struct passage {
    const search *state;
    lg_hop best;
    unsigned penalty;
} passage;

static bool
compare_hop(void *context, const lg_hop *hop)
{
    passage *to = context;
    const search *state = to->state;
    if (hop->target != to->best.target || hop->weak || !may_take(state, hop) ||
        !members_hold(state->members, state->walk.graph, hop))
        return true;
    unsigned penalty = lg__hop_penalty(state->walk.graph, hop);
    if (to->best.edge_count == 0 || penalty < to->penalty) {
        to->best = *hop;
        to->penalty = penalty;
    }
    return true;
}

static lg_hop
hop_between(const search *state, uint32_t source, uint32_t target)
{
    passage to = {.state = state, .best = {.target = target}};
    lg__hop_walk walk = state->walk;
    walk.visit = compare_hop;
    walk.context = &to;
    lg__hops_out_walk(&walk, source);
    return to.best;
}

// Measures the best start once more, because later starts have overwritten
// `from`, and then follows `from` back from the member that closes the cycle.
static lg_status
list_hops(search *state, uint32_t start, lg_hops *out, lg_error *err)
{
    uint32_t length = measure(state, start, LG_NONE);
    lg_hop *hops = lg__alloc(length * sizeof *hops);
    if (hops == NULL)
        return lg__error_memory(err);
    uint32_t target = start;
    uint32_t source = state->last;
    for (uint32_t i = length; i-- > 0;) {
        hops[i] = hop_between(state, state->members->nodes[source],
                              state->members->nodes[target]);
        target = source;
        source = state->from[source];
    }
    *out = (lg_hops){.items = hops, .count = length};
    return LG_OK;
}

// Searches without classes first, and admits more hops only while no start has
// a cycle. So a cycle through classes is found only where there is no other.
lg_status
lg__shortest_cycle_find(const lg__hop_walk *walk, const lg__members *members,
                        lg__effort *effort, lg_hops *out, lg_error *err)
{
    size_t count = members->count;
    search state = {
        .walk = *walk,
        .members = members,
        .effort = effort,
        .from = lg__alloc(count * sizeof(uint32_t)),
        .depth = lg__alloc(count * sizeof(uint32_t)),
        .queue = lg__alloc(count * sizeof(uint32_t)),
    };
    candidate *starts = lg__alloc(count * sizeof *starts);
    lg_status status = LG_OK;
    lg_hops found = {0};
    if (!state.from || !state.depth || !state.queue || !starts) {
        status = lg__error_memory(err);
        goto done;
    }
    state.walk.visit = meet;
    state.walk.context = &state;
    uint32_t start_count = list_starts(&state, starts);
    state.alone = start_count == 1;
    for (; state.freedom < FREEDOMS && status == LG_OK && found.count == 0;
         state.freedom++) {
        uint32_t best = best_start(&state, starts, start_count);
        if (best != LG_NONE)
            status = list_hops(&state, best, &found, err);
    }
    if (status == LG_OK)
        *out = found;

done:
    lg__free(state.from);
    lg__free(state.depth);
    lg__free(state.queue);
    lg__free(starts);
    return status;
}

// Shortens rows of nodes before igraph sees them: see chains.h.
#include "analysis/chains.h"
#include "base/base_private.h"

#include <stdlib.h>
#include <string.h>

enum { ROOT = 0 };
#define MANY (LG_NONE - 1)

// The distinct nodes at the other ends of a node's edges.
typedef struct ends {
    uint32_t one; // LG_NONE: none
    uint32_t two; // LG_NONE: none; MANY: more than two in all
} ends;

typedef struct chain {
    uint32_t first, last;   // series
    uint32_t before, after; // the series outside of it that these refer to
} chain;

// The first node of a series identifies it.
typedef struct chains {
    const lg__problem *problem;
    ends *in, *out;
    uint32_t *series; // [node] its series
    uint32_t *last;   // [series] its last node
    uint32_t *chain;  // [series] its chain; LG_NONE: none
    uint32_t *number; // [node] number in the rest
    lg__vector all;   // chain
    lg__problem rest;
    uint32_t *source, *target; // edges of the rest
    uint32_t *node;            // [number] node
    uint32_t *solved;          // [number] dominator
} chains;

static void
add_end(ends *known, uint32_t node)
{
    if (known->one == LG_NONE)
        known->one = node;
    else if (known->one != node && known->two != node)
        known->two = known->two == LG_NONE ? node : MANY;
}

static void
find_ends(chains *state)
{
    const lg__problem *problem = state->problem;
    memset(state->in, 0xff, problem->node_count * sizeof *state->in);
    memset(state->out, 0xff, problem->node_count * sizeof *state->out);
    for (uint64_t i = 0; i < problem->edge_count; i++) {
        add_end(&state->in[problem->target[i]], problem->source[i]);
        add_end(&state->out[problem->source[i]], problem->target[i]);
    }
}

// Returns the node before a node in its series; LG_NONE for the first one.
static uint32_t
before(const chains *state, uint32_t node)
{
    ends in = state->in[node];
    bool single = in.two == LG_NONE && in.one != LG_NONE && in.one != ROOT;
    return single && state->out[in.one].two == LG_NONE ? in.one : LG_NONE;
}

static uint32_t
series_of(const chains *state, uint32_t node)
{
    uint32_t *above = state->series;
    while (above[node] != node)
        node = above[node] = above[above[node]];
    return node;
}

// Every node points to the node before it, and series_of shortens these ways as
// it goes. All nodes of a problem are reached from the root, so the way up from
// a node ends at one that the root or several nodes refer to: no series is a
// ring.
static void
find_series(chains *state)
{
    uint32_t nodes = state->problem->node_count;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t above = before(state, node);
        state->series[node] = above != LG_NONE ? above : node;
        state->last[node] = node;
        state->chain[node] = LG_NONE;
    }
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t next = state->out[node].one;
        if (next == LG_NONE || before(state, next) != node)
            state->last[series_of(state, node)] = node;
    }
}

// Returns the series that refer to a series.
static ends
referrers(const chains *state, uint32_t series)
{
    ends in = state->in[series];
    if (in.one != LG_NONE)
        in.one = series_of(state, in.one);
    if (in.two != LG_NONE && in.two != MANY)
        in.two = series_of(state, in.two);
    return in;
}

// Returns whether a series may be part of a chain. Only the first node of a
// series can have several referrers, so the last node of a series refers to
// whole series.
static bool
is_link(const chains *state, uint32_t series)
{
    ends in = referrers(state, series);
    ends out = state->out[state->last[series]];
    if (in.two == LG_NONE || in.two == MANY)
        return false;
    return in.one != series && in.two != series &&
           (out.one == LG_NONE || out.one == in.one || out.one == in.two) &&
           (out.two == LG_NONE || out.two == in.one || out.two == in.two);
}

static uint32_t
other_end(const chains *state, uint32_t series, uint32_t from)
{
    ends in = referrers(state, series);
    return in.one == from ? in.two : in.one;
}

// Follows a chain from the end to which something else refers. A link refers
// only to series that refer to it. So the links on both sides see each other,
// the walk leaves each by the side that it did not come from, and it passes
// none twice.
static bool
add_chain(chains *state, uint32_t end, uint32_t from)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t index = (uint32_t)state->all.count;
    chain *added = lg__vector_extend(&allocator, &state->all, 1);
    if (added == NULL)
        return false;
    *added = (chain){.first = end, .before = from};
    for (uint32_t at = end; at != LG_NONE;) {
        uint32_t next = other_end(state, at, from);
        state->chain[at] = index;
        added->last = at;
        added->after = next;
        from = at;
        at = is_link(state, next) ? next : LG_NONE;
    }
    return true;
}

static bool
find_chains(chains *state)
{
    for (uint32_t node = 0; node < state->problem->node_count; node++) {
        if (state->series[node] != node || state->chain[node] != LG_NONE ||
            !is_link(state, node))
            continue;
        ends in = referrers(state, node);
        uint32_t from = !is_link(state, in.one)   ? in.one
                        : !is_link(state, in.two) ? in.two
                                                  : LG_NONE;
        if (from != LG_NONE && !add_chain(state, node, from))
            return false;
    }
    return true;
}

static const chain *
chain_of(const chains *state, uint32_t series)
{
    uint32_t index = state->chain[series];
    return index == LG_NONE ? NULL : (const chain *)state->all.data + index;
}

// Returns the series that stands for a node in what remains.
static uint32_t
standing_for(const chains *state, uint32_t node)
{
    uint32_t series = series_of(state, node);
    const chain *in = chain_of(state, series);
    return in != NULL ? in->first : series;
}

static void
number_rest(chains *state)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < state->problem->node_count; node++)
        if (standing_for(state, node) == node) {
            state->number[node] = count;
            state->node[count++] = node;
        }
    for (uint32_t node = 0; node < state->problem->node_count; node++)
        state->number[node] = state->number[standing_for(state, node)];
    state->rest.node_count = count;
}

// Counts the edges of what remains, and lists them if there is room.
static void
list_rest(chains *state)
{
    const lg__problem *problem = state->problem;
    uint64_t count = 0;
    for (uint64_t i = 0; i < problem->edge_count; i++) {
        uint32_t source = state->number[problem->source[i]];
        uint32_t target = state->number[problem->target[i]];
        if (source == target)
            continue;
        if (state->source != NULL) {
            state->source[count] = source;
            state->target[count] = target;
        }
        count++;
    }
    state->rest.edge_count = count;
}

static lg_status
solve_rest(chains *state, lg_error *err)
{
    number_rest(state);
    list_rest(state);
    size_t size = ((size_t)state->rest.edge_count + 1) * sizeof(uint32_t);
    state->rest.source = state->source = lg__alloc(size);
    state->rest.target = state->target = lg__alloc(size);
    if (state->source == NULL || state->target == NULL)
        return lg__error_memory(err);
    list_rest(state);
    return lg__solver_ask(&state->rest, state->solved, err);
}

static uint32_t
solved_of(const chains *state, uint32_t series)
{
    return state->node[state->solved[state->number[series]]];
}

// Returns the dominator of a series outside of chains. A chain dominates only
// what its end refers to.
static uint32_t
dominator_of(const chains *state, uint32_t series)
{
    uint32_t found = solved_of(state, series);
    const chain *by = chain_of(state, found);
    if (by != NULL)
        found = by->after == series ? by->last : by->first;
    return state->last[found];
}

// If a chain dominates a neighbour, paths come from the other neighbour, and
// each series dominates the next. Otherwise paths come from both sides, and one
// node dominates every series.
static void
settle_chain(const chains *state, const chain *row, uint32_t *dominator)
{
    bool forward = solved_of(state, row->after) == row->first;
    bool back = !forward && solved_of(state, row->before) == row->first;
    uint32_t shared = state->last[solved_of(state, row->first)];
    uint32_t from = row->before;
    for (uint32_t at = row->first;;) {
        uint32_t next = other_end(state, at, from);
        dominator[at] = forward ? state->last[from]
                        : back  ? state->last[next]
                                : shared;
        if (at == row->last)
            return;
        from = at;
        at = next;
    }
}

static void
settle(const chains *state, uint32_t *dominator)
{
    const chain *all = state->all.data;
    for (uint32_t node = 0; node < state->problem->node_count; node++)
        if (state->series[node] != node)
            dominator[node] = state->in[node].one;
        else if (state->chain[node] == LG_NONE)
            dominator[node] = dominator_of(state, node);
    for (size_t i = 0; i < state->all.count; i++)
        settle_chain(state, &all[i], dominator);
}

lg_status
lg__chains_solve(const lg__problem *problem, uint32_t *dominator, lg_error *err)
{
    size_t nodes = problem->node_count;
    uint32_t *room = lg__alloc(nodes * (6 * sizeof *room + 2 * sizeof(ends)));
    if (room == NULL)
        return lg__error_memory(err);
    lg_allocator allocator = lg_allocator_default();
    chains state = {
        .problem = problem,
        .in = (ends *)(void *)room,
        .out = (ends *)(void *)(room + 2 * nodes),
        .series = room + 4 * nodes,
        .last = room + 5 * nodes,
        .chain = room + 6 * nodes,
        .number = room + 7 * nodes,
        .node = room + 8 * nodes,
        .solved = room + 9 * nodes,
        .all = {.element = sizeof(chain)},
        .rest = {.monitor = problem->monitor},
    };
    find_ends(&state);
    find_series(&state);
    lg_status status =
        find_chains(&state) ? solve_rest(&state, err) : lg__error_memory(err);
    if (status == LG_OK)
        settle(&state, dominator);
    lg__vector_free(&allocator, &state.all);
    lg__free(state.source);
    lg__free(state.target);
    lg__free(room);
    return status;
}

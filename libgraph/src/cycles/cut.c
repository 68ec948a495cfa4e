// Which hop of a cycle to cut: the one that reads like a back reference.
#include "cycles/cycles_private.h"
#include "cycles/cut_rule.h"

#include <stdlib.h>
#include <string.h>

// Small enough to try every cut.
enum { MEMBERS_TRIED = 2000, HOPS_TRIED = 16, SCORE_OF_ACYCLIC = 15 };

typedef struct peeling {
    const lg__walk *walk;
    const lg_graph *graph;
    const lg__members *members;
    uint32_t *in; // [member] in-edges left
    uint32_t *queue;
    uint32_t source; // of the edge that is taken for cut
    uint64_t cut;
    bool all; // those like it are cut too
} peeling;

// Who holds what a namespace, or a part of a closure, refers to.
static uint32_t
owner_of(const peeling *state, uint32_t node)
{
    uint32_t owner = state->walk->fold[node].owner;
    return owner == LG_NONE ? node : owner;
}

// In the object itself, in its namespace, or, as some versions of CPython have
// it, in both.
static bool
is_attribute(const peeling *state, uint32_t source, uint64_t edge)
{
    unsigned kind = lg__edge_kind(state->graph, edge);
    return kind == LG_EDGE_ATTRIBUTE ||
           (kind == LG_EDGE_VALUE && owner_of(state, source) != source);
}

static bool
is_element(const peeling *state, uint32_t source, uint64_t edge)
{
    unsigned kind = lg__edge_kind(state->graph, edge);
    return kind == LG_EDGE_INDEX ||
           (kind == LG_EDGE_VALUE && !is_attribute(state, source, edge));
}

static lg_string
name_of(const lg_graph *graph, uint64_t edge)
{
    uint32_t payload = graph->columns.edge_payload[edge];
    if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE)
        return lg_graph_string(graph, payload);
    return payload == LG_NONE ? (lg_string){"", 0}
                              : lg_node_text(graph, payload);
}

// Elements have one name, whatever their index or key.
static bool
has_the_name(const peeling *state, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = state->graph;
    const uint32_t *payload = graph->columns.edge_payload;
    if (is_attribute(state, source, edge) &&
        is_attribute(state, state->source, state->cut)) {
        lg_string a = name_of(graph, edge);
        lg_string b = name_of(graph, state->cut);
        return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
    }
    return lg__edge_kind(graph, edge) == lg__edge_kind(graph, state->cut) &&
           (is_element(state, source, edge)
                ? is_element(state, state->source, state->cut)
                : payload[edge] == payload[state->cut]);
}

// References of one name between things of the same categories.
static bool
is_like_the_cut(const peeling *state, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = state->graph;
    const uint32_t *target = graph->columns.edge_target;
    return has_the_name(state, source, edge) &&
           lg__node_category(graph, owner_of(state, source)) ==
               lg__node_category(graph, owner_of(state, state->source)) &&
           lg__node_category(graph, target[edge]) ==
               lg__node_category(graph, target[state->cut]);
}

static bool
is_the_cut(const peeling *state, uint32_t source, uint64_t edge)
{
    const uint32_t *target = state->graph->columns.edge_target;
    return edge == state->cut ||
           (target[edge] == target[state->cut] &&
            is_attribute(state, source, edge) &&
            owner_of(state, source) == owner_of(state, state->source) &&
            has_the_name(state, source, edge));
}

// Whether an edge ties the component, and is no other's double.
static bool
is_inside(const peeling *state, uint64_t edge)
{
    const lg_columns *columns = &state->graph->columns;
    return !(columns->edge_kind[edge] & (LG_EDGE_WEAK | LG_EDGE_UNCOUNTED)) &&
           lg__members_find(state->members, columns->edge_target[edge]) !=
               LG_NONE;
}

// The member that an edge leads to within the component, or LG_NONE.
static uint32_t
follow(const peeling *state, uint32_t source, uint64_t edge)
{
    const lg_columns *columns = &state->graph->columns;
    if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
        is_the_cut(state, source, edge) ||
        (state->all && is_like_the_cut(state, source, edge)))
        return LG_NONE;
    return lg__members_find(state->members, columns->edge_target[edge]);
}

// Takes away members without in-edges until none is left or a cycle is.
static bool
is_acyclic(const peeling *state)
{
    const uint64_t *first = state->graph->columns.first_edge;
    const lg__members *members = state->members;
    uint32_t queued = 0;
    memset(state->in, 0, members->count * sizeof *state->in);
    for (uint32_t i = 0; i < members->count; i++)
        for (uint64_t edge = first[members->nodes[i]];
             edge < first[members->nodes[i] + 1]; edge++) {
            uint32_t target = follow(state, members->nodes[i], edge);
            if (target != LG_NONE)
                state->in[target]++;
        }
    for (uint32_t i = 0; i < members->count; i++)
        if (state->in[i] == 0)
            state->queue[queued++] = i;
    for (uint32_t at = 0; at < queued; at++) {
        uint32_t node = members->nodes[state->queue[at]];
        for (uint64_t edge = first[node]; edge < first[node + 1]; edge++) {
            uint32_t target = follow(state, node, edge);
            if (target != LG_NONE && --state->in[target] == 0)
                state->queue[queued++] = target;
        }
    }
    return queued == members->count;
}

static void
take_cut(peeling *state, const lg_hop *hop)
{
    uint32_t last = hop->edge_count - 1;
    state->cut = hop->edges[last];
    state->source =
        last == 0 ? hop->source
                  : state->graph->columns.edge_target[hop->edges[last - 1]];
}

// How many references of the component must be cut together with the chosen
// one, being like it, for no cycle to be left; 0 where that would not help.
static size_t
count_alike(peeling *state, const lg_hop *chosen)
{
    const uint64_t *first = state->graph->columns.first_edge;
    const lg__members *members = state->members;
    size_t count = 0;
    take_cut(state, chosen);
    if (members->count > MEMBERS_TRIED || is_acyclic(state))
        return 0;
    state->all = true;
    if (!is_acyclic(state))
        return 0;
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t node = members->nodes[i];
        for (uint64_t edge = first[node]; edge < first[node + 1]; edge++)
            count += is_inside(state, edge) && !is_the_cut(state, node, edge) &&
                     is_like_the_cut(state, node, edge);
    }
    return count;
}

static bool
choose_hop(const lg_hops *round_trip, const lg__labels *all, peeling *state,
           size_t *chosen, const char **reason)
{
    bool tried = state->members->count <= MEMBERS_TRIED &&
                 round_trip->count <= HOPS_TRIED;
    int best = -1;
    for (size_t i = 0; i < round_trip->count; i++) {
        lg__verdict verdict = lg__rule_judge(state->graph, round_trip, all, i);
        take_cut(state, &round_trip->items[verdict.cut]);
        if (tried && is_acyclic(state))
            verdict.score += SCORE_OF_ACYCLIC;
        if (verdict.score < best)
            continue;
        best = verdict.score;
        *chosen = verdict.cut;
        *reason = verdict.reason;
    }
    return best >= 0;
}

static unsigned
first_rank(const lg_graph *graph, uint32_t node)
{
    if (graph->columns.node_flags[node] & LG_NODE_CPP)
        return 4;
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_CONTAINER:
        return 3;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_FRAME:
        return 2;
    case LG_CATEGORY_TYPE:
        return 1;
    default:
        return 0;
    }
}

// Where to begin: with an object of the user's, so that the cut comes as late
// as it can; last in a cycle too long to be shown whole.
static size_t
choose_first(const lg_graph *graph, const lg_hops *round_trip, size_t cut)
{
    size_t count = round_trip->count;
    size_t best = (cut + 1) % count;
    for (size_t i = 2; i <= count && count <= LG__CYCLE_SHOWN; i++) {
        size_t at = (cut + i) % count;
        if (first_rank(graph, round_trip->items[at].source) <
            first_rank(graph, round_trip->items[best].source))
            best = at;
    }
    return best;
}

static void
reverse(lg_hop *hops, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        lg_hop kept = hops[i];
        hops[i] = hops[count - 1 - i];
        hops[count - 1 - i] = kept;
    }
}

// Turns the cycle by reversing both parts and then the whole.
static void
turn(lg_hops *round_trip, size_t first)
{
    reverse(round_trip->items, first);
    reverse(round_trip->items + first, round_trip->count - first);
    reverse(round_trip->items, round_trip->count);
}

const char *
lg__shortest_cycle_cut(const lg__walk *walk, const lg__members *members,
                       lg_hops *round_trip, size_t *cut, size_t *alike)
{
    lg__labels all = {.end = malloc((round_trip->count + 1) * sizeof(size_t))};
    peeling state = {.walk = walk,
                     .graph = walk->graph,
                     .members = members,
                     .in = malloc(members->count * sizeof(uint32_t)),
                     .queue = malloc(members->count * sizeof(uint32_t))};
    const char *reason = NULL;
    size_t chosen = 0;
    if (!all.end || !state.in || !state.queue)
        goto done;
    for (size_t i = 0; i < round_trip->count; i++) {
        lg_hop_label(walk->graph, &round_trip->items[i], &all.text);
        all.end[i] = all.text.length;
    }
    if (!all.text.failed &&
        choose_hop(round_trip, &all, &state, &chosen, &reason)) {
        *alike = count_alike(&state, &round_trip->items[chosen]);
        size_t first = choose_first(walk->graph, round_trip, chosen);
        turn(round_trip, first);
        *cut = (chosen + round_trip->count - first) % round_trip->count;
    }

done:
    free(all.end);
    free(state.in);
    free(state.queue);
    lg_text_free(&all.text);
    return reason;
}

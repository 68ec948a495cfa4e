// Chooses the hop of a cycle to cut: the one that looks like a back reference.
// Also recognises other references like it.
#include "cycles/cycles_private.h"
#include "cycles/cut_rule.h"

#include <stdlib.h>
#include <string.h>

// A component of this size tries every cut.
enum { MEMBERS_TRIED = 2000, HOPS_TRIED = 16, SCORE_OF_ACYCLIC = 15 };

// Returns the category of the object itself, or of the one that owns it as a
// namespace or a part of a closure.
static lg_category
owner_category(const lg__likeness *to, uint32_t node)
{
    return lg__node_category(to->walk->graph,
                             lg__seen_node(to->walk->fold, node));
}

static bool
is_attribute(const lg__likeness *to, lg__reference reference)
{
    return lg__reference_is_attribute(to->walk->graph, to->walk->fold,
                                      reference);
}

static bool
is_element(const lg__likeness *to, lg__reference reference)
{
    unsigned kind = lg__edge_kind(to->walk->graph, reference.edge);
    return kind == LG_EDGE_INDEX ||
           (kind == LG_EDGE_VALUE && !is_attribute(to, reference));
}

// Returns whether a reference has the name. All elements have one name,
// whatever their index or key.
static bool
has_the_name(const lg__likeness *to, lg__reference reference)
{
    const lg_graph *graph = to->walk->graph;
    const uint32_t *payload = graph->columns.edge_payload;
    uint64_t edge = reference.edge;
    uint64_t cut = to->reference.edge;
    if (is_attribute(to, reference) && is_attribute(to, to->reference))
        return lg__string_same(lg__edge_name(graph, edge),
                               lg__edge_name(graph, cut));
    return lg__edge_kind(graph, edge) == lg__edge_kind(graph, cut) &&
           (is_element(to, reference) ? is_element(to, to->reference)
                                      : payload[edge] == payload[cut]);
}

lg__likeness
lg__likeness_of(const lg__walk *walk, const lg_hop *hop)
{
    return (lg__likeness){walk, lg__hop_reference(walk->graph, hop)};
}

bool
lg__is_like(const lg__likeness *to, lg__reference reference)
{
    const lg_graph *graph = to->walk->graph;
    const uint32_t *target = graph->columns.edge_target;
    return has_the_name(to, reference) &&
           owner_category(to, reference.source) ==
               owner_category(to, to->reference.source) &&
           lg__node_category(graph, target[reference.edge]) ==
               lg__node_category(graph, target[to->reference.edge]);
}

typedef struct peeling {
    const lg_graph *graph;
    const lg__members *members;
    lg__likeness cut;
    uint32_t *in; // [member] number of in-edges left
    uint32_t *queue;
} peeling;

// Returns the member that an edge leads to after the cut, or LG_NONE.
static uint32_t
follow(const peeling *state, uint32_t source, uint64_t edge)
{
    const lg__likeness *cut = &state->cut;
    if (!lg__members_edge(state->members, state->graph, edge) ||
        lg__references_are_one(state->graph, cut->walk->fold, cut->reference,
                               (lg__reference){source, edge}))
        return LG_NONE;
    return lg__members_find(state->members,
                            state->graph->columns.edge_target[edge]);
}

// Removes members without in-edges as long as there are any. Returns whether
// none is left; otherwise cycles are.
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

// Chooses the hop to cut. If nothing can be cut, gives the reason of the hop
// that looks most like a cut.
static void
choose_hop(const lg_hops *round_trip, const lg__labels *all,
           const lg__walk *walk, peeling *state, lg__choice *out)
{
    bool tried = state->members->count <= MEMBERS_TRIED &&
                 round_trip->count <= HOPS_TRIED;
    int best = -1;
    int best_fixed = -1;
    for (size_t i = 0; i < round_trip->count; i++) {
        lg__verdict verdict = lg__rule_judge(state->graph, round_trip, all, i);
        if (verdict.fixed) {
            if (best < 0 && verdict.score > best_fixed)
                out->reason = verdict.reason;
            best_fixed =
                verdict.score > best_fixed ? verdict.score : best_fixed;
            continue;
        }
        state->cut = lg__likeness_of(walk, &round_trip->items[verdict.cut]);
        if (tried && is_acyclic(state))
            verdict.score += SCORE_OF_ACYCLIC;
        if (verdict.score < best)
            continue;
        best = verdict.score;
        *out = (lg__choice){verdict.cut, verdict.reason};
    }
}

bool
lg__choose_cut(const lg__walk *walk, const lg__members *members,
               const lg_hops *round_trip, lg__choice *out)
{
    size_t count = members->count;
    lg__labels all = {
        .end = lg__wide_alloc((round_trip->count + 1) * sizeof(size_t))};
    peeling state = {.graph = walk->graph,
                     .members = members,
                     .in = lg__wide_alloc(count * sizeof(uint32_t)),
                     .queue = lg__wide_alloc(count * sizeof(uint32_t))};
    bool enough = all.end != NULL && state.in != NULL && state.queue != NULL;
    for (size_t i = 0; i < round_trip->count && enough; i++) {
        lg_hop_label(walk->graph, &round_trip->items[i], &all.text);
        all.end[i] = all.text.length;
    }
    enough = enough && !all.text.failed;
    *out = (lg__choice){round_trip->count, ""};
    if (enough)
        choose_hop(round_trip, &all, walk, &state, out);
    lg__wide_free(all.end);
    lg__wide_free(state.in);
    lg__wide_free(state.queue);
    lg_text_free(&all.text);
    return enough;
}

// The rank of what is not in the component.
enum { OUTSIDE = 5 };

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

// Ranks a node as the first one. The owner of a folded member may be outside of
// the component.
static unsigned
rank_as_first(const lg_graph *graph, const lg_component *component,
              uint32_t node)
{
    bool inside =
        lg__ascending_find(component->nodes, component->count, node) != LG_NONE;
    return inside ? first_rank(graph, node) : OUTSIDE;
}

// Chooses the first hop: one from an object of the user, so that the cut comes
// as late as possible; in a cycle too long to show whole, the cut comes last.
static size_t
choose_first(const lg_graph *graph, const lg_component *component,
             const lg_hops *round_trip, size_t cut)
{
    size_t count = round_trip->count;
    size_t best = (cut + 1) % count;
    for (size_t i = 2; i <= count && count <= LG__CYCLE_SHOWN; i++) {
        size_t at = (cut + i) % count;
        if (rank_as_first(graph, component, round_trip->items[at].source) <
            rank_as_first(graph, component, round_trip->items[best].source))
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

void
lg__shortest_cycle_turn(const lg_graph *graph, const lg_component *component,
                        lg_hops *round_trip, size_t *cut)
{
    size_t count = round_trip->count;
    bool any = *cut < count;
    if (count == 0)
        return;
    size_t first =
        choose_first(graph, component, round_trip, any ? *cut : count - 1);
    turn(round_trip, first);
    if (any)
        *cut = (*cut + count - first) % count;
    else
        *cut = count;
}

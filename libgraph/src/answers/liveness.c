// Tells of single nodes whether the collector would free them, and whether a
// root holds them. A search from the node against its references mostly ends
// after a few nodes, while the passes over the graph read all references. But a
// search reads memory in no order, so passes follow once the searches have read
// too much.
#include "answers/answers_private.h"

enum {
    VISITS = 4096,  // most nodes that a search looks at
    NODES_EACH = 2, // nodes of the graph for each reference to read
};

// What is known of a node, as bits.
enum {
    ALIVE = 1, // the collector would not free it, or would
    FREED = 2,
    HELD = 4, // a root that is not native reaches it, or none does
    LOOSE = 8,
    MET = 16, // by the search that goes on
};

typedef struct search {
    lg__liveness *liveness;
    unsigned proof;    // ALIVE or HELD
    unsigned disproof; // FREED or LOOSE; 0: meet such nodes, too
    bool whole;        // nothing was left out
} search;

bool
lg__liveness_new(const lg_graph *graph, lg__liveness *out)
{
    lg__liveness made = {.graph = graph};
    made.left = graph->columns.node_count / NODES_EACH;
    made.known = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    if (made.known == NULL || !lg__graph_reverse(graph, &made.reverse)) {
        lg__free(made.known);
        return false;
    }
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] != LG_ROOT_NATIVE)
            made.known[graph->root_node[i]] |= HELD;
    *out = made;
    return true;
}

void
lg__liveness_free(lg__liveness *liveness)
{
    lg__free(liveness->known);
    lg__free(liveness->collectable);
    lg__uncollectable_free(&liveness->uncollectable);
    lg__free(liveness->met.items);
    lg__free(liveness->behind.items);
    lg__node_heap_free(&liveness->open);
    *liveness = (lg__liveness){0};
}

// Returns whether a reference takes the proof from its source to its target.
static bool
is_followed(const search *state, lg__in_edge in)
{
    const lg_columns *columns = &state->liveness->graph->columns;
    unsigned kind = lg_columns_kind(columns, in.edge);
    return state->proof == HELD ? !(kind & LG_EDGE_WEAK)
                                : (kind & LG_EDGE_TRAVERSED) &&
                                      lg__is_visited(columns, in.source);
}

static void
meet(search *state, uint32_t node, uint32_t behind)
{
    lg__liveness *to = state->liveness;
    const lg__weighed_node one = {.node = node, .tag = (uint32_t)to->met.count};
    if ((to->known[node] & (MET | state->disproof)) || to->failed)
        return;
    to->failed = !lg__gather_append(&to->met, node) ||
                 !lg__gather_append(&to->behind, behind) ||
                 !lg__node_heap_push(&to->open, one);
    if (!to->failed)
        to->known[node] |= MET;
}

// Returns whether something else than the references that the collector
// subtracts keeps the node alive.
static bool
is_kept(const search *state, uint32_t node, uint64_t references)
{
    const lg_columns *columns = &state->liveness->graph->columns;
    return state->proof == ALIVE &&
           (!lg__is_counted(columns, node) ||
            lg_columns_refcount(columns, node) > references);
}

// Looks at a node, and meets what refers to it. Returns whether the node has
// the proof.
static bool
look_at(search *state, uint32_t node, uint32_t at)
{
    lg__liveness *liveness = state->liveness;
    const uint64_t begin = lg__first_in(&liveness->reverse, node);
    uint64_t references = lg__count_in(&liveness->reverse, node), followed = 0;
    if ((liveness->known[node] & state->proof) ||
        is_kept(state, node, references))
        return true;
    if (references > liveness->left) {
        state->whole = false;
        return false;
    }
    liveness->left -= references;
    for (uint64_t i = begin; i < begin + references; i++) {
        lg__in_edge in = lg__in_at(&liveness->reverse, i);
        if (!is_followed(state, in))
            continue;
        followed++;
        meet(state, in.source, at);
    }
    return is_kept(state, node, followed);
}

// Notes the proof for all nodes from the one that has it to the first.
static void
note_proof(search *state, uint32_t at)
{
    lg__liveness *to = state->liveness;
    for (; at != 0; at = to->behind.items[at])
        to->known[to->met.items[at]] |= (uint8_t)state->proof;
    to->known[to->met.items[0]] |= (uint8_t)state->proof;
}

// Searches for a proof, or meets all that it could come from. Returns whether
// there is one. The capture begins at roots and numbers nodes as it meets them,
// so those with low numbers are likely to be near a root.
static bool
run(search *state, uint32_t node)
{
    lg__liveness *to = state->liveness;
    bool found = false;
    to->met.count = to->behind.count = to->open.count = 0;
    state->whole = true;
    meet(state, node, 0);
    for (int visits = 0; to->open.count > 0 && !found; visits++) {
        if (visits == VISITS) {
            state->whole = false;
            break;
        }
        lg__weighed_node next = lg__node_heap_pop(&to->open);
        found = look_at(state, next.node, next.tag);
        if (found)
            note_proof(state, next.tag);
    }
    for (size_t i = 0; i < to->met.count; i++)
        to->known[to->met.items[i]] &= (uint8_t)~MET;
    return found;
}

// A search that leaves nothing out and finds no proof shows that no node that
// it met has any. Each of them could only have it from nodes that refer to it,
// and all of these were met, too.
static void
look_for_proof(lg__liveness *liveness, unsigned proof, unsigned disproof,
               uint32_t node)
{
    search state = {liveness, proof, disproof, true};
    if (run(&state, node) || !state.whole)
        return;
    for (size_t i = 0; i < liveness->met.count; i++)
        liveness->known[liveness->met.items[i]] |= (uint8_t)disproof;
}

// Finds the reasons of all nodes, which also tells which are held.
static bool
find_uncollectable(lg__liveness *liveness)
{
    lg_error ignored;
    lg__uncollectable_free(&liveness->uncollectable);
    liveness->complete =
        lg__uncollectable_new(liveness->graph, &liveness->uncollectable,
                              &ignored) == LG_OK;
    liveness->failed |= !liveness->complete;
    return liveness->complete;
}

static bool
find_collectable(lg__liveness *liveness)
{
    lg_error ignored;
    liveness->failed |=
        liveness->collectable == NULL &&
        lg__graph_collectable(liveness->graph, &liveness->collectable,
                              &ignored) != LG_OK;
    return !liveness->failed;
}

bool
lg__liveness_collectable(lg__liveness *liveness, uint32_t node)
{
    const uint8_t *known = &liveness->known[node];
    if (!lg__is_visited(&liveness->graph->columns, node))
        return false;
    if (liveness->collectable == NULL && !(*known & (ALIVE | FREED)))
        look_for_proof(liveness, ALIVE, FREED, node);
    if (*known & (ALIVE | FREED))
        return (*known & FREED) != 0;
    return find_collectable(liveness) && liveness->collectable[node];
}

bool
lg__liveness_held(lg__liveness *liveness, uint32_t node)
{
    const uint8_t *known = &liveness->known[node];
    if (!liveness->complete && !(*known & (HELD | LOOSE)))
        look_for_proof(liveness, HELD, LOOSE, node);
    if (*known & (HELD | LOOSE))
        return (*known & HELD) != 0;
    return (liveness->complete || find_uncollectable(liveness)) &&
           liveness->uncollectable.state[node] == 0;
}

// Finds the reasons of a loose node and of what refers to it. Returns false if
// these are too many.
static bool
find_reasons(lg__liveness *liveness, uint32_t node)
{
    lg_error ignored;
    search state = {liveness, HELD, 0, true};
    lg__gathered *met = &liveness->met;
    run(&state, node);
    if (!state.whole || liveness->failed)
        return false;
    met->count = lg_nodes_unify(met->items, met->count);
    liveness->failed =
        lg__uncollectable_find(liveness->graph, met, &liveness->uncollectable,
                               &ignored) != LG_OK;
    return !liveness->failed;
}

static bool
begin_uncollectable(lg__liveness *liveness)
{
    lg_error ignored;
    liveness->failed |=
        liveness->uncollectable.state == NULL &&
        lg__uncollectable_begin(liveness->graph, &liveness->uncollectable,
                                &ignored) != LG_OK;
    return !liveness->failed;
}

const lg__uncollectable *
lg__liveness_uncollectable(lg__liveness *liveness, uint32_t node)
{
    if (!begin_uncollectable(liveness))
        return NULL;
    bool known = liveness->complete ||
                 liveness->uncollectable.state[node] != 0 ||
                 find_reasons(liveness, node) || find_uncollectable(liveness);
    return known && !liveness->failed ? &liveness->uncollectable : NULL;
}

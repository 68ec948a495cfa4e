// Dominators within any component: small ones with sets of dominators, big ones
// with igraph, in a problem whose node 0 stands for everything outside.
#include "analysis/chains.h"
#include "analysis/dominator_builder.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 64 };

#define BIT(index) ((uint64_t)1 << (index))

// Arrays are indexed by the position of a member in the component's original
// order.
typedef struct irreducible {
    lg__dominator_builder *building;
    uint32_t begin;
    uint32_t count;
    uint32_t *member;
    uint32_t *inner; // index of its dominator; LG_NONE: outside
    uint32_t *chain;
} irreducible;

static bool
is_entry(const irreducible *state, uint32_t index)
{
    return !(state->building->mark[state->member[index]] & LG__MARK_INNER);
}

typedef void show_edge(void *context, uint32_t source, uint32_t target);

// Passes on each edge from a member to another that is not an entry.
static void
show_edges(const irreducible *state, show_edge *show, void *context)
{
    const lg__dominator_builder *building = state->building;
    const lg_columns *columns = &building->graph->columns;
    unsigned barred = lg__dominators_barred(building, state->member[0]);
    for (uint32_t index = 0; index < state->count; index++) {
        uint32_t node = state->member[index];
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t target = columns->edge_target[edge];
            if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) && target != node &&
                (building->mark[target] & (barred | LG__MARK_INNER)) ==
                    LG__MARK_INNER)
                show(context, index, building->place[target] - state->begin);
        }
    }
}

typedef struct sets {
    uint64_t referrers[SMALL];
    uint64_t dominators[SMALL]; // bits, the member itself among them
} sets;

static void
add_referrer(void *context, uint32_t source, uint32_t target)
{
    ((sets *)context)->referrers[target] |= BIT(source);
}

static uint64_t
common_dominators(const sets *found, uint32_t index)
{
    uint64_t common = UINT64_MAX;
    for (uint64_t left = found->referrers[index]; left != 0; left &= left - 1)
        common &= found->dominators[__builtin_ctzll(left)];
    return common | BIT(index);
}

// Finds the dominators of small components: those of a member are all that its
// referrers share. Starts with all members and repeats until nothing changes.
// The sets only shrink, and none ever loses a dominator: so where they come to
// rest, they are the dominators and nothing else.
static void
solve_small(irreducible *state)
{
    sets found = {{0}, {0}};
    show_edges(state, add_referrer, &found);
    for (uint32_t i = 0; i < state->count; i++)
        found.dominators[i] = is_entry(state, i) ? BIT(i) : UINT64_MAX;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < state->count; i++) {
            uint64_t fewer =
                is_entry(state, i) ? BIT(i) : common_dominators(&found, i);
            changed |= fewer != found.dominators[i];
            found.dominators[i] = fewer;
        }
    }
    // The dominators of a member form a chain, and the nearest one has all the
    // others.
    for (uint32_t i = 0; i < state->count; i++) {
        uint64_t others = found.dominators[i] & ~BIT(i);
        state->inner[i] = LG_NONE;
        for (uint64_t left = others; left != 0; left &= left - 1) {
            uint32_t other = (uint32_t)__builtin_ctzll(left);
            if (found.dominators[other] == others)
                state->inner[i] = other;
        }
    }
}

typedef struct columns {
    uint64_t count;
    uint32_t *source; // NULL: edges are only counted
    uint32_t *target;
} columns;

static void
add_edge(void *context, uint32_t source, uint32_t target)
{
    columns *edges = context;
    if (edges->source != NULL) {
        edges->source[edges->count] = source + 1;
        edges->target[edges->count] = target + 1;
    }
    edges->count++;
}

static void
list_edges(const irreducible *state, columns *edges)
{
    edges->count = 0;
    for (uint32_t i = 0; i < state->count; i++)
        if (is_entry(state, i)) {
            if (edges->source != NULL) {
                edges->source[edges->count] = 0;
                edges->target[edges->count] = i + 1;
            }
            edges->count++;
        }
    show_edges(state, add_edge, edges);
}

static lg_status
ask_igraph(irreducible *state, const columns *edges, lg_error *err)
{
    lg__problem problem = {
        .node_count = state->count + 1,
        .edge_count = edges->count,
        .source = edges->source,
        .target = edges->target,
        .monitor = state->building->monitor,
    };
    uint32_t *found = lg__alloc(problem.node_count * sizeof *found);
    lg_status status = found != NULL ? lg__chains_solve(&problem, found, err)
                                     : lg__error_memory(err);
    for (uint32_t i = 0; i < state->count && status == LG_OK; i++)
        state->inner[i] = found[i + 1] == 0 ? LG_NONE : found[i + 1] - 1;
    lg__free(found);
    return status;
}

static lg_status
solve_big(irreducible *state, lg_error *err)
{
    columns edges = {0};
    list_edges(state, &edges);
    size_t size = edges.count * sizeof(uint32_t);
    edges.source = lg__alloc(size);
    edges.target = lg__alloc(size);
    lg_status status = LG_ENOMEM;
    if (edges.source != NULL && edges.target != NULL) {
        list_edges(state, &edges);
        status = ask_igraph(state, &edges, err);
    } else {
        lg__error_memory(err);
    }
    lg__free(edges.source);
    lg__free(edges.target);
    return status;
}

// Orders the members so that each comes after its inner dominator, and settles
// them. A settled member has no place until all are ordered, so the way up from
// a member ends at the first one that is settled, and each is passed once.
static void
settle(irreducible *state, uint32_t top)
{
    lg__dominator_builder *building = state->building;
    const uint32_t *inner = state->inner;
    uint32_t count = state->begin;
    for (uint32_t i = 0; i < state->count; i++) {
        uint32_t length = 0;
        for (uint32_t at = i;
             at != LG_NONE && building->place[state->member[at]] != LG_NONE;
             at = inner[at])
            state->chain[length++] = at;
        while (length > 0) {
            uint32_t at = state->chain[--length];
            uint32_t node = state->member[at];
            building->branch[node].parent =
                inner[at] == LG_NONE ? top : state->member[inner[at]];
            lg__branch_settle(building->branch, node);
            building->order[count++] = node;
            building->place[node] = LG_NONE;
        }
    }
    for (uint32_t place = state->begin; place < count; place++)
        building->place[building->order[place]] = place;
}

lg_status
lg__dominators_irreducible(lg__dominator_builder *building,
                           const lg__component_span *component, uint32_t top,
                           lg_error *err)
{
    uint32_t count = component->end - component->begin;
    uint32_t *room = lg__alloc(3 * (size_t)count * sizeof *room);
    if (room == NULL)
        return lg__error_memory(err);
    irreducible state = {building, component->begin, count,
                         room,     room + count,     room + 2 * (size_t)count};
    memcpy(state.member, building->order + component->begin,
           count * sizeof *room);
    lg_status status = LG_OK;
    if (count <= SMALL)
        solve_small(&state);
    else
        status = solve_big(&state, err);
    if (status == LG_OK)
        settle(&state, top);
    lg__free(room);
    return status;
}

// Finds what to cut so that a component has no cycle left. It takes cycle by
// cycle, and cuts each together with similar references that lead back, until
// only what cannot be cut is left.
#include "cycles/cycles_private.h"
#include "cycles/cut_rule.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

// Enough for every component that people have made; parts beyond it are only
// counted. The interpreter's own components, of classes and modules, have tens
// of thousands of members, and nobody cuts them apart.
enum { ROUNDS = 512, HOPS = 1 << 21 };

// Reports show the first cycle, so it is worth more visits.
enum { FIRST_VISITS = 40000, LATER_VISITS = 4000 };

#define FOLDED "an object refers to itself here, where nothing can be cut"

typedef struct cutting {
    const lg__walk *walk;
    const lg_graph *graph;
    lg__cycle_notes *notes;
    uint64_t *removed;
    size_t removed_count;
    uint32_t *nodes; // of the parts still to look at
    uint32_t *size;  // [part_count] the size of each part
    uint32_t part_count;
    uint32_t node_count;
    lg__effort effort;
    lg_cycle *cycle;
} cutting;

/* --------------------------------------------------------------- remove --- */

static bool
remove_edge(cutting *state, uint64_t edge)
{
    if (!lg__array_room(&state->removed, state->removed_count,
                        sizeof *state->removed))
        return false;
    state->removed[state->removed_count++] = edge;
    state->notes->gone[edge / 8] |= (uint8_t)(1u << edge % 8);
    return true;
}

static bool
remove_double(cutting *state, lg__reference cut, uint32_t source)
{
    const uint64_t *first = state->graph->columns.first_edge;
    for (uint64_t edge = first[source]; edge < first[source + 1]; edge++)
        if (lg__references_are_one(state->graph, state->walk->fold, cut,
                                   (lg__reference){source, edge}) &&
            !remove_edge(state, edge))
            return false;
    return true;
}

// Removes a reference and, if it is stored twice, its double.
static bool
remove_reference(cutting *state, lg__reference cut)
{
    const lg_columns *columns = &state->graph->columns;
    const lg__fold *fold = state->walk->fold;
    uint32_t owner = lg__seen_node(fold, cut.source);
    if (!remove_edge(state, cut.edge))
        return false;
    if (!lg__reference_is_attribute(state->graph, fold, cut))
        return true;
    bool enough = remove_double(state, cut, owner);
    for (uint64_t edge = columns->first_edge[owner];
         edge < columns->first_edge[owner + 1] && enough; edge++)
        if (lg__edge_opens(state->walk, owner, edge))
            enough = remove_double(state, cut, columns->edge_target[edge]);
    return enough;
}

static void
restore(cutting *state)
{
    for (size_t i = 0; i < state->removed_count; i++)
        state->notes->gone[state->removed[i] / 8] = 0;
}

/* ----------------------------------------------------------------- name --- */

// Returns the cut that a reference is like, or NULL.
static lg_cycle_cut *
find_cut(const cutting *state, lg__reference reference)
{
    for (size_t i = 0; i < state->cycle->cut_count; i++) {
        lg_cycle_cut *cut = &state->cycle->cuts[i];
        lg__likeness known = lg__likeness_of(state->walk, &cut->hop);
        if (lg__is_like(&known, reference))
            return cut;
    }
    return NULL;
}

static bool
add_alike(lg_cycle_cut *cut, uint64_t edge)
{
    if (!lg__array_room(&cut->edges, cut->alike, sizeof *cut->edges))
        return false;
    cut->edges[cut->alike++] = edge;
    return true;
}

// Names a reference: counts it to a cut that it is like, adds a new cut, or, if
// there are too many, counts it among the rest.
static bool
name_cut(cutting *state, const lg_hop *hop, const char *reason)
{
    lg_cycle *cycle = state->cycle;
    lg__reference reference = lg__hop_reference(state->graph, hop);
    lg_cycle_cut *known = find_cut(state, reference);
    if (known != NULL)
        return add_alike(known, reference.edge);
    if (cycle->cut_count == LG_CYCLE_CUTS_NAMED) {
        cycle->more++;
        return true;
    }
    if (!lg__array_room(&cycle->cuts, cycle->cut_count, sizeof *cycle->cuts))
        return false;
    cycle->cuts[cycle->cut_count++] =
        (lg_cycle_cut){.hop = *hop, .reason = reason};
    return true;
}

/* ------------------------------------------------------------------ cut --- */

static bool
is_gone(const cutting *state, uint64_t edge)
{
    return (unsigned)state->notes->gone[edge / 8] >> edge % 8 & 1u;
}

// Removes references like the cut that lead back to where the cut leads. If
// `named`, they are also to be cut; otherwise the search only passes over them.
static bool
remove_alike(cutting *state, const lg__members *members, const lg_hop *hop,
             bool named)
{
    lg__likeness cut = lg__likeness_of(state->walk, hop);
    lg_cycle_cut *known = named ? find_cut(state, cut.reference) : NULL;
    size_t count;
    uint32_t start = state->graph->columns.edge_target[cut.reference.edge];
    uint64_t *back =
        lg__members_back_edges(state->graph, members, start, &count);
    bool enough = back != NULL;
    for (size_t i = 0; i < count && enough; i++) {
        lg__reference one = {lg_edge_source(state->graph, back[i]), back[i]};
        if (is_gone(state, back[i]) || !lg__is_like(&cut, one) ||
            (named && !lg__edge_can_be_cut(state->graph, back[i])))
            continue;
        enough = remove_reference(state, one);
        if (named && known == NULL)
            state->cycle->more++;
        else if (known != NULL)
            enough = enough && add_alike(known, back[i]);
    }
    lg__wide_free(back);
    return enough;
}

// Keeps the cycle to show: the first that can be cut, or else the first one.
static void
keep_cycle(cutting *state, lg_hops *found, size_t cut)
{
    lg_cycle *cycle = state->cycle;
    bool better = cut < found->count && cycle->cut_count == 0;
    if (cycle->shortest.count == 0 || better) {
        lg_hops_free(&cycle->shortest);
        cycle->shortest = *found;
        cycle->cut = cut;
        *found = (lg_hops){0};
    }
}

static void
note_left(cutting *state, const char *reason)
{
    if (state->cycle->left == NULL)
        state->cycle->left = reason;
}

// Cuts one cycle of a part.
static bool
cut_part(cutting *state, const lg__members *members, lg_hops *found)
{
    lg__choice choice;
    if (!lg__choose_cut(state->walk, members, found, &choice))
        return false;
    bool named = choice.hop < found->count;
    lg_hop hop = found->items[named ? choice.hop : found->count - 1];
    keep_cycle(state, found, choice.hop);
    if (named && !name_cut(state, &hop, choice.reason))
        return false;
    if (!named)
        note_left(state, choice.reason);
    return remove_reference(state, lg__hop_reference(state->graph, &hop)) &&
           remove_alike(state, members, &hop, named);
}

/* ---------------------------------------------------------------- parts --- */

static void
drop_part(cutting *state)
{
    state->node_count -= state->size[--state->part_count];
}

// Replaces the last part by what is left of it.
static bool
split_part(cutting *state, const lg__members *members)
{
    lg__splits parts;
    if (!lg__members_split(state->graph, members, &parts))
        return false;
    drop_part(state);
    uint32_t end = parts.count > 0 ? parts.end[parts.count - 1] : 0;
    memcpy(state->nodes + state->node_count, parts.nodes,
           end * sizeof *state->nodes);
    state->node_count += end;
    for (uint32_t i = 0; i < parts.count; i++)
        state->size[state->part_count++] =
            parts.end[i] - (i > 0 ? parts.end[i - 1] : 0);
    lg__splits_free(&parts);
    return true;
}

// Finds a cycle through members that are folded into others: the namespace of a
// class that is no member itself represents the class, so the cycle leads
// through it. From CPython 3.14 on, functions of annotations refer to such
// namespaces.
static lg_status
find_folded(cutting *state, const lg__members *members, lg_hops *found,
            lg_error *err)
{
    uint32_t *nodes =
        lg__wide_alloc(2 * (size_t)members->count * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    memcpy(nodes, members->nodes, members->count * sizeof *nodes);
    lg__members whole = {nodes, members->count, members->notes};
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t owner = state->walk->fold[nodes[i]].owner;
        if (owner == LG_NONE || lg__members_find(&whole, owner) != LG_NONE)
            continue;
        state->notes->rank[owner] = whole.count;
        nodes[whole.count++] = owner;
    }
    lg_status status = LG_OK;
    if (whole.count > members->count)
        status = lg__shortest_cycle_find(state->walk, &whole, &state->effort,
                                         found, err);
    lg__wide_free(nodes);
    return status;
}

static lg_status
look_at_part(cutting *state, lg_error *err)
{
    uint32_t count = state->size[state->part_count - 1];
    lg__members members = {state->nodes + state->node_count - count, count,
                           state->notes};
    for (uint32_t i = 0; i < count; i++)
        state->notes->rank[members.nodes[i]] = i;
    const char *library =
        lg__rule_of_library(state->graph, members.nodes, count);
    lg_hops found = {0};
    lg_status status = LG_OK;
    if (library == NULL || state->cycle->shortest.count == 0)
        status = lg__shortest_cycle_find(state->walk, &members, &state->effort,
                                         &found, err);
    bool folded = found.count == 0;
    if (status == LG_OK && folded && state->cycle->shortest.count == 0)
        status = find_folded(state, &members, &found, err);
    // A search that fails finds nothing, and its status ends the loop.
    state->effort.visits = LATER_VISITS;
    state->effort.hops += count;
    if (library != NULL || folded) {
        note_left(state, library != NULL ? library : FOLDED);
        if (found.count > 0)
            keep_cycle(state, &found, found.count);
        drop_part(state);
    } else if (!cut_part(state, &members, &found) ||
               !split_part(state, &members)) {
        status = lg__error_memory(err);
    }
    lg_hops_free(&found);
    return status;
}

static lg_status
look_at_parts(cutting *state, lg_error *err)
{
    lg_status status = LG_OK;
    for (uint32_t round = 0; state->part_count > 0 && status == LG_OK;
         round++) {
        if (round == ROUNDS || state->effort.hops > HOPS) {
            state->cycle->more += state->part_count;
            state->cycle->more_least = true;
            break;
        }
        status = look_at_part(state, err);
    }
    return status;
}

lg_status
lg__cycle_cut(const lg__walk *walk, const lg_component *component,
              lg__cycle_notes *notes, lg_cycle *cycle, lg_error *err)
{
    size_t count = component->count;
    cutting state = {
        .walk = walk,
        .graph = walk->graph,
        .notes = notes,
        .cycle = cycle,
        .nodes = lg__wide_alloc((count + 1) * sizeof(uint32_t)),
        .size = lg__wide_alloc((count + 1) * sizeof(uint32_t)),
        .part_count = 1,
        .effort = {.visits = FIRST_VISITS},
        .node_count = component->count,
    };
    lg_status status = LG_OK;
    if (state.nodes == NULL || state.size == NULL) {
        status = lg__error_memory(err);
        goto done;
    }
    memcpy(state.nodes, component->nodes, count * sizeof *state.nodes);
    state.size[0] = component->count;
    status = look_at_parts(&state, err);
    if (status == LG_OK)
        lg__shortest_cycle_turn(state.graph, component, &cycle->shortest,
                                &cycle->cut);

done:
    restore(&state);
    lg__wide_free(state.removed);
    lg__wide_free(state.nodes);
    lg__wide_free(state.size);
    return status;
}

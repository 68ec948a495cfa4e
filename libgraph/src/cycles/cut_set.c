// Finds what to cut so that a component has no cycle left. It takes cycle by
// cycle, and cuts each together with similar references that lead back, until
// only what cannot be cut is left.
#include "cycles/cycles_private.h"
#include "cycles/cut_rule.h"
#include "paths/paths_private.h"
#include "base/base_private.h"

#include <stdlib.h>
#include <string.h>

// Splits a component that lost edges, and finds the edges that lead back.
// Nothing recurses: components have millions of nodes.
//
// By the algorithm of Tarjan (SIAM Journal on Computing 1, 1972). `open` has,
// in the order in which the search met them, the members that lead back to one
// on the path. `low` of a member is the first of them to which it is known to
// lead. If that is the member itself when the search leaves it, nothing behind
// it in `open` leads to anything before it: these members are one part.

typedef struct walker {
    const lg_graph *graph;
    const lg__members *members;
    uint32_t *next;  // [member] edge to continue with
    uint32_t *met;   // [member] when the search met it, from 1 on; 0: not yet
    uint32_t *low;   // [member] the earliest met member that it leads back to
    uint32_t *path;  // members from the start to the current one
    uint32_t *open;  // members that belong to no part yet
    uint8_t *opened; // [member] whether it is in `open`
    uint32_t depth;
    uint32_t open_count;
    uint32_t clock;
} walker;

static void
walker_free(walker *state)
{
    lg__free(state->next);
    lg__free(state->met);
    lg__free(state->low);
    lg__free(state->path);
    lg__free(state->open);
    lg__free(state->opened);
}

static bool
walker_new(const lg_graph *graph, const lg__members *members, walker *out)
{
    size_t count = (size_t)members->count + 1;
    *out = (walker){
        .graph = graph,
        .members = members,
        .next = lg__alloc(count * sizeof(uint32_t)),
        .met = lg__calloc(count, sizeof(uint32_t)),
        .low = lg__alloc(count * sizeof(uint32_t)),
        .path = lg__alloc(count * sizeof(uint32_t)),
        .open = lg__alloc(count * sizeof(uint32_t)),
        .opened = lg__calloc(count, 1),
    };
    if (out->next && out->met && out->low && out->path && out->open &&
        out->opened)
        return true;
    walker_free(out);
    return false;
}

static void
enter(walker *state, uint32_t member)
{
    const lg_columns *columns = &state->graph->columns;
    state->next[member] =
        (uint32_t)lg_columns_first_edge(columns, state->members->nodes[member]);
    state->met[member] = state->low[member] = ++state->clock;
    state->path[state->depth++] = member;
    state->open[state->open_count++] = member;
    state->opened[member] = 1;
}

// Returns the member that the next edge leads to, and the edge; LG_NONE after
// the last.
static uint32_t
advance(walker *state, uint32_t member, uint64_t *edge)
{
    const lg_columns *columns = &state->graph->columns;
    uint64_t end =
        lg_columns_first_edge(columns, state->members->nodes[member] + 1);
    while (state->next[member] < end) {
        *edge = state->next[member]++;
        uint32_t target =
            lg__members_find(state->members, lg_columns_target(columns, *edge));
        if (target != LG_NONE &&
            lg__members_edge(state->members, state->graph, *edge))
            return target;
    }
    return LG_NONE;
}

static bool
has_itself(const walker *state, uint32_t member)
{
    const lg_columns *columns = &state->graph->columns;
    uint32_t node = state->members->nodes[member];
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_target(columns, edge) == node &&
            lg__members_edge(state->members, state->graph, edge))
            return true;
    return false;
}

// Makes a part of the members from `member` on in `open`. It counts if it has
// an edge inside.
static void
close_part(walker *state, uint32_t member, lg__splits *out)
{
    uint32_t start = out->count > 0 ? out->end[out->count - 1] : 0;
    uint32_t end = start;
    uint32_t last;
    do {
        last = state->open[--state->open_count];
        state->opened[last] = 0;
        out->nodes[end++] = state->members->nodes[last];
    } while (last != member);
    if (end - start == 1 && !has_itself(state, member))
        return;
    lg__sort(out->nodes + start, end - start, sizeof *out->nodes,
             lg__ascending32);
    out->end[out->count++] = end;
}

static void
leave(walker *state, lg__splits *out)
{
    uint32_t member = state->path[--state->depth];
    if (state->depth > 0) {
        uint32_t before = state->path[state->depth - 1];
        if (state->low[member] < state->low[before])
            state->low[before] = state->low[member];
    }
    if (state->low[member] == state->met[member])
        close_part(state, member, out);
}

static void
split_from(walker *state, uint32_t start, lg__splits *out)
{
    uint64_t edge;
    enter(state, start);
    while (state->depth > 0) {
        uint32_t member = state->path[state->depth - 1];
        uint32_t target = advance(state, member, &edge);
        if (target == LG_NONE)
            leave(state, out);
        else if (state->met[target] == 0)
            enter(state, target);
        else if (state->opened[target] &&
                 state->met[target] < state->low[member])
            state->low[member] = state->met[target];
    }
}

static void
splits_free(lg__splits *parts)
{
    lg__free(parts->nodes);
    lg__free(parts->end);
    *parts = (lg__splits){0};
}

// Splits the members into components, without the edges that are gone. Returns
// false when memory ran out. O(edges + members log members). Free with
// splits_free.
static bool
members_split(const lg_graph *graph, const lg__members *members,
              lg__splits *out)
{
    walker state;
    lg__splits parts = {
        lg__alloc(((size_t)members->count + 1) * sizeof(uint32_t)),
        lg__alloc(((size_t)members->count + 1) * sizeof(uint32_t)), 0};
    if (!parts.nodes || !parts.end || !walker_new(graph, members, &state)) {
        splits_free(&parts);
        return false;
    }
    for (uint32_t i = 0; i < members->count; i++)
        if (state.met[i] == 0)
            split_from(&state, i, &parts);
    walker_free(&state);
    *out = parts;
    return true;
}

typedef struct found_edges {
    uint64_t *items;
    size_t count;
} found_edges;

static bool
append(found_edges *found, uint64_t edge)
{
    if (!lg__array_room(&found->items, found->count, sizeof *found->items))
        return false;
    found->items[found->count++] = edge;
    return true;
}

// Searches from a start. The open members are those on the path, because the
// search closes a member when it leaves it. Each cycle that the search reaches
// contains such an edge: of its members, the search meets one first, and the
// cycle's edge into that one comes from a member that the search enters before
// it leaves the first.
static bool
search_from(walker *state, uint32_t start, found_edges *found)
{
    uint64_t edge;
    enter(state, start);
    while (state->depth > 0) {
        uint32_t member = state->path[state->depth - 1];
        uint32_t target = advance(state, member, &edge);
        if (target == LG_NONE)
            state->opened[state->path[--state->depth]] = 0;
        else if (state->met[target] == 0)
            enter(state, target);
        else if (state->opened[target] && !append(found, edge))
            return false;
    }
    return true;
}

// Lists the edges that lead back onto the path of a depth-first search from
// `start`, *count of them. Returns NULL when memory ran out. Release with
// lg__free.
static uint64_t *
members_back_edges(const lg_graph *graph, const lg__members *members,
                   uint32_t start, size_t *count)
{
    walker state;
    found_edges found = {lg__calloc(1, sizeof(uint64_t)), 0};
    uint32_t member = lg__members_find(members, start);
    if (found.items == NULL || !walker_new(graph, members, &state)) {
        lg__free(found.items);
        return NULL;
    }
    bool enough = member == LG_NONE || search_from(&state, member, &found);
    walker_free(&state);
    if (!enough) {
        lg__free(found.items);
        return NULL;
    }
    *count = found.count;
    return found.items;
}

// Enough for every component that people have made; parts beyond it are only
// counted. The interpreter's own components, of classes and modules, have tens
// of thousands of members, and nobody cuts them apart.
enum { ROUNDS = 512, HOPS = 1 << 21 };

// Reports show the first cycle, so it is worth more visits.
enum { FIRST_VISITS = 40000, LATER_VISITS = 4000 };

typedef struct cutting {
    const lg__hop_walk *walk;
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
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, source);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
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
    const lg__folds *fold = state->walk->fold;
    uint32_t owner = lg__seen_node(fold, cut.source);
    if (!remove_edge(state, cut.edge))
        return false;
    if (!lg__reference_is_attribute(state->graph, fold, cut))
        return true;
    bool enough = remove_double(state, cut, owner);
    const lg_edge_range edges = lg_columns_edges(columns, owner);
    for (uint64_t edge = edges.begin; edge < edges.end && enough; edge++)
        if (lg__edge_opens(state->walk, owner, edge))
            enough =
                remove_double(state, cut, lg_columns_target(columns, edge));
    return enough;
}

static void
restore(cutting *state)
{
    for (size_t i = 0; i < state->removed_count; i++)
        state->notes->gone[state->removed[i] / 8] = 0;
}

// What to compare a reference with. Alike references have the same name,
// between objects of the same categories.
typedef struct likeness {
    const lg__hop_walk *walk;
    lg__reference reference;
} likeness;

static likeness
likeness_of(const lg__hop_walk *walk, const lg_hop *hop)
{
    return (likeness){walk, lg__hop_reference(walk->graph, hop)};
}

// Returns the category of the object itself, or of the one that owns it as a
// namespace or a part of a closure.
static lg_category
owner_category(const likeness *to, uint32_t node)
{
    return lg__node_category(to->walk->graph,
                             lg__seen_node(to->walk->fold, node));
}

static bool
is_attribute(const likeness *to, lg__reference reference)
{
    return lg__reference_is_attribute(to->walk->graph, to->walk->fold,
                                      reference);
}

static bool
is_element(const likeness *to, lg__reference reference)
{
    unsigned kind = lg__edge_kind(to->walk->graph, reference.edge);
    return kind == LG_EDGE_INDEX || kind == LG_EDGE_ELEMENT ||
           kind == LG_EDGE_KEY ||
           (kind == LG_EDGE_VALUE && !is_attribute(to, reference));
}

// Returns whether a reference has the name. All elements of a kind have one
// name, whatever their index, key or rank.
static bool
has_the_name(const likeness *to, lg__reference reference)
{
    const lg_graph *graph = to->walk->graph;
    const lg_columns *columns = &graph->columns;
    uint64_t edge = reference.edge;
    uint64_t cut = to->reference.edge;
    if (is_attribute(to, reference) && is_attribute(to, to->reference))
        return lg__string_same(lg__edge_name(graph, edge),
                               lg__edge_name(graph, cut));
    return lg__edge_kind(graph, edge) == lg__edge_kind(graph, cut) &&
           (is_element(to, reference) ? is_element(to, to->reference)
                                      : lg_columns_payload(columns, edge) ==
                                            lg_columns_payload(columns, cut));
}

static bool
is_like(const likeness *to, lg__reference reference)
{
    const lg_graph *graph = to->walk->graph;
    const lg_columns *columns = &graph->columns;
    return has_the_name(to, reference) &&
           owner_category(to, reference.source) ==
               owner_category(to, to->reference.source) &&
           lg__node_category(graph,
                             lg_columns_target(columns, reference.edge)) ==
               lg__node_category(
                   graph, lg_columns_target(columns, to->reference.edge));
}

// Returns the cut that a reference is like, or NULL.
static lg_cycle_cut *
find_cut(const cutting *state, lg__reference reference)
{
    for (size_t i = 0; i < state->cycle->cut_count; i++) {
        lg_cycle_cut *cut = &state->cycle->cuts[i];
        likeness known = likeness_of(state->walk, &cut->hop);
        if (is_like(&known, reference))
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
name_cut(cutting *state, const lg_hop *hop, lg_cut_reason reason)
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
    likeness cut = likeness_of(state->walk, hop);
    lg_cycle_cut *known = named ? find_cut(state, cut.reference) : NULL;
    size_t count = 0;
    uint32_t start =
        lg_columns_target(&state->graph->columns, cut.reference.edge);
    uint64_t *back = members_back_edges(state->graph, members, start, &count);
    bool enough = back != NULL;
    for (size_t i = 0; i < count && enough; i++) {
        lg__reference one = {lg_edge_source(state->graph, back[i]), back[i]};
        if (is_gone(state, back[i]) || !is_like(&cut, one) ||
            (named && !lg__edge_can_be_cut(state->graph, back[i])))
            continue;
        enough = remove_reference(state, one);
        if (named && known == NULL)
            state->cycle->more++;
        else if (known != NULL)
            enough = enough && add_alike(known, back[i]);
    }
    lg__free(back);
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
note_left(cutting *state, lg_cut_reason reason)
{
    if (state->cycle->left == LG_CUT_NONE)
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

static void
drop_part(cutting *state)
{
    state->node_count -= state->size[--state->part_count];
}

// Replaces the last part by what is left of it. The new parts are disjoint
// subsets of the old one, and each has a member. So neither `nodes` nor `size`
// ever needs more room than the component has members.
static bool
split_part(cutting *state, const lg__members *members)
{
    lg__splits parts;
    if (!members_split(state->graph, members, &parts))
        return false;
    drop_part(state);
    uint32_t end = parts.count > 0 ? parts.end[parts.count - 1] : 0;
    memcpy(state->nodes + state->node_count, parts.nodes,
           end * sizeof *state->nodes);
    state->node_count += end;
    for (uint32_t i = 0; i < parts.count; i++)
        state->size[state->part_count++] =
            parts.end[i] - (i > 0 ? parts.end[i - 1] : 0);
    splits_free(&parts);
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
    uint32_t *nodes = lg__alloc(2 * (size_t)members->count * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    memcpy(nodes, members->nodes, members->count * sizeof *nodes);
    lg__members whole = {nodes, members->count, members->notes};
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t owner = lg__fold_owner(state->walk->fold, nodes[i]);
        if (owner == LG_NONE || lg__members_find(&whole, owner) != LG_NONE)
            continue;
        state->notes->rank[owner] = whole.count;
        nodes[whole.count++] = owner;
    }
    lg_status status = LG_OK;
    if (whole.count > members->count)
        status = lg__shortest_cycle_find(state->walk, &whole, &state->effort,
                                         found, err);
    lg__free(nodes);
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
    lg_cut_reason library =
        lg__rule_of_library(state->graph, members.nodes, count);
    lg_hops found = {0};
    lg_status status = LG_OK;
    if (library == LG_CUT_NONE || state->cycle->shortest.count == 0)
        status = lg__shortest_cycle_find(state->walk, &members, &state->effort,
                                         &found, err);
    bool folded = found.count == 0;
    if (status == LG_OK && folded && state->cycle->shortest.count == 0)
        status = find_folded(state, &members, &found, err);
    // A search that fails finds nothing, and its status ends the loop.
    state->effort.visits = LATER_VISITS;
    state->effort.hops += count;
    if (library != LG_CUT_NONE || folded) {
        note_left(state, library != LG_CUT_NONE ? library : LG_STAYS_FOLDED);
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

// Looks at the last part until none is left. A round drops the part, or removes
// at least one edge that was not gone, so the loop would end without its
// limits, too. They bound the time: a round costs a search for a cycle and a
// walk over the edges of the part.
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

// The rank of what is not in the component.
enum { OUTSIDE = 5 };

static unsigned
first_rank(const lg_graph *graph, uint32_t node)
{
    if (lg_columns_flags(&graph->columns, node) & LG_NODE_CPP)
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

// Turns the cycle by reversing both parts and then the whole.
static void
turn(lg_hops *round_trip, size_t first)
{
    const size_t size = sizeof *round_trip->items;
    lg__items_reverse(round_trip->items, first, size);
    lg__items_reverse(round_trip->items + first, round_trip->count - first,
                      size);
    lg__items_reverse(round_trip->items, round_trip->count, size);
}

// Turns a cycle so that it begins with a member, one of the program if
// possible, and the hop to cut comes late. Updates `cut`, the index of that
// hop; the count of hops means none.
static void
turn_shortest(const lg_graph *graph, const lg_component *component,
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

lg_status
lg__cycle_cut(const lg__hop_walk *walk, const lg_component *component,
              lg__cycle_notes *notes, lg_cycle *cycle, lg_error *err)
{
    size_t count = component->count;
    cutting state = {
        .walk = walk,
        .graph = walk->graph,
        .notes = notes,
        .cycle = cycle,
        .nodes = lg__alloc((count + 1) * sizeof(uint32_t)),
        .size = lg__alloc((count + 1) * sizeof(uint32_t)),
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
        turn_shortest(state.graph, component, &cycle->shortest, &cycle->cut);

done:
    restore(&state);
    lg__free(state.removed);
    lg__free(state.nodes);
    lg__free(state.size);
    return status;
}

// The components of an analysis, with what each retains.
#include "analysis/analysis_private.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// What components dominate collectively. The analysis stores it, because the
// dominator tree does not contain it.

static bool
collective_add(lg_analysis *analysis, uint32_t node, uint32_t by)
{
    lg_allocator allocator = lg_allocator_default();
    lg__collective *entry =
        lg__vector_extend(&allocator, &analysis->collective, 1);
    if (entry == NULL)
        return false;
    *entry = (lg__collective){node, by};
    return true;
}

static int
compare_collective(const void *left, const void *right)
{
    const lg__collective *a = left;
    const lg__collective *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void
collective_sort(lg_analysis *analysis)
{
    if (analysis->collective.count > 0)
        qsort(analysis->collective.data, analysis->collective.count,
              sizeof(lg__collective), compare_collective);
}

uint32_t
lg__collective_find(const lg_analysis *analysis, uint32_t node)
{
    const lg__collective key = {node, 0};
    const lg__collective *found = analysis->collective.count == 0
                                      ? NULL
                                      : bsearch(&key, analysis->collective.data,
                                                analysis->collective.count,
                                                sizeof key, compare_collective);
    return found == NULL ? LG_NONE : found->by;
}

static int
by_component(const void *left, const void *right)
{
    const lg__collective_of *a = left;
    const lg__collective_of *b = right;
    if (a->component != b->component)
        return a->component < b->component ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

lg_status
lg__collective_index(lg_analysis *analysis, lg_error *err)
{
    size_t count = analysis->collective.count;
    const lg__collective *entries = analysis->collective.data;
    lg__collective_of *index = lg__alloc((count + 1) * sizeof *index);
    if (index == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        index[i] = (lg__collective_of){
            lg_node_component(analysis, entries[i].by), entries[i].node};
    qsort(index, count, sizeof *index, by_component);
    analysis->collective_by = index;
    return LG_OK;
}

const lg__collective_of *
lg__collective_list(const lg_analysis *analysis, uint32_t component,
                    size_t *count)
{
    const lg__collective_of *index = analysis->collective_by;
    size_t end = analysis->collective.count;
    size_t first = lg_items_place(
        index, end, LG_ITEM_KEY(lg__collective_of, component), component);
    *count = 0;
    while (first + *count < end && index[first + *count].component == component)
        ++*count;
    return index + first;
}

// Finds which component dominates which nodes collectively. Meanwhile, a node's
// part is the component with several entries that it is in, or the one that
// dominates it collectively.
//
// What is known of a candidate only rises: from LG_NONE, while no late node has
// been seen to refer to it, over the component that holds all that has been
// seen so far, to `none`. Nodes come in the order of dominators, so a component
// has met all that refers to it when its first member comes. It is settled
// then, and the tree in which others meet is final above them.

typedef struct search {
    const lg__dominator_builder *building;
    lg__branches *component;
    uint32_t none; // the component that means none
    bool roots[2]; // whether the super-root, or the root of garbage, is a top
} search;

static const lg__component_span *
components(const lg__dominator_builder *building)
{
    return building->components.data;
}

// No node has a part. Returns false when memory ran out.
static bool
begin_parts(lg__dominator_builder *building)
{
    size_t nodes = building->graph->columns.node_count;
    lg__free(building->part);
    building->part = lg__sparse_calloc(nodes + 1, sizeof *building->part);
    return building->part != NULL;
}

// The part of a node, or LG_NONE.
static inline uint32_t
part_of(const lg__dominator_builder *building, uint32_t node)
{
    return building->part[node] - 1;
}

static bool
has_many_entries(const lg__dominator_builder *building, uint32_t k)
{
    return building->mark[building->order[components(building)[k].begin]] &
           LG__MARK_MANY;
}

// Marks the dominators of components with several entries. Returns the number
// of such components.
static uint32_t
mark_tops(search *state)
{
    const lg__dominator_builder *building = state->building;
    uint32_t root = lg__dominators_root(building);
    uint32_t count = 0;
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t first = building->order[components(building)[k].begin];
        uint32_t top = building->branches.parent[first];
        if (!has_many_entries(building, k))
            continue;
        count++;
        if (top < root)
            building->mark[top] |= LG__MARK_TOP;
        else
            state->roots[top - root] = true;
    }
    return count;
}

// Marks candidates: entries of components with several entries, and nodes that
// such a component may dominate collectively. Only late nodes refer to a
// candidate.
static void
mark_candidates(search *state)
{
    const lg__dominator_builder *building = state->building;
    uint32_t root = lg__dominators_root(building);
    for (uint32_t node = 0; node < root; node++) {
        uint8_t *mark = &building->mark[node];
        uint32_t top = building->branches.parent[node];
        bool below = top < root ? building->mark[top] & LG__MARK_TOP
                                : state->roots[top - root];
        bool inner = *mark & LG__MARK_INNER;
        *mark &= (uint8_t)~LG__MARK_CANDIDATE;
        if (below && !inner && !(*mark & LG__MARK_EARLY))
            *mark |= LG__MARK_CANDIDATE;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        lg__component_span component = components(building)[k];
        if (!has_many_entries(building, k))
            continue;
        state->component->parent[k] = component.early ? state->none : LG_NONE;
        for (uint32_t i = component.begin; i < component.end; i++) {
            uint32_t member = building->order[i];
            building->part[member] = k + 1;
            if (component.early)
                building->mark[member] &= (uint8_t)~LG__MARK_CANDIDATE;
        }
    }
}

// Returns the component that holds a node whose dominator is `top`: the node's
// own component, unless it contains `top`; else the component that dominates
// the node collectively, or none.
static uint32_t
holder(const search *state, uint32_t node, uint32_t top)
{
    const lg__dominator_builder *building = state->building;
    uint32_t by = building->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE)
                      ? part_of(building, node)
                      : state->none;
    return top < lg__dominators_root(building) && part_of(building, top) == by
               ? state->none
               : by;
}

// Records an edge from a late node to a candidate. Below the candidate's
// dominator, exactly one child leads to the node that refers to the candidate.
// If that child is the candidate itself, the path has been at the candidate
// before and tells nothing. Otherwise the candidate is held by what holds the
// child, or by what that has in common with what was known.
static void
show_edge(const search *state, uint32_t node, uint32_t target)
{
    const lg__dominator_builder *building = state->building;
    uint32_t top = building->branches.parent[target];
    bool many = building->mark[target] & LG__MARK_MANY;
    uint32_t own = many ? part_of(building, target) : LG_NONE;
    uint32_t known =
        many ? state->component->parent[own] : part_of(building, target);
    uint32_t by = state->none;
    if (node != top) {
        uint32_t below =
            lg__branch_ancestor(&building->branches, node,
                                lg__branch_depth(&building->branches, top) + 1);
        if (below == target)
            return;
        by = holder(state, below, top);
    }
    if (by == own || known == by || known == state->none)
        return;
    if (known != LG_NONE)
        by = lg__branch_meet(state->component, known, by);
    if (many)
        state->component->parent[own] = by;
    else
        building->part[target] = by + 1;
}

static void
show_edges(const search *state, uint32_t node)
{
    const lg__dominator_builder *building = state->building;
    const lg_columns *columns = &building->graph->columns;
    unsigned asked = lg__dominators_barred(building, node) | LG__MARK_CANDIDATE;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if ((building->mark[target] & asked) == LG__MARK_CANDIDATE &&
            !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK))
            show_edge(state, node, target);
    }
}

static lg_status
search_all(const search *state, lg_error *err)
{
    const lg__dominator_builder *building = state->building;
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t left = state->none;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = building->order[i];
        if (left > 0 && components(building)[left - 1].begin == i &&
            has_many_entries(building, --left))
            lg__branch_settle(state->component, left);
        if (!(building->mark[node] & LG__MARK_EARLY))
            show_edges(state, node);
        if (!lg__dominators_goes_on(building, "weighing components", i, nodes,
                                    err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// Adds a component that dominates another. The first member of a component
// represents it in both columns.
static bool
list_collective(const search *state, lg_analysis *analysis)
{
    const lg__dominator_builder *building = state->building;
    const uint32_t *order = building->order;
    for (uint32_t node = 0; node < lg__dominators_root(building); node++) {
        unsigned mark =
            building->mark[node] & (LG__MARK_MANY | LG__MARK_CANDIDATE);
        uint32_t by = part_of(building, node);
        if (mark == LG__MARK_CANDIDATE && by != state->none &&
            !collective_add(analysis, node,
                            order[components(building)[by].begin]))
            return false;
    }
    for (uint32_t k = 0; k < state->none; k++) {
        uint32_t by = state->component->parent[k];
        if (has_many_entries(building, k) && by != state->none &&
            !collective_add(analysis, order[components(building)[k].begin],
                            order[components(building)[by].begin]))
            return false;
    }
    collective_sort(analysis);
    return true;
}

lg_status
lg__components_relate(lg_analysis *analysis, lg__dominator_builder *building,
                      lg_error *err)
{
    const uint32_t count = (uint32_t)building->components.count;
    if (!lg__branches_open((size_t)count + 1, &building->component))
        return lg__error_memory(err);
    search state = {
        .building = building, .component = &building->component, .none = count};
    for (uint32_t k = 0; k <= count; k++)
        building->component.parent[k] = count;
    if (mark_tops(&state) == 0)
        return LG_OK;
    if (!begin_parts(building))
        return lg__error_memory(err);
    mark_candidates(&state);
    lg_status status = search_all(&state, err);
    if (status == LG_OK && !list_collective(&state, analysis))
        status = lg__error_memory(err);
    return status;
}

// Adds up what components hold: what is below the members that have the
// component's dominator, and below what it dominates collectively. Each
// component comes before those that dominate it.
static void
add_held(const lg__dominator_builder *building, const lg_analysis *analysis,
         uint32_t device, uint64_t *bytes)
{
    const lg__collective *collective = analysis->collective.data;
    const uint32_t count = (uint32_t)building->components.count;
    memset(bytes, 0, count * sizeof *bytes);
    for (size_t i = 0; i < analysis->collective.count; i++)
        if (!(building->mark[collective[i].node] & LG__MARK_MANY))
            bytes[part_of(building, collective[i].by)] +=
                lg__dominated_on(analysis, collective[i].node, device);
    for (uint32_t k = 0; k < count; k++) {
        lg__component_span component = components(building)[k];
        uint32_t top = analysis->dominator[building->order[component.begin]];
        uint32_t above = building->component.parent[k];
        for (uint32_t i = component.begin; i < component.end; i++)
            if (analysis->dominator[building->order[i]] == top)
                bytes[k] +=
                    lg__dominated_on(analysis, building->order[i], device);
        if (above != count)
            bytes[above] += bytes[k];
    }
}

typedef struct weighed {
    uint64_t all; // bytes on the host and all devices
    uint64_t host;
    uint32_t index; // index in the builder, before sorting
    uint32_t node;  // the lowest member
    uint32_t count; // number of members
} weighed;

typedef struct listing {
    lg_analysis *analysis;
    lg__dominator_builder *building;
    weighed *items;
    uint32_t count;
} listing;

static int
compare_weighed(const void *left, const void *right)
{
    const weighed *a = left;
    const weighed *b = right;
    if (a->all != b->all)
        return a->all > b->all ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool
add_bytes(listing *state, uint32_t device, const uint64_t *bytes)
{
    for (uint32_t k = 0; k < state->count; k++) {
        state->items[k].all += bytes[k];
        if (device == 0)
            state->items[k].host = bytes[k];
        else if (!lg__on_device_add(&state->analysis->component_device, device,
                                    k, bytes[k]))
            return false;
    }
    return true;
}

static lg_status
weigh(listing *state, lg_error *err)
{
    const lg_analysis *analysis = state->analysis;
    uint32_t devices =
        analysis->device.count > 0 ? analysis->graph->device_count : 0;
    uint64_t *bytes = lg__alloc(((size_t)state->count + 1) * sizeof *bytes);
    if (bytes == NULL)
        return lg__error_memory(err);
    lg_status status = LG_OK;
    for (uint32_t device = 0; device <= devices && status == LG_OK; device++) {
        add_held(state->building, analysis, device, bytes);
        if (!add_bytes(state, device, bytes))
            status = lg__error_memory(err);
    }
    lg__free(bytes);
    return status;
}

static void
name_components(listing *state)
{
    const lg__dominator_builder *building = state->building;
    for (uint32_t k = 0; k < state->count; k++) {
        const lg__component_span span = components(building)[k];
        weighed *item = &state->items[k];
        item->index = k;
        item->node = LG_NONE;
        item->count = span.end - span.begin;
        for (uint32_t i = span.begin; i < span.end; i++)
            if (building->order[i] < item->node)
                item->node = building->order[i];
    }
}

static int
compare_on_device(const void *left, const void *right)
{
    const lg__on_device *a = left;
    const lg__on_device *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// Replaces the builder's number of each component by its place in the list.
// Returns false when memory ran out.
static bool
rank_on_devices(const listing *state)
{
    lg__on_device *entries = state->analysis->component_device.data;
    const size_t count = state->analysis->component_device.count;
    if (count == 0)
        return true;
    uint32_t *rank = lg__alloc(state->count * sizeof *rank);
    if (rank == NULL)
        return false;
    for (uint32_t k = 0; k < state->count; k++)
        rank[state->items[k].index] = k;
    for (size_t i = 0; i < count; i++)
        entries[i].node = rank[entries[i].node];
    qsort(entries, count, sizeof *entries, compare_on_device);
    lg__free(rank);
    return true;
}

// Lists the members component by component.
static void
list_members(const listing *state)
{
    lg_analysis *analysis = state->analysis;
    const lg__dominator_builder *building = state->building;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < state->count; k++) {
        const lg__component_span span =
            components(building)[state->items[k].index];
        analysis->component_first[k] = sum;
        analysis->component_host[k] = state->items[k].host;
        for (uint32_t i = span.begin; i < span.end; i++)
            analysis->member[sum++] = (lg__member){building->order[i], k};
    }
    analysis->component_first[state->count] = sum;
}

// Sorts the members by node, and then each goes to its component: so those of a
// component ascend, too. Returns false when memory ran out. While members are
// dealt out, first[k] is the place of the next member of component k, so in the
// end it is where component k + 1 begins. Moving the array up by one restores
// it.
static bool
sort_members(lg_analysis *analysis)
{
    const lg_allocator allocator = lg_allocator_default();
    const uint32_t count = analysis->component_count;
    uint32_t *first = analysis->component_first;
    const uint32_t members = first[count];
    lg__member *member = analysis->member;
    if (!lg__radix_sort(&allocator, member, members, sizeof *member))
        return false;
    for (uint32_t i = 0; i < members; i++)
        analysis->component_node[first[member[i].component]++] = member[i].node;
    memmove(first + 1, first, count * sizeof *first);
    first[0] = 0;
    return true;
}

static bool
make_room(lg_analysis *analysis, size_t count, size_t members)
{
    analysis->component_first = lg__alloc((count + 1) * sizeof(uint32_t));
    analysis->component_host = lg__alloc((count + 1) * sizeof(uint64_t));
    analysis->component_node = lg__alloc((members + 1) * sizeof(uint32_t));
    analysis->member = lg__alloc((members + 1) * sizeof(lg__member));
    return analysis->component_first && analysis->component_host &&
           analysis->component_node && analysis->member;
}

static void
forget_collective_dominators(lg__dominator_builder *building)
{
    lg__branches_free(&building->component);
    lg__free(building->part);
    building->part = NULL;
}

lg_status
lg__components_keep(lg_analysis *analysis, lg__dominator_builder *building,
                    lg_error *err)
{
    size_t count = building->components.count;
    size_t members = 0;
    for (size_t k = 0; k < count; k++)
        members += components(building)[k].end - components(building)[k].begin;
    listing state = {
        .analysis = analysis,
        .building = building,
        .count = (uint32_t)count,
        .items = lg__calloc(count + 1, sizeof(weighed)),
    };
    bool enough = state.items && make_room(analysis, count, members);
    lg_status status = enough ? weigh(&state, err) : lg__error_memory(err);
    forget_collective_dominators(building);
    if (status == LG_OK) {
        analysis->component_count = state.count;
        name_components(&state);
        qsort(state.items, count, sizeof *state.items, compare_weighed);
        enough = rank_on_devices(&state);
        list_members(&state);
    }
    lg__free(state.items);
    if (status == LG_OK && !(enough && sort_members(analysis)))
        status = lg__error_memory(err);
    return status;
}

static int
compare_members(const void *left, const void *right)
{
    const lg__member *a = left;
    const lg__member *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

void
lg__components_list(lg_analysis *analysis)
{
    uint32_t members = analysis->component_first[analysis->component_count];
    for (uint32_t k = 0; k < analysis->component_count; k++)
        for (uint32_t i = analysis->component_first[k];
             i < analysis->component_first[k + 1]; i++)
            analysis->member[i] = (lg__member){analysis->component_node[i], k};
    qsort(analysis->member, members, sizeof *analysis->member, compare_members);
}

// Questions about the components.

uint32_t
lg_analysis_component_count(const lg_analysis *analysis)
{
    return analysis->component_count;
}

uint32_t
lg_node_component(const lg_analysis *analysis, lg_node node)
{
    const lg__member *found = lg_items_find(
        analysis->member, analysis->component_first[analysis->component_count],
        LG_ITEM_KEY(lg__member, node), node);
    return found != NULL ? found->component : LG_NONE;
}

uint64_t
lg_component_retained_on(const lg_analysis *analysis, uint32_t component,
                         uint32_t device)
{
    if (device == 0)
        return analysis->component_host[component];
    return lg__on_device_find(&analysis->component_device, device, component);
}

lg_component
lg_analysis_component(const lg_analysis *analysis, uint32_t index)
{
    uint32_t first = analysis->component_first[index];
    const uint32_t *nodes = analysis->component_node + first;
    lg_bytes retained = {analysis->component_host[index], 0};
    for (uint32_t device = 1; device <= analysis->graph->device_count; device++)
        retained.devices += lg_component_retained_on(analysis, index, device);
    return (lg_component){
        .nodes = nodes,
        .count = analysis->component_first[index + 1] - first,
        .retained = retained,
        .reachable = (analysis->policy.mark[*nodes] & LG__MARK_LIVE) != 0,
    };
}

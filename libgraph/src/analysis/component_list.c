// The components of an analysis, with what each retains.
#include "analysis/contract.h"

#include <stdlib.h>
#include <string.h>

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
    uint64_t *bytes =
        lg__wide_alloc(((size_t)state->count + 1) * sizeof *bytes);
    if (bytes == NULL)
        return lg__error_memory(err);
    lg__contraction contracted;
    lg_status status =
        lg__contraction_new(state->analysis, state->building, &contracted, err);
    for (uint32_t device = 0; device <= devices && status == LG_OK; device++) {
        lg__contraction_weigh(&contracted, analysis, device, bytes);
        if (!add_bytes(state, device, bytes))
            status = lg__error_memory(err);
    }
    lg__contraction_free(&contracted);
    lg__wide_free(bytes);
    return status;
}

// Returns the component of every node, or LG_NONE. Overwrites the places of
// members in the order.
static const uint32_t *
name_components(listing *state)
{
    const lg__dominator_builder *building = state->building;
    const lg__component_span *components = building->components.data;
    uint32_t nodes = building->graph->columns.node_count;
    memset(building->place, 0xff, nodes * sizeof *building->place);
    for (uint32_t k = 0; k < state->count; k++) {
        weighed *item = &state->items[k];
        item->index = k;
        item->node = LG_NONE;
        item->count = components[k].end - components[k].begin;
        for (uint32_t i = components[k].begin; i < components[k].end; i++) {
            uint32_t node = building->order[i];
            building->place[node] = k;
            item->node = node < item->node ? node : item->node;
        }
    }
    return building->place;
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

// rank[k] is the sorted position of the builder's component k.
static void
fill(const listing *state, const uint32_t *component, const uint32_t *rank,
     uint32_t *next)
{
    lg_analysis *analysis = state->analysis;
    uint32_t sum = 0;
    for (uint32_t k = 0; k < state->count; k++) {
        analysis->component_first[k] = next[k] = sum;
        analysis->component_host[k] = state->items[k].host;
        sum += state->items[k].count;
    }
    analysis->component_first[state->count] = sum;
    lg__member *member = analysis->member;
    for (uint32_t node = 0; member < analysis->member + sum; node++) {
        if (component[node] == LG_NONE)
            continue;
        uint32_t k = rank[component[node]];
        analysis->component_node[next[k]++] = node;
        *member++ = (lg__member){node, k};
    }
    lg__on_device *entries = analysis->component_device.data;
    size_t count = analysis->component_device.count;
    for (size_t i = 0; i < count; i++)
        entries[i].node = rank[entries[i].node];
    if (count > 0)
        qsort(entries, count, sizeof *entries, compare_on_device);
}

static bool
make_room(lg_analysis *analysis, size_t count, size_t members)
{
    analysis->component_first = lg__wide_alloc((count + 1) * sizeof(uint32_t));
    analysis->component_host = lg__wide_alloc((count + 1) * sizeof(uint64_t));
    analysis->component_node = lg__wide_alloc((members + 1) * sizeof(uint32_t));
    analysis->member = lg__wide_alloc((members + 1) * sizeof(lg__member));
    return analysis->component_first && analysis->component_host &&
           analysis->component_node && analysis->member;
}

lg_status
lg__components_keep(lg_analysis *analysis, lg__dominator_builder *building,
                    lg_error *err)
{
    const lg__component_span *components = building->components.data;
    size_t count = building->components.count;
    size_t members = 0;
    for (size_t k = 0; k < count; k++)
        members += components[k].end - components[k].begin;
    listing state = {
        .analysis = analysis,
        .building = building,
        .count = (uint32_t)count,
        .items = lg__wide_calloc(count + 1, sizeof(weighed)),
    };
    uint32_t *rank = lg__wide_alloc((2 * count + 1) * sizeof *rank);
    bool enough = state.items && rank && make_room(analysis, count, members);
    lg_status status = enough ? weigh(&state, err) : lg__error_memory(err);
    if (status == LG_OK) {
        analysis->component_count = state.count;
        const uint32_t *component = name_components(&state);
        qsort(state.items, count, sizeof *state.items, compare_weighed);
        for (uint32_t k = 0; k < count; k++)
            rank[state.items[k].index] = k;
        fill(&state, component, rank, rank + count);
    }
    lg__wide_free(state.items);
    lg__wide_free(rank);
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

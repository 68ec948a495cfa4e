// The components as cycles: what kind each is, which of them were asked for,
// and the shortest way around.
#include "cycles/cycles_private.h"

#include <leakgraph/options.h>

#include <stdlib.h>

enum { HELD_BYTES_SHOWN = 1 << 20 };

typedef struct listing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_cycle_options options;
    lg__walk walk;
    lg__uncollectable uncollectable;
    uint8_t *collectable; // [node]
    bool *wanted;         // [type]
    uint8_t *holding;     // [component]
    lg_cycles cycles;
} listing;

// From CPython 3.13 on the collector may look past a namespace whose values lie
// in its owner: the dict goes when the owner does.
static bool
is_freed(const listing *state, uint32_t node)
{
    uint32_t owner = state->walk.fold[node].owner;
    return state->collectable[node] ||
           (owner != LG_NONE && state->collectable[owner]);
}

static bool
is_collectable(const listing *state, const lg_component *component)
{
    const uint16_t *flags = state->graph->columns.node_flags;
    uint32_t tracked = 0;
    for (uint32_t i = 0; i < component->count; i++) {
        if (!(flags[component->nodes[i]] & LG_NODE_TRACKED))
            continue;
        if (!is_freed(state, component->nodes[i]))
            return false;
        tracked++;
    }
    return tracked > 0;
}

// A culprit of the component's own says more than one before it.
static uint32_t
find_culprit(const listing *state, const lg_component *component,
             uint32_t index)
{
    const uint32_t *culprits = state->uncollectable.culprit;
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t culprit = culprits[component->nodes[i]];
        if (culprit != LG_NONE &&
            lg_node_component(state->analysis, culprit) == index)
            return culprit;
    }
    return culprits[component->nodes[0]];
}

static lg_category
category_of(const listing *state, uint32_t node)
{
    uint32_t type = state->graph->columns.type[node];
    return lg_graph_type(state->graph, type).category;
}

// C code keeps the classes that it makes and the functions that are registered
// with it, and every class is a component: each process would be full of leaks.
static bool
is_kept_program(const listing *state, const lg_component *component,
                const lg_cycle *cycle)
{
    if (cycle->reason != LG_REASON_NATIVE || cycle->culprit == LG_NONE)
        return false;
    lg_category culprit = category_of(state, cycle->culprit);
    if (culprit != LG_CATEGORY_TYPE && culprit != LG_CATEGORY_FUNCTION)
        return false;
    for (uint32_t i = 0; i < component->count; i++)
        if (category_of(state, component->nodes[i]) == LG_CATEGORY_TYPE)
            return true;
    return false;
}

static lg_cycle
judge(const listing *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    lg_cycle cycle = {
        .component = index, .culprit = LG_NONE, .retained = component.retained};
    if (is_collectable(state, &component)) {
        cycle.kind = LG_CYCLE_COLLECTABLE;
    } else if (state->uncollectable.held[component.nodes[0]]) {
        cycle.kind = LG_CYCLE_HELD;
    } else {
        cycle.kind = LG_CYCLE_UNCOLLECTABLE;
        cycle.reason =
            (lg_cycle_reason)state->uncollectable.reason[component.nodes[0]];
        cycle.culprit = find_culprit(state, &component, index);
    }
    if (is_kept_program(state, &component, &cycle)) {
        cycle.kind = LG_CYCLE_HELD;
        cycle.reason = LG_REASON_NONE;
        cycle.culprit = LG_NONE;
    }
    return cycle;
}

static bool
is_asked_for(const listing *state, const lg_cycle *cycle)
{
    const lg_cycle_options *options = &state->options;
    uint64_t bytes = cycle->retained.host + cycle->retained.device;
    bool holding = state->holding[cycle->component] != 0;
    if (options->kinds != 0 && !(options->kinds >> cycle->kind & 1u))
        return false;
    if ((options->holding != NULL || options->holding_type != NULL) && !holding)
        return false;
    if (options->min_bytes >= 0)
        return bytes >= (uint64_t)options->min_bytes;
    return cycle->kind != LG_CYCLE_HELD || bytes >= HELD_BYTES_SHOWN || holding;
}

static lg_status
draw(const listing *state, lg_cycle *cycle, lg_error *err)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    lg__members members = {component.nodes, component.count};
    lg_status status =
        lg__shortest_cycle_find(&state->walk, &members, &cycle->shortest, err);
    cycle->cut_reason = "";
    if (status != LG_OK || cycle->shortest.count == 0)
        return status;
    const char *reason = lg__shortest_cycle_cut(
        &state->walk, &members, &cycle->shortest, &cycle->cut, &cycle->alike);
    if (reason == NULL) {
        lg_hops_free(&cycle->shortest);
        return lg__error_memory(err);
    }
    cycle->cut_reason = reason;
    return LG_OK;
}

static lg_status
append(listing *state, const lg_cycle *cycle, lg_error *err)
{
    lg_cycles *all = &state->cycles;
    if ((all->count & (all->count - 1)) == 0) {
        size_t capacity = all->count ? all->count * 2 : 1;
        lg_cycle *items = realloc(all->items, capacity * sizeof *items);
        if (items == NULL)
            return lg__error_memory(err);
        all->items = items;
    }
    all->items[all->count] = *cycle;
    lg_status status = draw(state, &all->items[all->count], err);
    if (status == LG_OK)
        all->count++;
    return status;
}

typedef struct ranked {
    uint64_t bytes;
    uint32_t component;
} ranked;

static int
biggest_first(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->component < b->component ? -1 : a->component > b->component;
}

// The components that were asked for.
static size_t
rank(listing *state, ranked *out)
{
    uint32_t device = state->options.device;
    size_t count = 0;
    for (uint32_t i = 0; i < lg_analysis_component_count(state->analysis);
         i++) {
        lg_cycle cycle = judge(state, i);
        if (!is_asked_for(state, &cycle))
            continue;
        state->cycles.of_kind[cycle.kind]++;
        out[count++] =
            (ranked){device == LG_NONE
                         ? cycle.retained.host + cycle.retained.device
                         : lg_component_retained_on(state->analysis, i, device),
                     i};
    }
    qsort(out, count, sizeof *out, biggest_first);
    return count;
}

static lg_status
list(listing *state, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    ranked *found = malloc(((size_t)components + 1) * sizeof *found);
    if (found == NULL)
        return lg__error_memory(err);
    size_t count = rank(state, found);
    size_t limit = state->options.limit;
    lg_status status = LG_OK;
    state->cycles.total = count;
    if (limit == 0 || limit > count)
        limit = count;
    for (size_t i = 0; i < limit && status == LG_OK; i++) {
        lg_cycle cycle = judge(state, found[i].component);
        status = lg__monitor_goes_on(state->monitor, "looking for cycles",
                                     (double)i / (double)limit, err)
                     ? append(state, &cycle, err)
                     : LG_ECANCELLED;
    }
    free(found);
    return status;
}

static lg_status
prepare(listing *state, lg_error *err)
{
    lg_status status =
        lg_graph_collectable(state->graph, &state->collectable, err);
    if (status == LG_OK)
        status =
            lg__uncollectable_new(state->graph, &state->uncollectable, err);
    if (status == LG_OK)
        status = lg__holding_types(state->graph, &state->options,
                                   &state->wanted, err);
    if (status == LG_OK)
        status = lg__components_holding(state->analysis, state->wanted,
                                        &state->holding, err);
    state->walk.graph = state->graph;
    state->walk.everything = true;
    state->walk.fold = lg__graph_folds(state->graph);
    if (status == LG_OK &&
        (state->walk.fold == NULL ||
         !lg__graph_reverse(state->graph, &state->walk.reverse)))
        status = lg__error_memory(err);
    return status;
}

lg_status
lg_analysis_cycles(const lg_analysis *analysis, const lg_cycle_options *options,
                   const lg_monitor *monitor, lg_cycles *out, lg_error *err)
{
    listing state = {
        .analysis = analysis,
        .graph = lg_analysis_graph(analysis),
        .monitor = monitor,
        .options = LG_CYCLE_OPTIONS_INIT,
    };
    lg_status status =
        lg_options_read(&state.options, options, "lg_cycle_options", err);
    if (status != LG_OK)
        return status;
    uint32_t device = state.options.device;
    status = device != LG_NONE && device > state.graph->device_count
                 ? lg_error_set(err, LG_EINVAL, "there is no device %u", device)
                 : prepare(&state, err);
    if (status == LG_OK)
        status = list(&state, err);
    if (status == LG_OK)
        *out = state.cycles;
    else
        lg_cycles_free(&state.cycles);
    lg__uncollectable_free(&state.uncollectable);
    free(state.collectable);
    free(state.wanted);
    free(state.holding);
    return status;
}

void
lg_cycles_free(lg_cycles *cycles)
{
    for (size_t i = 0; i < cycles->count; i++)
        lg_hops_free(&cycles->items[i].shortest);
    free(cycles->items);
    *cycles = (lg_cycles){0};
}

const char *
lg_cycle_kind_name(lg_cycle_kind kind)
{
    static const char *const names[] = {"collectable", "held", "uncollectable"};
    size_t index = (size_t)kind;
    return index < sizeof names / sizeof *names ? names[index] : "unknown";
}

// Lists components as cycles: the selected ones, and their order.
#include "answers/answers_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>

// Judges a component: the kind of its cycle, and whose it is.

// From CPython 3.13 on, the collector may look past a namespace whose values
// lie in its owner. The dict goes when the owner does.
static bool
is_freed(lg__cycle_search *state, uint32_t node)
{
    uint32_t owner = lg__fold_owner(state->walk.fold, node);
    return lg__liveness_collectable(&state->liveness, node) ||
           (owner != LG_NONE &&
            lg__liveness_collectable(&state->liveness, owner));
}

static bool
is_collectable(lg__cycle_search *state, const lg_component *component)
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

// Returns the culprit: one in the component if there is one, because it says
// more than one outside.
static uint32_t
find_culprit(const lg__cycle_search *state, const lg__uncollectable *known,
             const lg_component *component, uint32_t index)
{
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t culprit =
            lg__uncollectable_culprit(known, component->nodes[i]);
        if (culprit != LG_NONE &&
            lg_node_component(state->analysis, culprit) == index)
            return culprit;
    }
    return lg__uncollectable_culprit(known, component->nodes[0]);
}

static lg_category
category_of(const lg__cycle_search *state, uint32_t node)
{
    uint32_t type = state->graph->columns.type[node];
    return lg_graph_type(state->graph, type).category;
}

// Returns whether C code keeps the component for good: classes that it makes,
// and functions registered with it. Every class is a component, so without
// this, every process would be full of leaks.
static bool
is_kept_program(const lg__cycle_search *state, const lg_component *component,
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

static void
judge_kind(lg__cycle_search *state, const lg_component *component,
           lg_cycle *cycle)
{
    uint32_t first = component->nodes[0];
    if (is_collectable(state, component)) {
        cycle->kind = LG_CYCLE_COLLECTABLE;
        return;
    }
    cycle->kind = LG_CYCLE_HELD;
    if (lg__liveness_held(&state->liveness, first))
        return;
    const lg__uncollectable *known =
        lg__liveness_uncollectable(&state->liveness, first);
    if (known == NULL)
        return;
    lg_cycle alone = *cycle;
    alone.kind = LG_CYCLE_UNCOLLECTABLE;
    alone.reason = lg__uncollectable_reason(known, first);
    alone.culprit = find_culprit(state, known, component, cycle->component);
    if (!is_kept_program(state, component, &alone))
        *cycle = alone;
}

// Returns the library of a component without any object of the program: that of
// the first member that has one. A component that keeps a tensor or a figure
// has none.
static lg_string
find_library(const lg__cycle_search *state, const lg_component *component,
             uint32_t index)
{
    lg_string library = {"", 0};
    if (state->data[index])
        return library;
    if (lg__cycle_has_program(state->graph, component->nodes, component->count))
        return library;
    for (uint32_t i = 0; i < component->count; i++) {
        lg_string package;
        lg__origin origin =
            lg__node_origin(state->graph, component->nodes[i], &package);
        if (origin == LG__ORIGIN_LIBRARY && library.length == 0)
            library = package;
    }
    return library;
}

// Returns whether the component is a figure of matplotlib that nobody has any
// more. Its parts refer back to it in any program.
static bool
is_dropped_figure(const lg__cycle_search *state, const lg_component *component)
{
    bool figure = false;
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t node = component->nodes[i];
        if (lg__node_origin(state->graph, node, NULL) == LG__ORIGIN_PROGRAM)
            return false;
        figure |= category_of(state, node) == LG_CATEGORY_FIGURE;
    }
    return figure;
}

// Returns the cycle of a component with its kind, total, reason and culprit. It
// is wrong if the search's liveness has failed.
static lg_cycle
cycle_begin(lg__cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    lg_cycle cycle = {.component = index,
                      .culprit = LG_NONE,
                      .total =
                          component.retained.host + component.retained.devices};
    judge_kind(state, &component, &cycle);
    return cycle;
}

// Sets the library of a cycle, and whether it is a leak. This takes longer than
// to find the kind.
static void
cycle_judge_owner(const lg__cycle_search *state, lg_cycle *cycle)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    cycle->library = find_library(state, &component, cycle->component);
    cycle->is_leak = cycle->kind != LG_CYCLE_HELD &&
                     cycle->library.length == 0 &&
                     !(cycle->kind == LG_CYCLE_COLLECTABLE &&
                       is_dropped_figure(state, &component));
}

// Does both.
static lg_status
cycle_judge(lg__cycle_search *state, uint32_t index, lg_cycle *out,
            lg_error *err)
{
    lg_cycle cycle = cycle_begin(state, index);
    if (state->liveness.failed)
        return lg__error_memory(err);
    cycle_judge_owner(state, &cycle);
    *out = cycle;
    return LG_OK;
}

static bool
is_in_scope(lg__cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    for (uint32_t i = 0; i < component.count; i++)
        if (lg_scope_has(state->options.scope, component.nodes[i]))
            return true;
    return false;
}

// Returns whether native memory alone is a component: C code links its
// structures as it likes, and no collector asks for their counts.
static bool
is_of_native_code(const lg__cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    for (uint32_t i = 0; i < component.count; i++)
        if (!lg__node_is_native(state->graph, component.nodes[i]))
            return false;
    return true;
}

// A healthy process has many held cycles that retain little.
enum { HELD_BYTES_SHOWN = 1 << 20 };

// Counts the cycles that only their size leaves out, if nobody asked for a
// size.
static bool
is_asked_for(lg__cycle_search *state, const lg_cycle *cycle)
{
    const lg_cycle_options *options = &state->options;
    bool holding = state->holding[cycle->component] != 0;
    if (options->kinds != 0 && !(options->kinds >> cycle->kind & 1u))
        return false;
    if ((options->holding != NULL || options->holding_type != NULL) && !holding)
        return false;
    if (!is_in_scope(state, cycle->component))
        return false;
    if (options->min_bytes >= 0)
        return cycle->total >= (uint64_t)options->min_bytes;
    bool shown = cycle->kind != LG_CYCLE_HELD || holding ||
                 cycle->total >= HELD_BYTES_SHOWN;
    state->cycles.smaller += !shown;
    state->cycles.least = HELD_BYTES_SHOWN;
    return shown;
}

static lg_status
look_up(lg__cycle_search *state, lg_cycle cycle, bool *known, lg_error *err)
{
    const lg_baseline *baseline = state->options.baseline;
    *known = false;
    if (baseline == NULL || !cycle.is_leak)
        return LG_OK;
    lg_status status = lg__cycle_fill(state, &cycle, err);
    if (status == LG_OK)
        *known = lg_baseline_knows(baseline, LG_BASELINE_CYCLE, cycle.key);
    lg__cycle_clear(&cycle);
    return status;
}

// A cycle in its order: cycles of libraries come last.
typedef struct ranked {
    bool library;
    uint64_t bytes;
    uint32_t component;
} ranked;

static int
biggest_first(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->library != b->library)
        return a->library ? 1 : -1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->component < b->component ? -1 : a->component > b->component;
}

static ranked
count_in(lg__cycle_search *state, const lg_cycle *cycle)
{
    uint32_t device = state->options.device;
    uint64_t bytes = device == LG_NONE
                         ? cycle->total
                         : lg_component_retained_on(state->analysis,
                                                    cycle->component, device);
    state->cycles.of_kind[cycle->kind]++;
    state->cycles.leaks += cycle->is_leak;
    return (ranked){cycle->library.length > 0, bytes, cycle->component};
}

// Lists the selected components.
static lg_status
rank(lg__cycle_search *state, ranked *out, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    lg_status status = LG_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < components && status == LG_OK; i++) {
        bool known = false;
        if (is_of_native_code(state, i))
            continue;
        lg_cycle cycle = cycle_begin(state, i);
        if (!is_asked_for(state, &cycle))
            continue;
        cycle_judge_owner(state, &cycle);
        status = look_up(state, cycle, &known, err);
        if (status == LG_OK && known)
            state->cycles.known++;
        else if (status == LG_OK)
            out[count++] = count_in(state, &cycle);
    }
    if (state->liveness.failed)
        return lg__error_memory(err);
    qsort(out, count, sizeof *out, biggest_first);
    state->cycles.total = count;
    return status;
}

static lg_status
append(lg__cycle_search *state, uint32_t component, lg_error *err)
{
    lg_cycles *all = &state->cycles;
    lg_cycle cycle = {0};
    lg_status status = cycle_judge(state, component, &cycle, err);
    if (status == LG_OK)
        status = lg__cycle_fill(state, &cycle, err);
    if (status == LG_OK)
        all->items[all->count++] = cycle;
    else
        lg__cycle_clear(&cycle);
    return status;
}

// Cycles behind the limit count in the groups of those before it. More than so
// many take too long.
enum { GROUPED = 10000 };

// Leaves the first cycles, and the groups that begin among them.
static void
leave_first(lg_cycles *cycles, size_t limit)
{
    while (cycles->count > limit)
        lg__cycle_clear(&cycles->items[--cycles->count]);
    while (cycles->group_count > 0 &&
           cycles->groups[cycles->group_count - 1].first >= limit)
        lg__free(cycles->groups[--cycles->group_count].retained);
}

static lg_status
list(lg__cycle_search *state, const ranked *found, size_t count, lg_error *err)
{
    size_t limit = state->options.limit;
    lg_status status = LG_OK;
    if (limit == 0 || limit > count)
        limit = count;
    size_t grouped = count < GROUPED ? count : GROUPED;
    grouped = grouped > limit ? grouped : limit;
    state->cycles.items =
        lg__alloc((grouped + 1) * sizeof *state->cycles.items);
    if (state->cycles.items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < grouped && status == LG_OK; i++)
        status = lg__monitor_goes_on(state->monitor, "looking for cycles",
                                     (double)i / (double)grouped, err)
                     ? append(state, found[i].component, err)
                     : LG_ECANCELLED;
    if (status == LG_OK)
        status = lg__cycles_group(state, err);
    state->cycles.grouped = grouped;
    leave_first(&state->cycles, limit);
    return status;
}

static lg_status
list_asked_for(lg__cycle_search *state, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    ranked *found = lg__alloc(((size_t)components + 1) * sizeof *found);
    if (found == NULL)
        return lg__error_memory(err);
    lg_status status = rank(state, found, err);
    if (status == LG_OK)
        status = list(state, found, state->cycles.total, err);
    lg__free(found);
    return status;
}

// Finds the components that retain tensors or figures, and those that retain
// what the caller asked for, which is the same if nobody asked.
static lg_status
find_holding(lg__cycle_search *state, lg_error *err)
{
    const lg_cycle_options any = LG_CYCLE_OPTIONS_INIT;
    const lg_cycle_options *options = &state->options;
    lg_status status =
        lg__cycles_holding(state->analysis, &any, &state->data, err);
    if (options->holding == NULL && options->holding_type == NULL)
        state->holding = state->data;
    else if (status == LG_OK)
        status =
            lg__cycles_holding(state->analysis, options, &state->holding, err);
    return status;
}

static lg_status
prepare(lg__cycle_search *state, lg_error *err)
{
    const lg_graph *graph = state->graph;
    state->finder.graph = graph;
    state->walk.graph = graph;
    state->walk.everything = true;
    state->walk.fold = lg__graph_folds(graph);
    if (!lg__cycle_notes_new(graph, &state->notes) ||
        state->walk.fold == NULL ||
        !lg__graph_reverse(graph, &state->walk.reverse) ||
        !lg__liveness_new(graph, &state->liveness))
        return lg__error_memory(err);
    return find_holding(state, err);
}

static void
release(lg__cycle_search *state)
{
    lg__liveness_free(&state->liveness);
    lg__finder_free(&state->finder);
    if (state->holding != state->data)
        lg__free(state->holding);
    lg__free(state->data);
    lg__cycle_notes_free(&state->notes);
}

static lg__cycle_search
begin(const lg_analysis *analysis, const lg_monitor *monitor)
{
    return (lg__cycle_search){.analysis = analysis,
                              .graph = lg_analysis_graph(analysis),
                              .monitor = monitor,
                              .options = LG_CYCLE_OPTIONS_INIT};
}

static lg_status
end(lg__cycle_search *state, lg_status status, lg_cycles *out)
{
    if (status == LG_OK)
        *out = state->cycles;
    else
        lg_cycles_free(&state->cycles);
    release(state);
    return status;
}

lg_status
lg_analysis_cycles(const lg_analysis *analysis, const lg_cycle_options *options,
                   const lg_monitor *monitor, lg_cycles *out, lg_error *err)
{
    lg__cycle_search state = begin(analysis, monitor);
    lg_status status =
        lg_options_read(&state.options, options, "lg_cycle_options", err);
    if (status != LG_OK)
        return status;
    uint32_t device = state.options.device;
    if (device != LG_NONE && device > state.graph->device_count)
        return lg_error_set(err, LG_EINVAL, "there is no device %u", device);
    status = prepare(&state, err);
    if (status == LG_OK)
        status = list_asked_for(&state, err);
    return end(&state, status, out);
}

lg_status
lg_component_cycle(const lg_analysis *analysis, uint32_t component,
                   const lg_monitor *monitor, lg_cycles *out, lg_error *err)
{
    lg__cycle_search state = begin(analysis, monitor);
    const ranked one = {.component = component};
    if (component >= lg_analysis_component_count(analysis))
        return lg_error_set(err, LG_EINVAL, "there is no component %u",
                            component);
    lg_cycle cycle = {0};
    lg_status status = prepare(&state, err);
    if (status == LG_OK)
        status = cycle_judge(&state, component, &cycle, err);
    if (status == LG_OK) {
        state.cycles.total = 1;
        state.cycles.of_kind[cycle.kind] = 1;
        state.cycles.leaks = cycle.is_leak;
        status = list(&state, &one, 1, err);
    }
    return end(&state, status, out);
}

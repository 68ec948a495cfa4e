// Lists components as cycles: the selected ones, and their order.
#include "answers/answers_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>

static bool
is_in_scope(lg__cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    for (uint32_t i = 0; i < component.count; i++)
        if (lg_scope_has(state->options.scope, component.nodes[i]))
            return true;
    return false;
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
        lg_cycle cycle = lg__cycle_begin(state, i);
        if (!is_asked_for(state, &cycle))
            continue;
        lg__cycle_judge_owner(state, &cycle);
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
    lg_status status = lg__cycle_judge(state, component, &cycle, err);
    if (status == LG_OK)
        status = lg__cycle_fill(state, &cycle, err);
    if (status == LG_OK)
        all->items[all->count++] = cycle;
    else
        lg__cycle_clear(&cycle);
    return status;
}

static lg_status
list(lg__cycle_search *state, const ranked *found, size_t count, lg_error *err)
{
    size_t limit = state->options.limit;
    lg_status status = LG_OK;
    if (limit == 0 || limit > count)
        limit = count;
    state->cycles.items =
        lg__wide_alloc((limit + 1) * sizeof *state->cycles.items);
    if (state->cycles.items == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < limit && status == LG_OK; i++)
        status = lg__monitor_goes_on(state->monitor, "looking for cycles",
                                     (double)i / (double)limit, err)
                     ? append(state, found[i].component, err)
                     : LG_ECANCELLED;
    return status == LG_OK ? lg__cycles_group(state, err) : status;
}

static lg_status
list_asked_for(lg__cycle_search *state, lg_error *err)
{
    uint32_t components = lg_analysis_component_count(state->analysis);
    ranked *found = lg__wide_alloc(((size_t)components + 1) * sizeof *found);
    if (found == NULL)
        return lg__error_memory(err);
    lg_status status = rank(state, found, err);
    if (status == LG_OK)
        status = list(state, found, state->cycles.total, err);
    lg__wide_free(found);
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
        lg__wide_free(state->holding);
    lg__wide_free(state->data);
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
        status = lg__cycle_judge(&state, component, &cycle, err);
    if (status == LG_OK) {
        state.cycles.total = 1;
        state.cycles.of_kind[cycle.kind] = 1;
        state.cycles.leaks = cycle.is_leak;
        status = list(&state, &one, 1, err);
    }
    return end(&state, status, out);
}

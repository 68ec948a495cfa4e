// Judges a component: the kind of its cycle, and whose it is.
#include "answers/answers_private.h"

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

lg_cycle
lg__cycle_begin(lg__cycle_search *state, uint32_t index)
{
    lg_component component = lg_analysis_component(state->analysis, index);
    lg_cycle cycle = {.component = index,
                      .culprit = LG_NONE,
                      .total =
                          component.retained.host + component.retained.devices};
    judge_kind(state, &component, &cycle);
    return cycle;
}

void
lg__cycle_judge_owner(const lg__cycle_search *state, lg_cycle *cycle)
{
    lg_component component =
        lg_analysis_component(state->analysis, cycle->component);
    cycle->library = find_library(state, &component, cycle->component);
    cycle->is_leak = cycle->kind != LG_CYCLE_HELD &&
                     cycle->library.length == 0 &&
                     !(cycle->kind == LG_CYCLE_COLLECTABLE &&
                       is_dropped_figure(state, &component));
}

lg_status
lg__cycle_judge(lg__cycle_search *state, uint32_t index, lg_cycle *out,
                lg_error *err)
{
    lg_cycle cycle = lg__cycle_begin(state, index);
    if (state->liveness.failed)
        return lg__error_memory(err);
    lg__cycle_judge_owner(state, &cycle);
    *out = cycle;
    return LG_OK;
}

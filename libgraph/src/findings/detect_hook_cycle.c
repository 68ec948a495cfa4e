// Detects hooks of tensors that refer back, through C++, to what they are
// registered on.
#include "findings/context.h"

#include <stdlib.h>

static bool
is_hooks(lg_string name)
{
    static const char *const names[] = {
        "_backward_hooks",
        "_post_accumulate_grad_hooks",
        "hooks",
        "pre_hooks",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__name_is(name, names[i]))
            return true;
    return false;
}

// Returns the hook in a dict of hooks that is in the component, or LG_NONE.
static uint32_t
hook_in(const lg__detection *detection, uint32_t hooks, uint32_t component)
{
    const lg_columns *columns = &detection->graph->columns;
    uint64_t end = columns->first_edge[hooks + 1];
    for (uint64_t edge = columns->first_edge[hooks]; edge < end; edge++) {
        uint32_t value = columns->edge_target[edge];
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            lg_node_component(detection->analysis, value) == component)
            return value;
    }
    return LG_NONE;
}

static uint32_t
find_hook(const lg__detection *detection, const lg_component *component)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t number =
        lg_node_component(detection->analysis, component->nodes[0]);
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t node = component->nodes[i];
        if (!(lg__type_bits_of(detection, node) & LG__TYPE_TENSOR) &&
            !(columns->node_flags[node] & LG_NODE_CPP))
            continue;
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
            uint32_t hook =
                is_hooks(lg__detection_name(detection, edge))
                    ? hook_in(detection, columns->edge_target[edge], number)
                    : LG_NONE;
            if (hook != LG_NONE)
                return hook;
        }
    }
    return LG_NONE;
}

void
lg__look_for_hook_cycles(lg__detection *detection)
{
    const lg_analysis *analysis = detection->analysis;
    uint32_t count = lg_analysis_component_count(analysis);
    for (uint32_t i = 0; i < count && !detection->failed; i++) {
        lg_component component = lg_analysis_component(analysis, i);
        uint32_t hook =
            component.reachable ? LG_NONE : find_hook(detection, &component);
        if (hook == LG_NONE ||
            lg__detection_reason(detection, hook) == LG_REASON_NONE)
            continue;
        for (uint32_t j = 0; j < component.count; j++)
            if (lg__type_bits_of(detection, component.nodes[j]) &
                LG__TYPE_TENSOR)
                lg__detection_note(detection, hook, component.nodes[j]);
    }
}

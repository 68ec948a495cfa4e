// Detects what the collector leaves: it is told to keep garbage, does not run,
// or skips frozen objects.
#include "findings/detectors.h"

#include <stdlib.h>

static uint32_t
list_of_garbage(const lg__detection *detection)
{
    uint32_t collector = lg__detection_module(detection, "gc");
    return collector == LG_NONE
               ? LG_NONE
               : lg__detection_attribute(detection, collector, "garbage");
}

static void
look_for_saved_garbage(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t list = list_of_garbage(detection);
    if (list == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, list);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_INDEX)
            lg__detection_note(detection, list,
                               lg_columns_target(columns, edge));
}

const lg__detector lg__detect_saved_garbage = {
    .pattern = {.name = "saved-garbage",
                .cause = "gc.garbage keeps everything that the collector "
                         "found, because DEBUG_SAVEALL is or was set.",
                .fix = "Call gc.set_debug(0) and gc.garbage.clear()."},
    .least = LG__MUCH,
    .look = look_for_saved_garbage,
    .effect = LG__FIX_ALL,
};

// Notes cycles of garbage that nothing else refers to, and that the collector
// leaves for that reason.
static void
note_garbage(lg__detection *detection, lg_cycle_reason reason)
{
    uint8_t *sources = NULL;
    lg_error error;
    uint32_t holder = LG_NONE;
    uint32_t count = lg_analysis_component_count(detection->analysis);
    detection->failed |=
        lg__garbage_sources(detection->analysis, &sources, &error) != LG_OK;
    for (uint32_t i = 0; i < count && !detection->failed; i++) {
        lg_component component = lg_analysis_component(detection->analysis, i);
        uint32_t node = component.nodes[0];
        if (component.reachable || !sources[node] ||
            lg__detection_reason(detection, node) != reason)
            continue;
        holder = holder == LG_NONE ? node : holder;
        lg__detection_note(detection, holder, node);
    }
    lg__free(sources);
}

static void
look_for_disabled_collector(lg__detection *detection)
{
    lg_string enabled = lg_graph_info_find(detection->graph, "gc.enabled");
    if (lg__string_is(enabled, "no"))
        note_garbage(detection, LG_REASON_NONE);
}

const lg__detector lg__detect_disabled_collector = {
    .pattern = {.name = "disabled-collector",
                .cause =
                    "The collector is disabled, so garbage in cycles stays.",
                .fix = "Call gc.enable(), or gc.collect() at times that suit "
                       "the program."},
    .least = LG__TO_COLLECT,
    .look = look_for_disabled_collector,
    .effect = LG__FIX_ALL,
};

static void
look_for_frozen_garbage(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if ((lg_columns_flags(columns, node) & LG_NODE_FROZEN) &&
            !lg_node_is_reachable(detection->analysis, node)) {
            note_garbage(detection, LG_REASON_FROZEN);
            return;
        }
}

const lg__detector lg__detect_frozen_garbage = {
    .pattern = {.name = "frozen-garbage",
                .cause = "gc.freeze() hid objects from the collector, so "
                         "garbage among them stays.",
                .fix = "Call gc.unfreeze() and gc.collect()."},
    .least = LG__MUCH,
    .look = look_for_frozen_garbage,
    .effect = LG__FIX_ALL,
};

// Detects small views that keep a big base.
#include "bytes/bytes_private.h"
#include "findings/detectors.h"

enum {
    LOOKED_AT = 16 << 10, // least bytes of a base
    SMALL_PART =
        8, // the base is a finding if views show at most one part in this many
    LEVELS = 4, // most steps between an array and a block of a DataFrame
};

// Returns whether a DataFrame or Series shows the array: a block of pandas, or
// the extension array in such a block, has it.
static bool
is_of_frame(const lg__detection *detection, uint32_t node)
{
    for (int i = 0; i < LEVELS && node != LG_NONE; i++) {
        node = lg_node_dominator(detection->analysis, node);
        if (node != LG_NONE && lg__node_is_a(detection->graph, node,
                                             "pandas._libs.internals.Block"))
            return true;
    }
    return false;
}

// Notes the arrays between the views and the memory, which go with it.
static void
note_between(lg__detection *detection, const lg__views *views, uint32_t holder)
{
    detection->searches++;
    for (size_t i = 0; i < views->held.count; i++)
        detection->seen[views->held.items[i]] = detection->searches;
    for (size_t i = 0; i < views->arrays.count; i++)
        if (detection->seen[views->arrays.items[i]] != detection->searches)
            lg__detection_note_along(detection, holder, views->arrays.items[i]);
}

// Notes each view of the memory as a holder, or the collection that owns it
// with others.
static void
note(lg__detection *detection, const lg__views *views, uint32_t memory)
{
    for (size_t i = 0; i < views->held.count; i++) {
        uint32_t view = views->held.items[i];
        uint32_t all = views->held.count == 1
                           ? LG_NONE
                           : lg__detection_collection(detection, view);
        uint32_t holder = all != LG_NONE ? all : view;
        lg__detection_note(detection, holder, memory);
        note_between(detection, views, holder);
    }
}

static void
look_at_views(lg__detection *detection, bool of_frames)
{
    const lg_graph *graph = detection->graph;
    lg__views views;
    bool enough = lg__views_begin(&views, graph);
    for (uint32_t node = 0; node < graph->columns.node_count && enough;
         node++) {
        // The column has its greatest number for sizes that do not fit.
        if (lg_columns_size(&graph->columns, node) < LOOKED_AT ||
            !lg__node_is_memory(graph, node))
            continue;
        enough = lg__views_look(&views, node);
        if (views.widest != LG_NONE && !views.unknown &&
            views.shown <= lg_node_size(graph, node) / SMALL_PART &&
            is_of_frame(detection, views.widest) == of_frames)
            note(detection, &views, node);
    }
    detection->failed |= !enough;
    lg__views_end(&views);
}

static void
look_for_small_views(lg__detection *detection)
{
    look_at_views(detection, false);
}

const lg__detector lg__detect_small_view = {
    .pattern =
        {.name = "small-view",
         .cause = "A small view keeps all the memory of a big tensor or array.",
         .fix = "Keep view.clone() of a tensor, or view.copy() of an array, "
                "instead."},
    .least = LG__WORTH_A_COPY,
    .look = look_for_small_views,
    .effect = LG__FIX_DROPS,
    .kind = LG__ACCUMULATES,
};

static void
look_for_slices(lg__detection *detection)
{
    look_at_views(detection, true);
}

const lg__detector lg__detect_dataframe_slice = {
    .pattern = {.name = "dataframe-slice",
                .cause = "A small part of a DataFrame or Series keeps the "
                         "memory of the whole.",
                .fix = "Keep part.copy() instead."},
    .least = LG__WORTH_A_COPY,
    .look = look_for_slices,
    .effect = LG__FIX_DROPS,
    .kind = LG__ACCUMULATES,
};

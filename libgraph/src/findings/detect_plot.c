// Detects what matplotlib keeps: open figures, callbacks, frames of animations.
#include "bytes/bytes_private.h"
#include "findings/detectors.h"

#include <stdlib.h>

enum { FEW_FIGURES = 4 };

// Returns Gcf.figs, which maps numbers to managers.
static uint32_t
registry_of(const lg__detection *detection)
{
    uint32_t helpers =
        lg__detection_module(detection, "matplotlib._pylab_helpers");
    uint32_t registry =
        helpers == LG_NONE ? LG_NONE
                           : lg__detection_attribute(detection, helpers, "Gcf");
    return registry == LG_NONE
               ? LG_NONE
               : lg__detection_attribute(detection, registry, "figs");
}

// A figure with its manager and canvas. Closing the figure frees all three.
typedef struct open_figure {
    uint32_t manager, canvas, figure;
} open_figure;

static bool
find_figure(const lg__detection *detection, uint64_t edge, open_figure *out)
{
    if (lg__edge_kind(detection->graph, edge) != LG_EDGE_VALUE)
        return false;
    out->manager = lg_columns_target(&detection->graph->columns, edge);
    out->canvas = lg__detection_attribute(detection, out->manager, "canvas");
    if (out->canvas == LG_NONE)
        return false;
    out->figure = lg__detection_attribute(detection, out->canvas, "figure");
    return out->figure != LG_NONE;
}

static size_t
count_figures(const lg__detection *detection, uint64_t from, uint64_t end)
{
    size_t count = 0;
    open_figure found;
    for (uint64_t edge = from; edge < end; edge++)
        count += find_figure(detection, edge, &found);
    return count;
}

// Notes that the artists of a figure go with it. A program that has one of
// them, such as an axes, has the whole figure.
static void
note_artists(lg__detection *detection, uint32_t registry,
             const lg__figures *figures, const open_figure *found)
{
    uint32_t number = figures->label[found->figure];
    const uint32_t *first = figures->first.items;
    if (number == 0 || number == LG__SHARED)
        return;
    for (uint32_t i = first[number - 1]; i < first[number]; i++) {
        uint32_t part = figures->members.items[i];
        if (part != found->figure && part != found->canvas &&
            part != found->manager)
            lg__detection_note_along(detection, registry, part);
    }
}

static void
note_figures(lg__detection *detection, uint32_t registry,
             const lg__figures *figures)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, registry);
    open_figure found;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (!find_figure(detection, edge, &found))
            continue;
        lg__detection_note(detection, registry, found.figure);
        lg__detection_note_along(detection, registry, found.canvas);
        lg__detection_note_along(detection, registry, found.manager);
        note_artists(detection, registry, figures, &found);
    }
}

static void
look_for_open_figures(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t registry = registry_of(detection);
    lg__figures figures;
    if (registry == LG_NONE ||
        count_figures(detection, lg_columns_first_edge(columns, registry),
                      lg_columns_first_edge(columns, registry + 1)) <=
            FEW_FIGURES)
        return;
    if (lg__figures_find(detection->analysis, &figures, NULL) == LG_OK)
        note_figures(detection, registry, &figures);
    else
        detection->failed = true;
    lg__figures_free(&figures);
}

const lg__detector lg__detect_open_figures = {
    .pattern =
        {.name = "open-figures",
         .cause = "pyplot keeps every figure until you close it.",
         .fix =
             "Call plt.close(fig) and drop the last reference to it, or make "
             "figures with matplotlib.figure.Figure(), without pyplot."},
    .least = LG__ANY,
    .look = look_for_open_figures,
    .effect = LG__FIX_DROPS,
};

static const lg__search data_behind = {
    .depth = 4,
    .wanted = LG__TYPE_TENSOR | LG__TYPE_ARRAY,
    .through = LG__TYPE_CONTAINER | LG__TYPE_CALLABLE,
    .instances = true,
};

// Returns whether matplotlib has made the callback for itself, such as those
// that follow the units of an axis.
static bool
is_of_matplotlib(const lg__detection *detection, uint32_t callback)
{
    uint32_t function = lg__detection_function(detection, callback);
    return function != LG_NONE &&
           lg__string_begins(lg_node_text(detection->graph, function),
                             "matplotlib.");
}

// Looks for callbacks. matplotlib refers weakly to a bound method, and strongly
// to anything else. A callback of a canvas that nobody uses any more goes with
// the canvas: the collector frees both.
static void
look_for_callbacks(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_CALLBACK);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t callback =
            lg__detection_attribute(detection, all->items[i], "_obj");
        lg__gathered found = {0};
        if (callback == LG_NONE || is_of_matplotlib(detection, callback) ||
            !lg_node_is_reachable(detection->analysis, callback))
            continue;
        lg__detection_search(detection, callback, &data_behind, &found);
        for (size_t j = 0; j < found.count; j++)
            lg__detection_suppose(detection, callback, found.items[j], LG_NONE);
        if (found.count > 0)
            lg__detection_note_along(detection, callback, callback);
        lg__detection_cut(detection, callback);
        lg__free(found.items);
    }
}

const lg__detector lg__detect_canvas_callback = {
    .pattern = {.name = "canvas-callback",
                .cause = "A canvas keeps a callback that is not a bound "
                         "method, and everything that its closure refers to.",
                .fix = "Call mpl_disconnect(), or connect a bound method, "
                       "which the canvas refers to weakly."},
    .least = LG__MUCH,
    .look = look_for_callbacks,
    .effect = LG__FIX_ALL,
};

static void
look_for_animations(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_ANIMATION);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t frames =
            lg__detection_attribute(detection, all->items[i], "_save_seq");
        if (frames == LG_NONE)
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, frames);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            if (lg__edge_kind(detection->graph, edge) == LG_EDGE_INDEX)
                lg__detection_note(detection, all->items[i],
                                   lg_columns_target(columns, edge));
    }
}

const lg__detector lg__detect_animation_frames = {
    .pattern = {.name = "animation-frames",
                .cause =
                    "An animation keeps the data of the frames that it drew.",
                .fix = "Pass cache_frame_data=False to FuncAnimation."},
    .least = LG__MUCH,
    .look = look_for_animations,
    .effect = LG__FIX_DROPS,
};

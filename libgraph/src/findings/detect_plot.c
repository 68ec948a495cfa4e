// What matplotlib keeps: open figures, callbacks, frames of animations.
#include "findings/context.h"

#include <stdlib.h>

enum { FEW_FIGURES = 4 };

// ----------------------------------------------------------------- figures ---

static bool
is_pyplots_registry(lg_string name)
{
    return lg__string_is(name, "matplotlib._pylab_helpers");
}

// Gcf.figs: number to manager.
static uint32_t
registry_of(const lg__scene *scene)
{
    for (uint32_t i = 0; i < scene->graph->root_count; i++) {
        lg_root root = lg_graph_root(scene->graph, i);
        if (root.kind != LG_ROOT_MODULE || !is_pyplots_registry(root.name))
            continue;
        uint32_t registry = lg__scene_attribute(scene, root.node, "Gcf");
        if (registry != LG_NONE)
            return lg__scene_attribute(scene, registry, "figs");
    }
    return LG_NONE;
}

// A figure as pyplot has it: closed, all three go.
typedef struct open_figure {
    uint32_t manager, canvas, figure;
} open_figure;

static bool
find_figure(const lg__scene *scene, uint64_t edge, open_figure *out)
{
    if (lg__edge_kind(scene->graph, edge) != LG_EDGE_VALUE)
        return false;
    out->manager = scene->graph->columns.edge_target[edge];
    out->canvas = lg__scene_attribute(scene, out->manager, "canvas");
    if (out->canvas == LG_NONE)
        return false;
    out->figure = lg__scene_attribute(scene, out->canvas, "figure");
    return out->figure != LG_NONE;
}

static size_t
count_figures(const lg__scene *scene, uint64_t from, uint64_t end)
{
    size_t count = 0;
    open_figure found;
    for (uint64_t edge = from; edge < end; edge++)
        count += find_figure(scene, edge, &found);
    return count;
}

void
lg__look_for_open_figures(lg__scene *scene)
{
    const lg_columns *columns = &scene->graph->columns;
    uint32_t registry = registry_of(scene);
    open_figure found;
    if (registry == LG_NONE)
        return;
    uint64_t from = columns->first_edge[registry];
    uint64_t end = columns->first_edge[registry + 1];
    if (count_figures(scene, from, end) <= FEW_FIGURES)
        return;
    for (uint64_t edge = from; edge < end; edge++) {
        if (!find_figure(scene, edge, &found))
            continue;
        lg__scene_note(scene, registry, found.figure);
        lg__scene_note_along(scene, registry, found.canvas);
        lg__scene_note_along(scene, registry, found.manager);
    }
}

// --------------------------------------------------------------- callbacks ---

static const lg__search data_behind = {
    .depth = 4,
    .wanted = LG__CAST_TENSOR | LG__CAST_ARRAY,
    .through = LG__CAST_CONTAINER | LG__CAST_CALLABLE,
    .instances = true,
};

// matplotlib keeps a bound method weakly, and anything else for good.
void
lg__look_for_callbacks(lg__scene *scene)
{
    const lg__gathered *all = lg__scene_all(scene, LG__CAST_CALLBACK);
    for (size_t i = 0; i < all->count && !scene->failed; i++) {
        uint32_t callback = lg__scene_attribute(scene, all->items[i], "_obj");
        lg__gathered found = {0};
        if (callback != LG_NONE)
            lg__scene_search(scene, callback, &data_behind, &found);
        for (size_t j = 0; j < found.count; j++)
            if (lg__scene_owns(scene, callback, found.items[j]))
                lg__scene_note(scene, callback, found.items[j]);
        free(found.items);
    }
}

// -------------------------------------------------------------- animations ---

void
lg__look_for_animations(lg__scene *scene)
{
    const lg_columns *columns = &scene->graph->columns;
    const lg__gathered *all = lg__scene_all(scene, LG__CAST_ANIMATION);
    for (size_t i = 0; i < all->count && !scene->failed; i++) {
        uint32_t frames =
            lg__scene_attribute(scene, all->items[i], "_save_seq");
        if (frames == LG_NONE)
            continue;
        uint64_t end = columns->first_edge[frames + 1];
        for (uint64_t edge = columns->first_edge[frames]; edge < end; edge++)
            if (lg__edge_kind(scene->graph, edge) == LG_EDGE_INDEX)
                lg__scene_note(scene, all->items[i],
                               columns->edge_target[edge]);
    }
}

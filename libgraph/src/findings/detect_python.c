// What Python itself keeps: exceptions, caches, a notebook's outputs.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

// -------------------------------------------------------------- exceptions ---

enum { TRACEBACK_LONG = 1000, LOCALS_DEEP = 3 };

static const lg__search data_in_locals = {
    .depth = LOCALS_DEEP,
    .wanted = LG__CAST_TENSOR | LG__CAST_ARRAY,
    .through = LG__CAST_CONTAINER,
    .instances = true,
};

static void
note_frame(lg__scene *scene, uint32_t exception, uint32_t frame)
{
    lg__gathered found = {0};
    if (!lg__scene_is_running(scene, frame))
        lg__scene_search(scene, frame, &data_in_locals, &found);
    for (size_t i = 0; i < found.count; i++)
        if (lg__scene_owns(scene, frame, found.items[i]))
            lg__scene_note(scene, exception, found.items[i]);
    free(found.items);
}

void
lg__look_for_exceptions(lg__scene *scene)
{
    const lg__gathered *all = lg__scene_all(scene, LG__CAST_EXCEPTION);
    for (size_t i = 0; i < all->count && !scene->failed; i++) {
        uint32_t at =
            lg__scene_attribute(scene, all->items[i], "__traceback__");
        for (int n = 0; at != LG_NONE && n < TRACEBACK_LONG; n++) {
            uint32_t frame = lg__scene_attribute(scene, at, "tb_frame");
            if (frame != LG_NONE)
                note_frame(scene, all->items[i], frame);
            at = lg__scene_attribute(scene, at, "tb_next");
        }
    }
}

// ------------------------------------------------------------------ caches ---

static const lg__search data_in_cache = {
    .depth = 5,
    .wanted = LG__CAST_TENSOR | LG__CAST_ARRAY,
    .through = LG__CAST_CONTAINER | LG__CAST_MODULE,
    .instances = true,
    .parameters = true,
};

static size_t
count_values(const lg__scene *scene, uint32_t dict)
{
    const lg_columns *columns = &scene->graph->columns;
    size_t count = 0;
    uint64_t end = columns->first_edge[dict + 1];
    for (uint64_t edge = columns->first_edge[dict]; edge < end; edge++)
        count += lg__edge_kind(scene->graph, edge) == LG_EDGE_VALUE;
    return count;
}

// One entry is what a cache is for: something that is made once.
void
lg__look_for_caches(lg__scene *scene)
{
    const lg__gathered *caches = lg__scene_all(scene, LG__CAST_CACHE);
    for (size_t i = 0; i < caches->count && !scene->failed; i++) {
        uint32_t cache = caches->items[i];
        uint32_t dict = lg__scene_attribute(scene, cache, "cache");
        if (dict == LG_NONE || count_values(scene, dict) < 2)
            continue;
        lg__gathered found = {0};
        lg__scene_search(scene, cache, &data_in_cache, &found);
        for (size_t j = 0; j < found.count; j++)
            if (lg__scene_owns(scene, cache, found.items[j]))
                lg__scene_note(scene, cache, found.items[j]);
        free(found.items);
    }
}

// ----------------------------------------------------------------- outputs ---

// `Out` of an interactive namespace, which knows it as `_oh` too; LG_NONE.
static uint32_t
outputs_of(const lg__scene *scene, uint32_t module)
{
    uint32_t outputs = lg__scene_attribute(scene, module, "_oh");
    return outputs != LG_NONE &&
                   outputs == lg__scene_attribute(scene, module, "Out")
               ? outputs
               : LG_NONE;
}

// Whether nothing but the outputs, and names such as `_` and `_12`, holds it.
static bool
is_output_only(const lg__scene *scene, uint32_t outputs, uint32_t node)
{
    const lg__reverse *reverse = &scene->walk.reverse;
    const lg_columns *columns = &scene->graph->columns;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++) {
        lg__in_edge in = reverse->edge[i];
        uint64_t edge = columns->first_edge[in.source] + in.rank;
        lg_string name = lg__scene_name(scene, edge);
        if (columns->edge_kind[edge] & LG_EDGE_WEAK)
            continue;
        if (in.source != outputs && !lg__name_begins(name, "_"))
            return false;
    }
    return true;
}

void
lg__look_for_notebook_outputs(lg__scene *scene)
{
    const lg_columns *columns = &scene->graph->columns;
    for (uint32_t i = 0; i < scene->graph->root_count; i++) {
        if (scene->graph->root_kind[i] != LG_ROOT_MODULE)
            continue;
        uint32_t outputs = outputs_of(scene, scene->graph->root_node[i]);
        if (outputs == LG_NONE)
            continue;
        uint64_t end = columns->first_edge[outputs + 1];
        for (uint64_t edge = columns->first_edge[outputs]; edge < end; edge++) {
            uint32_t value = columns->edge_target[edge];
            if (lg__edge_kind(scene->graph, edge) == LG_EDGE_VALUE &&
                is_output_only(scene, outputs, value))
                lg__scene_note(scene, outputs, value);
        }
    }
}

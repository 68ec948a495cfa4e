// Autograd graphs that stay when their backward has been run.
#include "findings/context.h"

#include <stdlib.h>

enum { NODES_LOOKED_AT = 4096 };

// ------------------------------------------------------------ retain_graph ---

typedef struct reading {
    lg__scene *scene;
    lg__gathered queue;
    bool saved;  // tensors for a backward are still there
    bool filled; // gradients of an earlier one are, too
    bool higher; // ... and have a graph themselves
} reading;

static bool
visit_reading(void *context, uint32_t node)
{
    reading *to = context;
    lg__scene *scene = to->scene;
    if (scene->seen[node] == scene->searches)
        return true;
    scene->seen[node] = scene->searches;
    if (lg__is_leaf(scene, node)) {
        uint32_t variable = lg__scene_attribute(scene, node, "variable");
        uint32_t grad = variable == LG_NONE
                            ? LG_NONE
                            : lg__scene_attribute(scene, variable, "grad");
        to->filled |= grad != LG_NONE;
        to->higher |= grad != LG_NONE && lg__has_graph(scene, grad);
        return true;
    }
    if (!lg__gather_append(&to->queue, node))
        scene->failed = true;
    return !scene->failed;
}

static bool
has_saved(const lg__scene *scene, uint32_t node)
{
    const lg_columns *columns = &scene->graph->columns;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        lg_string name = lg__scene_name(scene, edge);
        if ((lg__name_begins(name, "_saved_") ||
             lg__name_begins(name, "_raw_saved_") ||
             lg__name_begins(name, "saved")) &&
            (lg__cast_of(scene, columns->edge_target[edge]) & LG__CAST_TENSOR))
            return true;
    }
    return false;
}

static bool
is_retained(lg__scene *scene, uint32_t tensor)
{
    reading to = {.scene = scene};
    scene->searches++;
    visit_reading(&to, lg__grad_fn(scene, tensor));
    for (size_t i = 0; i < to.queue.count && i < NODES_LOOKED_AT; i++) {
        to.saved |= has_saved(scene, to.queue.items[i]);
        lg__each_next(scene, to.queue.items[i], visit_reading, &to);
    }
    free(to.queue.items);
    return to.saved && to.filled && !to.higher;
}

void
lg__look_for_retained_graphs(lg__scene *scene)
{
    const lg__gathered *tensors = lg__scene_all(scene, LG__CAST_TENSOR);
    for (size_t i = 0; i < tensors->count && !scene->failed; i++) {
        uint32_t tensor = tensors->items[i];
        if (lg__is_scalar(scene, tensor) && !scene->is_kept[tensor] &&
            lg__has_graph(scene, tensor) &&
            lg__scene_is_stored(scene, tensor) && is_retained(scene, tensor))
            lg__scene_note(scene, tensor, tensor);
    }
}

// ------------------------------------------------------------ create_graph ---

// The parameter that the knot's clue already names, or this one. All garbage is
// one.
static uint32_t
first_of_knot(const lg__scene *scene, uint32_t knot, uint32_t tensor)
{
    for (size_t i = scene->clue_count; i-- > 0;) {
        const lg__clue *clue = &scene->clues[i];
        if (clue->pattern != scene->pattern)
            break;
        if (lg_node_knot(scene->analysis, clue->holder) == knot ||
            (!lg_node_is_reachable(scene->analysis, clue->holder) &&
             !lg_node_is_reachable(scene->analysis, tensor)))
            return clue->holder;
    }
    return tensor;
}

// Gradients with a graph, in one knot with their parameters.
void
lg__look_for_create_graph(lg__scene *scene)
{
    const lg__gathered *tensors = lg__scene_all(scene, LG__CAST_TENSOR);
    for (size_t i = 0; i < tensors->count && !scene->failed; i++) {
        uint32_t tensor = tensors->items[i];
        uint32_t knot = lg_node_knot(scene->analysis, tensor);
        if (knot == LG_NONE)
            continue;
        uint32_t grad = lg__scene_attribute(scene, tensor, "grad");
        if (grad != LG_NONE && lg_node_knot(scene->analysis, grad) == knot &&
            lg__has_graph(scene, grad))
            lg__scene_note(scene, first_of_knot(scene, knot, tensor), grad);
    }
}

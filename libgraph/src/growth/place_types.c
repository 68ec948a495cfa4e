// The types of a graph, as a walk into places looks at them.
#include "growth/place_walk.h"

#include <stdlib.h>

static void
note_folded_types(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    const lg__folded_buffer *buffers = graph->lazy->buffers.data;
    for (size_t i = 0; i < graph->lazy->buffers.count; i++)
        walk->types[graph->columns.type[buffers[i].buffer]].may_fold = true;
}

bool
lg__walk_types_begin(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    walk->types = malloc(((size_t)graph->type_count + 1) * sizeof *walk->types);
    if (walk->types == NULL)
        return false;
    for (uint32_t i = 0; i < graph->type_count; i++) {
        lg_string name = lg_graph_type(graph, i).name;
        lg__trait trait = graph->type_trait[i];
        walk->types[i] = (lg__walk_type){
            .name = lg__places_string(walk->places, name),
            .code = lg__string_is(name, "code"),
            .text = lg__string_is(name, "str"),
            .function = trait.category == LG_CATEGORY_FUNCTION,
            .may_fold = trait.category == LG_CATEGORY_CONTAINER ||
                        trait.role == LG__ROLE_TUPLE ||
                        trait.role == LG__ROLE_CELL,
        };
        if (walk->types[i].name == LG_NONE)
            return false;
    }
    note_folded_types(walk);
    return true;
}

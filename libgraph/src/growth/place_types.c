// The types of a graph, as a walk into places looks at them.
#include "growth/place_walk.h"

static void
note_folded_types(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    const lg__folded_buffer *buffers = graph->lazy->buffers.data;
    for (size_t i = 0; i < graph->lazy->buffers.count; i++)
        walk->types[graph->columns.type[buffers[i].buffer]].may_fold = true;
}

static uint32_t
marks_of(lg_string name, lg__trait trait)
{
    if (lg__string_is(name, "code"))
        return LG__PLACE_CODE;
    return trait.category == LG_CATEGORY_FUNCTION ? LG__PLACE_FUNCTION : 0;
}

bool
lg__walk_types_begin(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->type_count; i++) {
        lg_string name = lg_graph_type(graph, i).name;
        lg__trait trait = graph->type_trait[i];
        walk->types[i] = (lg__walk_type){
            .name = lg__places_string(walk->places, name),
            .code = lg__string_is(name, "code"),
            .text = lg__string_is(name, "str"),
            .titled = lg__label_has_own_name(graph, i),
            .by_module = lg__label_by_module(graph, i),
            .top = LG_NONE,
            .marks = marks_of(name, trait),
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

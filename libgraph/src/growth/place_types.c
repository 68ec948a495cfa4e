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

static void
note_native_types(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t node = lg__first_native(graph);
         node < graph->columns.node_count; node++)
        walk->types[graph->columns.type[node]].native = true;
}

// A cell is of the category of functions, but what is in it is data.
static uint32_t
marks_of(lg_string name, lg__trait trait)
{
    if (lg__string_is(name, "code"))
        return LG__PLACE_DEFINITION;
    switch (trait.category) {
    case LG_CATEGORY_FUNCTION:
        return trait.role == LG__ROLE_CELL
                   ? LG__PLACE_DEFINED
                   : LG__PLACE_DEFINED | LG__PLACE_FUNCTION;
    case LG_CATEGORY_TYPE:
        return LG__PLACE_DEFINED | LG__PLACE_CLASS;
    case LG_CATEGORY_MODULE:
        return LG__PLACE_DEFINED;
    default:
        return 0;
    }
}

// Returns whether the type is one of the descriptors that C code or `__slots__`
// give a class. They never change.
static bool
is_fixed_descriptor(lg_string name)
{
    static const char *const descriptors[] = {
        "wrapper_descriptor", "method_descriptor", "classmethod_descriptor",
        "getset_descriptor", "member_descriptor"};
    for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
        if (lg__string_is(name, descriptors[i]))
            return true;
    return false;
}

// A function's code and texts belong to its definition, and a class's
// descriptors.
static uint32_t
within_of(lg_string name)
{
    if (lg__string_is(name, "code") || lg__string_is(name, "str"))
        return LG__PLACE_FUNCTION;
    return is_fixed_descriptor(name) ? LG__PLACE_CLASS : 0;
}

bool
lg__place_walk_types_begin(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->type_count; i++) {
        lg_string name = lg_graph_type(graph, i).name;
        lg__trait trait = graph->type_trait[i];
        walk->types[i] = (lg__place_walk_type){
            .name = lg__places_string(walk->places, name),
            .code = lg__string_is(name, "code"),
            .titled = lg__label_has_own_name(graph, i),
            .plain = lg__label_has_own_name(graph, i) &&
                     trait.category != LG_CATEGORY_FRAME &&
                     trait.category != LG_CATEGORY_ROOT,
            .by_module = lg__label_by_module(graph, i),
            .top = LG_NONE,
            .marks = marks_of(name, trait),
            .within = within_of(name),
            .space = trait.category == LG_CATEGORY_CONTAINER &&
                     trait.role != LG__ROLE_TUPLE,
            .may_fold = trait.category == LG_CATEGORY_CONTAINER ||
                        trait.role == LG__ROLE_TUPLE ||
                        trait.role == LG__ROLE_CELL,
            .piece = lg__string_is(name, LG__PIECE),
        };
        if (walk->types[i].name == LG_NONE)
            return false;
    }
    note_folded_types(walk);
    note_native_types(walk);
    return true;
}

// Returns whether something other than a module or a class, such as a container
// or its instances, keeps the class.
static bool
is_made(const lg__place_walk *walk, uint32_t class)
{
    return class < walk->graph->columns.node_count &&
           walk->analysis->dominator[class] < walk->graph->columns.node_count &&
           walk->place[class] < LG__STEP_NAMES;
}

bool
lg__place_walk_types_merge(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    lg_text text = {0};
    bool enough = true;
    for (uint32_t i = 0; i < graph->type_count && enough; i++) {
        if (!is_made(walk, graph->type_node[i]))
            continue;
        text.length = 0;
        lg__text_add_uncounted(lg_graph_type(graph, i).name, &text);
        lg_string name = {text.data != NULL ? text.data : "",
                          (uint32_t)text.length};
        walk->types[i].name = lg__places_string(walk->places, name);
        enough = !text.failed && walk->types[i].name != LG_NONE;
    }
    lg_text_free(&text);
    return enough;
}

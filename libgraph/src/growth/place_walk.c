// What a walk into places works with: the types of the graph as it looks at
// them, and its memory, which is one block, so that its arrays share huge
// pages.
#include "growth/place_walk.h"

#include <string.h>

static void
note_folded_types(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    const lg__folded_buffer *buffers = graph->lazy->buffers.data;
    for (size_t i = 0; i < graph->lazy->buffers.count; i++)
        walk->types[lg_columns_type(&graph->columns, buffers[i].buffer)]
            .may_fold = true;
}

static void
note_native_types(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t node = lg__first_native(graph);
         node < graph->columns.node_count; node++)
        walk->types[lg_columns_type(&graph->columns, node)].native = true;
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

// A function's code and texts belong to its definition, and a class's
// descriptors.
static uint32_t
within_of(lg_string name, lg__trait trait)
{
    if (lg__string_is(name, "code") || lg__string_is(name, "str"))
        return LG__PLACE_FUNCTION;
    return trait.role == LG__ROLE_DESCRIPTOR ? LG__PLACE_CLASS : 0;
}

// Returns whether a module may name objects of the type. Which modules refer to
// a small value depends on what the interpreter shares.
static bool
is_named_by_module(const lg_graph *graph, uint32_t type)
{
    static const char *const values[] = {"int", "float", "str", "tuple",
                                         "bytes"};
    lg_string name = lg_graph_type(graph, type).name;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (lg__string_is(name, values[i]))
            return false;
    return !lg__label_has_own_name(graph, type);
}

static bool
begin_types(lg__place_walk *walk)
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
            .by_module = is_named_by_module(graph, i),
            .top = LG_NONE,
            .marks = marks_of(name, trait),
            .within = within_of(name, trait),
            .space = (trait.category == LG_CATEGORY_CONTAINER &&
                      trait.role != LG__ROLE_TUPLE) ||
                     trait.role == LG__ROLE_CONTEXT_NODE,
            .may_fold = trait.category == LG_CATEGORY_CONTAINER ||
                        trait.role == LG__ROLE_TUPLE ||
                        trait.role == LG__ROLE_CELL,
            .piece = lg__string_is(name, LG__PIECE) ||
                     trait.role == LG__ROLE_CONTEXT_NODE,
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
           lg__dominator_of(walk->analysis, class) <
               walk->graph->columns.node_count &&
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

// The arrays of a walk, in one block that begins with `place`.
typedef struct place_walk_room {
    uint32_t *place; // see lg__place_walk
    uint32_t *reference;
    uint64_t *early;            // see lg__place_walk
    uint64_t *locals;           // see lg__labels
    lg__place_walk_type *types; // [type]
    uint32_t *dotted;
    uint32_t *plain;
    uint32_t *visited; // see lg__place_walk
} place_walk_room;

typedef struct room {
    char *begin; // NULL: only its size is asked for
    size_t used;
} room;

// Each array begins at a line of the cache.
static void *
take(room *from, size_t count, size_t element)
{
    enum { LINE = 64 };
    char *begin = from->begin != NULL ? from->begin + from->used : NULL;
    from->used += (count * element + LINE - 1) & ~(size_t)(LINE - 1);
    return begin;
}

// What may stay untouched comes last. Returns the size of all.
static size_t
lay_out(const lg_graph *graph, char *begin, place_walk_room *out)
{
    size_t nodes = graph->columns.node_count;
    size_t strings = graph->string_count;
    room from = {.begin = begin};
    out->place = take(&from, nodes + 1, sizeof *out->place);
    out->reference = take(&from, nodes + 1, sizeof *out->reference);
    out->early = take(&from, nodes / 64 + 1, sizeof *out->early);
    out->types = take(&from, graph->type_count, sizeof *out->types);
    out->dotted = take(&from, strings, sizeof *out->dotted);
    out->plain = take(&from, strings, sizeof *out->plain);
    out->locals = take(&from, nodes / 64 + 1, sizeof *out->locals);
    out->visited = take(&from, nodes, sizeof *out->visited);
    return from.used;
}

// Allocates zeroes, which lg__places_of_free frees. Returns false when memory
// ran out.
static bool
make_room(lg__place_walk *walk)
{
    place_walk_room arrays;
    char *block = lg__huge_calloc(lay_out(walk->graph, NULL, &arrays));
    if (block == NULL)
        return false;
    lay_out(walk->graph, block, &arrays);
    walk->place = arrays.place;
    walk->reference = arrays.reference;
    walk->early = arrays.early;
    walk->types = arrays.types;
    walk->visited = arrays.visited;
    walk->labels.locals = arrays.locals;
    walk->labels.dotted = arrays.dotted;
    walk->labels.plain = arrays.plain;
    memset(walk->spaces, 0xff, sizeof walk->spaces);
    for (size_t i = 0; i < LG__TAKEN; i++)
        walk->taken[i].place = LG_NONE;
    return true;
}

// In a process with a few libraries, about one node in this many has a place of
// its own.
enum { EXPECTED_SHARE = 4 };

static bool
begin_places(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    const size_t nodes = graph->columns.node_count;
    walk->labels.folds = lg__graph_folds(graph);
    walk->places = walk->labels.places = lg__places_begin();
    if (!walk->labels.folds || !walk->places)
        return false;
    for (uint32_t i = 0; i <= graph->device_count; i++)
        if (!lg__places_add_device(walk->places,
                                   lg_graph_device_name(graph, i)))
            return false;
    return lg__places_expect(walk->places, nodes / EXPECTED_SHARE + 1);
}

lg_status
lg__place_walk_begin(lg__place_walk *walk, lg_error *err)
{
    return make_room(walk) && begin_places(walk) && begin_types(walk)
               ? lg__labels_begin(&walk->labels, err)
               : lg__error_memory(err);
}

void
lg__places_of_free(uint32_t *place_of, const lg_analysis *analysis)
{
    place_walk_room arrays;
    lg__huge_free(place_of, lay_out(analysis->graph, NULL, &arrays));
}

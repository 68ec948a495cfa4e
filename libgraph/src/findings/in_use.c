// What holds a node: what programs store it in, and running code that may still
// use it, by its variables and by what it names.
#include "findings/in_use.h"
#include "paths/paths_private.h"

static uint64_t
edge_in(const lg__detection *detection, uint64_t index)
{
    return lg__in_number(&detection->walk.reverse, index);
}

bool
lg__detection_is_running(const lg__detection *detection, uint32_t frame)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, frame);
         i < lg__first_in(reverse, frame + 1); i++)
        if (lg__edge_kind(detection->graph, edge_in(detection, i)) ==
                LG_EDGE_FRAME ||
            lg__node_role(detection->graph, lg__in_source(reverse, i)) ==
                LG__ROLE_SUSPENDED)
            return true;
    return false;
}

// Returns whether programs keep things by such an edge: under a name, or in a
// container.
static bool
is_storing(const lg__detection *detection, uint32_t source, uint64_t edge)
{
    uint8_t kind = lg_columns_kind(&detection->graph->columns, edge);
    if (kind & LG_EDGE_WEAK)
        return false;
    switch (kind & LG_EDGE_KIND_MASK) {
    case LG_EDGE_VALUE:
    case LG_EDGE_INDEX:
    case LG_EDGE_ELEMENT:
    case LG_EDGE_CELL:
        return true;
    case LG_EDGE_ATTRIBUTE:
        return !(lg_columns_flags(&detection->graph->columns, source) &
                 LG_NODE_CPP) &&
               !(lg__type_bits_of(detection, source) & LG__TYPE_TENSOR);
    default:
        return false;
    }
}

bool
lg__detection_is_stored_outside(const lg__detection *detection, uint32_t node,
                                unsigned type_bits)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        if (!(lg__type_bits_of(detection, source) & type_bits) &&
            is_storing(detection, source, edge_in(detection, i)))
            return true;
    }
    return false;
}

bool
lg__detection_is_stored(const lg__detection *detection, uint32_t node)
{
    return lg__detection_is_stored_outside(detection, node, 0);
}

bool
lg__detection_names(const lg__detection *detection, uint32_t code, uint32_t key)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t names = lg__detection_attribute(detection, code, "co_names");
    if (names == LG_NONE)
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, names);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg_columns_target(columns, edge) == key)
            return true;
    return false;
}

// Returns whether a frame runs code that names the variable. Code that does not
// name it, as a notebook cell that only asks, leaves it as it is. If the heap
// does not tell what code names, it may name all.
static bool
runs_with(const lg__detection *detection, uint32_t frame, uint32_t key)
{
    if (lg__node_category(detection->graph, frame) != LG_CATEGORY_FRAME ||
        !lg__detection_is_running(detection, frame))
        return false;
    uint32_t code = lg__detection_attribute(detection, frame, "f_code");
    return code == LG_NONE || lg__detection_names(detection, code, key);
}

static bool
function_runs_with(const lg__detection *detection, uint32_t function,
                   uint32_t key)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, function);
         i < lg__first_in(reverse, function + 1); i++)
        if (runs_with(detection, lg__in_source(reverse, i), key))
            return true;
    return false;
}

// Returns whether the edge is that of a global variable to its value, and code
// that runs names the variable.
static bool
is_running_global(const lg__detection *detection, uint32_t dict, uint64_t edge)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    uint32_t key = lg_columns_payload(&detection->graph->columns, edge);
    if (lg__edge_kind(detection->graph, edge) != LG_EDGE_VALUE)
        return false;
    for (uint64_t i = lg__first_in(reverse, dict);
         i < lg__first_in(reverse, dict + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        if (lg__edge_kind(detection->graph, edge_in(detection, i)) ==
                LG_EDGE_GLOBALS &&
            (runs_with(detection, source, key) ||
             function_runs_with(detection, source, key)))
            return true;
    }
    return false;
}

// Returns whether the edge is that of an object to its attribute, and a
// function that runs has the object as a variable and names the attribute.
static bool
is_running_attribute(const lg__detection *detection, uint32_t source,
                     uint64_t edge)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    uint32_t owner = lg__seen_node(detection->walk.fold, source);
    uint32_t key =
        lg__node_category(detection->graph, owner) == LG_CATEGORY_OTHER
            ? lg__attribute_key(detection->graph, owner, edge)
            : LG_NONE;
    if (key == LG_NONE)
        return false;
    for (uint64_t i = lg__first_in(reverse, owner);
         i < lg__first_in(reverse, owner + 1); i++)
        if (lg__edge_kind(detection->graph, edge_in(detection, i)) ==
                LG_EDGE_LOCAL &&
            runs_with(detection, lg__in_source(reverse, i), key))
            return true;
    return false;
}

// What counts as a variable besides the locals of running functions.
enum { GLOBALS = 1, ATTRIBUTES = 2 };

static bool is_variable(const lg__detection *detection, uint32_t node,
                        unsigned which, int levels);

// Returns whether the holder drops the node when its running code continues.
static bool
is_passing(const lg__detection *detection, uint32_t source, uint64_t edge,
           unsigned which, int levels)
{
    if (lg__node_category(detection->graph, source) == LG_CATEGORY_FRAME)
        return lg__detection_is_running(detection, source);
    return !is_storing(detection, source, edge) ||
           ((which & GLOBALS) && is_running_global(detection, source, edge)) ||
           ((which & ATTRIBUTES) &&
            is_running_attribute(detection, source, edge)) ||
           (levels > 0 &&
            (lg__type_bits_of(detection, source) & LG__TYPE_CONTAINER) &&
            lg__fold_owner(detection->walk.fold, source) == LG_NONE &&
            is_variable(detection, source, which, levels - 1));
}

// Returns whether only variables hold the node, with up to `levels` containers
// in between. `which`: what else counts, if running code names it. Each
// container on the way takes one of the levels, so this ends although
// containers may hold each other.
static bool
is_variable(const lg__detection *detection, uint32_t node, unsigned which,
            int levels)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++)
        if (!is_passing(detection, lg__in_source(reverse, i),
                        edge_in(detection, i), which, levels))
            return false;
    return true;
}

bool
lg__detection_is_variable(const lg__detection *detection, uint32_t node)
{
    return is_variable(detection, node, GLOBALS, 2);
}

bool
lg__detection_is_local(const lg__detection *detection, uint32_t node)
{
    return is_variable(detection, node, 0, 2);
}

bool
lg__detection_is_in_use(const lg__detection *detection, uint32_t node)
{
    return is_variable(detection, node, GLOBALS | ATTRIBUTES, 2);
}

static bool
have_word(const lg_graph *graph, uint32_t tuple, const char *word)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, tuple);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__string_is(lg_node_text(graph, lg_columns_target(columns, edge)),
                          word))
            return true;
    return false;
}

// Returns whether code passes an argument of that name: its constants have a
// tuple of such names.
static bool
passes(const lg__detection *detection, uint32_t code, const char *word)
{
    const lg_graph *graph = detection->graph;
    const lg_columns *columns = &graph->columns;
    uint32_t constants = lg__detection_attribute(detection, code, "co_consts");
    if (constants == LG_NONE)
        return false;
    const lg_edge_range edges = lg_columns_edges(columns, constants);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t constant = lg_columns_target(columns, edge);
        if (lg__node_role(graph, constant) == LG__ROLE_TUPLE &&
            have_word(graph, constant, word))
            return true;
    }
    return false;
}

// Returns whether the names are those of a function's code, not of a script's,
// and it keeps no graph for another backward().
static bool
are_of_function(const lg__detection *detection, uint32_t names)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, names);
         i < lg__first_in(reverse, names + 1); i++) {
        uint32_t code = lg__in_source(reverse, i);
        if (lg__detection_attribute(detection, code, "co_names") == names &&
            !lg__string_is(lg_node_text(detection->graph, code), "<module>") &&
            !passes(detection, code, "retain_graph"))
            return true;
    }
    return false;
}

// Returns whether a function names the variable and calls backward(): the
// tuples that have the variable's name are the names of code.
static bool
is_key_for_backward(const lg__detection *detection, uint32_t key)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, key);
         i < lg__first_in(reverse, key + 1); i++) {
        uint32_t names = lg__in_source(reverse, i);
        if (lg__node_role(detection->graph, names) == LG__ROLE_TUPLE &&
            have_word(detection->graph, names, "backward") &&
            are_of_function(detection, names))
            return true;
    }
    return false;
}

bool
lg__detection_is_for_backward(const lg__detection *detection, uint32_t node)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++) {
        uint64_t edge = edge_in(detection, i);
        uint32_t owner =
            lg__seen_node(detection->walk.fold, lg__in_source(reverse, i));
        uint32_t key = lg__attribute_key(detection->graph, owner, edge);
        if (key != LG_NONE && is_key_for_backward(detection, key))
            return true;
    }
    return false;
}

// What running code may still use: its variables, and what it names.
#include "findings/in_use.h"
#include "paths/paths_private.h"

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
    for (uint64_t i = reverse->first[function];
         i < reverse->first[function + 1]; i++)
        if (runs_with(detection, reverse->edge[i].source, key))
            return true;
    return false;
}

// Returns whether the edge is that of a global variable to its value, and code
// that runs names the variable.
static bool
is_running_global(const lg__detection *detection, uint32_t dict, uint64_t edge)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    uint32_t key = detection->graph->columns.edge_payload[edge];
    if (lg__edge_kind(detection->graph, edge) != LG_EDGE_VALUE)
        return false;
    for (uint64_t i = reverse->first[dict]; i < reverse->first[dict + 1]; i++) {
        uint32_t source = reverse->edge[i].source;
        if (lg__edge_kind(detection->graph,
                          lg__detection_edge_in(detection, i)) ==
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
    for (uint64_t i = reverse->first[owner]; i < reverse->first[owner + 1]; i++)
        if (lg__edge_kind(detection->graph,
                          lg__detection_edge_in(detection, i)) ==
                LG_EDGE_LOCAL &&
            runs_with(detection, reverse->edge[i].source, key))
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
    return !lg__detection_is_storing(detection, source, edge) ||
           ((which & GLOBALS) && is_running_global(detection, source, edge)) ||
           ((which & ATTRIBUTES) &&
            is_running_attribute(detection, source, edge)) ||
           (levels > 0 &&
            (lg__type_bits_of(detection, source) & LG__TYPE_CONTAINER) &&
            detection->walk.fold[source].owner == LG_NONE &&
            is_variable(detection, source, which, levels - 1));
}

// Returns whether only variables hold the node, with up to `levels` containers
// in between. `which`: what else counts, if running code names it.
static bool
is_variable(const lg__detection *detection, uint32_t node, unsigned which,
            int levels)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = reverse->first[node]; i < reverse->first[node + 1]; i++)
        if (!is_passing(detection, reverse->edge[i].source,
                        lg__detection_edge_in(detection, i), which, levels))
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

// Detects handlers that a registry keeps, each with an object or data that only
// the registry keeps: in a container of the program, or where the interpreter
// and asyncio keep what a program registers.
#include "findings/detectors.h"
#include "findings/in_use.h"
#include "findings/registries.h"
#include "findings/weak_entries.h"
#include "paths/paths_private.h"

#include <stdlib.h>

enum { MANY_HANDLERS = 16 }; // of one kind in one registry

// Returns whether only the registry keeps the node. A collection is the one
// that owns it first; the interpreter's registries are none.
static bool
belongs(const lg__detection *detection, uint32_t registry, uint32_t node)
{
    uint32_t found = lg__detection_container(detection, node, true);
    return found == registry ||
           (found == LG_NONE && lg__detection_owns(detection, registry, node));
}

// Returns whether a library connects its own objects by a method, as Matplotlib
// does with the markers of ticks.
static bool
is_of_library(const lg__detection *detection, uint32_t method, uint32_t self)
{
    uint32_t function = lg__detection_function(detection, method);
    return function != LG_NONE &&
           lg__node_origin(detection->graph, function, NULL) ==
               LG__ORIGIN_LIBRARY &&
           lg__node_origin(detection->graph, self, NULL) == LG__ORIGIN_LIBRARY;
}

// Adds a method. It belongs to the registry if only the registry keeps its
// object, and the object does not keep the method.
static void
add_method(lg__detection *detection, lg__detected_group *group,
           uint32_t registry, uint32_t method)
{
    uint32_t self = lg__detection_attribute(detection, method, "__self__");
    if (self == LG_NONE ||
        lg__node_category(detection->graph, self) != LG_CATEGORY_OTHER ||
        is_of_library(detection, method, self) ||
        lg__detection_owns(detection, self, method) ||
        !belongs(detection, registry, self))
        return;
    lg__detected_group_add(
        detection, group,
        (lg__one_of_many){registry,
                          lg_columns_type(&detection->graph->columns, self),
                          self, method});
}

// Returns whether it is an object of the program.
static bool
is_object(const lg__detection *detection, uint32_t node)
{
    return lg__node_category(detection->graph, node) == LG_CATEGORY_OTHER &&
           lg__node_origin(detection->graph, node, NULL) == LG__ORIGIN_PROGRAM;
}

static bool
is_data(const lg__detection *detection, uint32_t node)
{
    return (lg__type_bits_of(detection, node) &
            (LG__TYPE_TENSOR | LG__TYPE_ARRAY)) ||
           lg__detection_is_thing(detection, node);
}

typedef struct enclosed {
    const lg__detection *detection;
    uint32_t registry;
    bool any; // whether only the registry keeps what a variable has
} enclosed;

static bool
look_at_variable(void *context, const lg_hop *hop)
{
    enclosed *to = context;
    unsigned kind =
        lg__edge_kind(to->detection->graph, hop->edges[hop->edge_count - 1]);
    if (!hop->weak && kind == LG_EDGE_CELL &&
        is_data(to->detection, hop->target) &&
        belongs(to->detection, to->registry, hop->target))
        to->any = true;
    return !to->any;
}

// Returns whether a closure has data that only the registry keeps.
static bool
encloses(const lg__detection *detection, uint32_t registry, uint32_t function)
{
    enclosed to = {detection, registry, false};
    lg__hop_walk walk = detection->walk;
    walk.visit = look_at_variable;
    walk.context = &to;
    lg__hops_out_walk(&walk, function);
    return to.any;
}

// Returns the only argument that a partial binds, or LG_NONE if there are none
// or several.
static uint32_t
bound_by(const lg__detection *detection, uint32_t partial)
{
    static const char *const names[] = {"args", "keywords"};
    const lg_columns *columns = &detection->graph->columns;
    uint32_t bound = LG_NONE;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t all = lg__detection_attribute(detection, partial, names[i]);
        if (all == LG_NONE)
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, all);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            unsigned kind = lg__edge_kind(detection->graph, edge);
            if (kind != LG_EDGE_INDEX && kind != LG_EDGE_VALUE)
                continue;
            bound = lg_columns_target(columns, edge);
            count++;
        }
    }
    return count == 1 ? bound : LG_NONE;
}

// Adds a closure, or a partial that binds an object as a method does, if they
// belong to the registry together with what they enclose. A partial with
// several arguments, or with data, is a call to be made later, and so is what a
// deque has.
static void
add_closure(lg__detection *detection, lg__detected_group *group,
            uint32_t registry, uint32_t callable)
{
    uint32_t function = lg__detection_function(detection, callable);
    uint32_t code =
        function == LG_NONE
            ? LG_NONE
            : lg__detection_attribute(detection, function, "__code__");
    if (code == LG_NONE ||
        lg__node_origin(detection->graph, function, NULL) ==
            LG__ORIGIN_LIBRARY ||
        lg__node_is_a(detection->graph, registry, "collections.deque"))
        return;
    uint32_t bound =
        function == callable ? LG_NONE : bound_by(detection, callable);
    if (function == callable
            ? encloses(detection, registry, function)
            : bound != LG_NONE && is_object(detection, bound) &&
                  belongs(detection, registry, bound))
        lg__detected_group_add(
            detection, group,
            (lg__one_of_many){registry, code, callable, callable});
}

static void
add_handler(lg__detection *detection, lg__detected_group *group,
            uint32_t registry, uint32_t callable)
{
    unsigned type_bits = lg__type_bits_of(detection, callable);
    if (type_bits & LG__TYPE_METHOD)
        add_method(detection, group, registry, callable);
    else if (type_bits & LG__TYPE_CALLABLE)
        add_closure(detection, group, registry, callable);
}

// Returns whether a finalizer has the handler, and keeps by it the object that
// it waits for. That is a mistake of its own, which has another fix.
static bool
is_of_finalizer(const lg__detection *detection, uint32_t callable)
{
    enum { NEAR = 3 }; // dominators: a tuple or dict of arguments, and it
    uint32_t at = callable;
    for (int i = 0; i <= NEAR && at != LG_NONE; i++) {
        if (lg__type_bits_of(detection, at) & LG__TYPE_FINALIZER)
            return lg__kept_referent(detection, at) != LG_NONE;
        at = lg_node_dominator(detection->analysis, at);
    }
    return false;
}

// Looks at all handlers in containers of the program.
static void
look_at_containers(lg__detection *detection, lg__detected_group *group)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_CALLABLE);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t node = all->items[i];
        bool method = lg__type_bits_of(detection, node) & LG__TYPE_METHOD;
        uint32_t registry = lg__detection_container(detection, node, method);
        if (registry != LG_NONE && !is_of_finalizer(detection, node))
            add_handler(detection, group, registry, node);
    }
}

// Adds what atexit will call, or an argument of that.
static void
add_exit_handler(lg__detection *detection, lg__detected_group *group,
                 uint32_t registry, uint32_t node)
{
    const lg_columns *columns = &detection->graph->columns;
    if (lg__node_category(detection->graph, node) != LG_CATEGORY_CONTAINER) {
        add_handler(detection, group, registry, node);
        return;
    }
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        unsigned kind = lg__edge_kind(detection->graph, edge);
        if ((kind == LG_EDGE_INDEX || kind == LG_EDGE_VALUE) &&
            is_data(detection, target) && belongs(detection, registry, target))
            lg__detected_group_add(
                detection, group,
                (lg__one_of_many){registry, lg_columns_type(columns, target),
                                  target, node});
    }
}

typedef void add_one(lg__detection *detection, lg__detected_group *group,
                     uint32_t registry, uint32_t node);

// Adds the items of a list, or what the tuples in it have: a callable and its
// context or arguments.
static void
add_list(lg__detection *detection, lg__detected_group *group, uint32_t registry,
         uint32_t list, add_one *add)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, list);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t node = lg_columns_target(columns, edge);
        uint64_t first = lg_columns_first_edge(columns, node);
        if (lg__edge_kind(detection->graph, edge) != LG_EDGE_INDEX)
            continue;
        bool tuple = lg__node_role(detection->graph, node) == LG__ROLE_TUPLE;
        for (; tuple && first < lg_columns_first_edge(columns, node + 1);
             first++)
            add(detection, group, registry, lg_columns_target(columns, first));
        if (!tuple)
            add(detection, group, registry, node);
    }
}

// Adds what the interpreter keeps for atexit: each function and its arguments
// by themselves, or, from Python 3.14 on, a list of tuples of them.
static void
add_exit_handlers(lg__detection *detection, lg__detected_group *group,
                  uint32_t registry, uint32_t kept)
{
    if (lg__node_is_a(detection->graph, kept, "list"))
        add_list(detection, group, registry, kept, add_exit_handler);
    else
        add_exit_handler(detection, group, registry, kept);
}

// Looks at what the interpreter calls at its end and when it forks.
static void
look_at_interpreter(lg__detection *detection, lg__detected_group *group)
{
    const lg_columns *columns = &detection->graph->columns;
    for (uint32_t i = 0; i < detection->graph->root_count; i++) {
        uint32_t root = detection->graph->root_node[i];
        if (detection->graph->root_kind[i] != LG_ROOT_INTERPRETER)
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, root);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            lg__registry_kind kind = lg__registry_of(detection->graph, edge);
            if (kind == LG__REGISTRY_EXIT)
                add_exit_handlers(detection, group, root,
                                  lg_columns_target(columns, edge));
            else if (kind != LG__REGISTRY_NONE)
                add_list(detection, group, lg_columns_target(columns, edge),
                         lg_columns_target(columns, edge), add_handler);
        }
    }
}

// Looks at the callbacks of futures that are pending: the first one, and a list
// of the others. Code that runs drops a future that is one of its variables.
static void
look_at_futures(lg__detection *detection, lg__detected_group *group)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_FUTURE);
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t future = all->items[i];
        uint32_t others =
            lg__detection_attribute(detection, future, "_callbacks");
        uint32_t first =
            lg__detection_attribute(detection, future, "_callback0");
        if (others == LG_NONE || lg__detection_is_local(detection, future))
            continue;
        add_list(detection, group, future, others, add_handler);
        if (first != LG_NONE)
            add_handler(detection, group, future, first);
    }
}

static void
look_for_event_handlers(lg__detection *detection)
{
    lg__detected_group group = {0};
    look_at_containers(detection, &group);
    look_at_interpreter(detection, &group);
    look_at_futures(detection, &group);
    lg__detected_group_each(detection, &group, MANY_HANDLERS,
                            lg__detected_group_note);
    lg__free(group.items);
}

const lg__detector lg__detect_event_handlers = {
    .pattern = {.name = "event-handlers",
                .cause =
                    "A registry keeps handlers that nobody removed, and the "
                    "object that each bound method or closure refers to.",
                .fix = "Remove the handler when you are done with its object, "
                       "or register weakref.WeakMethod(object.method)."},
    .least = LG__MUCH,
    .look = look_for_event_handlers,
    .effect = LG__FIX_DROPS,
};

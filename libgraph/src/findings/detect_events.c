// Detects what registries keep: handlers, log records, generators.
#include "findings/context.h"

#include <stdlib.h>

enum {
    MANY_THINGS = 16,      // things of one kind in one container
    MANY_LOG_HANDLERS = 8, // handlers of one logger; each writes every message
                           // again
};

// -------------------------------------------------------- event handlers ---

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
add_method(lg__detection *detection, lg__detected_group *group, uint32_t method)
{
    uint32_t container = lg__detection_container(detection, method, true);
    uint32_t self =
        container == LG_NONE
            ? LG_NONE
            : lg__detection_attribute(detection, method, "__self__");
    if (self == LG_NONE ||
        lg__node_category(detection->graph, self) != LG_CATEGORY_OTHER ||
        is_of_library(detection, method, self) ||
        lg__detection_owns(detection, self, method) ||
        lg__detection_container(detection, self, true) != container)
        return;
    lg__detected_group_add(
        detection, group,
        (lg__one_of_many){container, detection->graph->columns.type[self], self,
                          method});
}

typedef struct enclosed {
    const lg__detection *detection;
    uint32_t container;
    bool any; // whether only the container keeps data or an object of the
              // program
} enclosed;

static bool
look_at_enclosed(void *context, const lg_hop *hop)
{
    enclosed *to = context;
    const lg_graph *graph = to->detection->graph;
    unsigned type_bits = lg__type_bits_of(to->detection, hop->target);
    bool is_data =
        (type_bits & (LG__TYPE_TENSOR | LG__TYPE_ARRAY)) ||
        (lg__node_category(graph, hop->target) == LG_CATEGORY_OTHER &&
         lg__node_origin(graph, hop->target, NULL) == LG__ORIGIN_PROGRAM);
    unsigned kind = lg__edge_kind(graph, hop->edges[hop->edge_count - 1]);
    if (!hop->weak && is_data &&
        (kind == LG_EDGE_CELL || kind == LG_EDGE_INDEX ||
         kind == LG_EDGE_VALUE) &&
        lg__detection_container(to->detection, hop->target, true) ==
            to->container)
        to->any = true;
    return !to->any;
}

static void
look_into(enclosed *to, uint32_t node)
{
    lg__walk walk = to->detection->walk;
    walk.visit = look_at_enclosed;
    walk.context = to;
    if (node != LG_NONE)
        lg__hops_out_walk(&walk, node);
}

// Adds a closure or a partial, which belongs to the registry together with what
// it encloses.
static void
add_closure(lg__detection *detection, lg__detected_group *group,
            uint32_t callable)
{
    enclosed to = {.detection = detection,
                   .container =
                       lg__detection_container(detection, callable, false)};
    if (to.container == LG_NONE)
        return;
    uint32_t function = lg__detection_function(detection, callable);
    uint32_t code =
        function == LG_NONE
            ? LG_NONE
            : lg__detection_attribute(detection, function, "__code__");
    if (code == LG_NONE ||
        lg__node_origin(detection->graph, function, NULL) == LG__ORIGIN_LIBRARY)
        return;
    if (function == callable) {
        look_into(&to, function);
    } else {
        look_into(&to, lg__detection_attribute(detection, callable, "args"));
        look_into(&to,
                  lg__detection_attribute(detection, callable, "keywords"));
    }
    if (to.any)
        lg__detected_group_add(
            detection, group,
            (lg__one_of_many){to.container, code, callable, callable});
}

void
lg__look_for_event_handlers(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_CALLABLE);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t node = all->items[i];
        if (lg__type_bits_of(detection, node) & LG__TYPE_METHOD)
            add_method(detection, &group, node);
        else
            add_closure(detection, &group, node);
    }
    lg__detected_group_each(detection, &group, MANY_THINGS,
                            lg__detected_group_note);
    lg__wide_free(group.items);
}

// ------------------------------------------------------ things of a kind ---

typedef bool choice(const lg__detection *detection, uint32_t node);

static void
look_for_many(lg__detection *detection, unsigned type_bits, size_t many,
              bool instances, choice *is_chosen)
{
    const lg__gathered *all = lg__detection_all(detection, type_bits);
    lg__detected_group group = {0};
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t node = all->items[i];
        uint32_t container =
            lg__detection_container(detection, node, instances);
        if (container != LG_NONE &&
            (is_chosen == NULL || is_chosen(detection, node)))
            lg__detected_group_add(
                detection, &group,
                (lg__one_of_many){container,
                                  detection->graph->columns.type[node], node,
                                  node});
    }
    lg__detected_group_each(detection, &group, many, lg__detected_group_note);
    lg__wide_free(group.items);
}

void
lg__look_for_log_handlers(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_HANDLER, MANY_LOG_HANDLERS, false,
                  NULL);
}

void
lg__look_for_log_records(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_LOG_RECORD, MANY_THINGS, true, NULL);
}

void
lg__look_for_generators(lg__detection *detection)
{
    look_for_many(detection, LG__TYPE_SUSPENDED, MANY_THINGS, false, NULL);
}

// Groups things that are alike below one container.
#include "findings/in_use.h"

#include <stdlib.h>

enum {
    CLIMBS = 12,  // most steps from a thing to its container
    FEW = 4,      // a container with this many references or fewer is a record,
                  // not a collection
    OWNERS = 64,  // most dominators to look at
    SHARERS = 32, // most nodes between a node and the containers that share it
};

uint32_t
lg__detection_function(const lg__detection *detection, uint32_t callable)
{
    for (int i = 0; i < 4; i++) {
        if (lg__node_role(detection->graph, callable) == LG__ROLE_FUNCTION)
            return callable;
        uint32_t inner =
            lg__detection_attribute(detection, callable, "__func__");
        if (inner == LG_NONE)
            inner = lg__detection_attribute(detection, callable, "func");
        if (inner == LG_NONE)
            break;
        callable = inner;
    }
    return LG_NONE;
}

static bool
has_many(const lg__detection *detection, uint32_t node)
{
    const lg_columns *columns = &detection->graph->columns;
    return lg_columns_first_edge(columns, node + 1) -
               lg_columns_first_edge(columns, node) >
           FEW;
}

// Returns whether a program can empty it. A tuple, or a record of a class made
// by namedtuple(), has what it was made with.
static bool
is_collection(const lg__detection *detection, uint32_t node)
{
    return (lg__type_bits_of(detection, node) & LG__TYPE_CONTAINER) &&
           has_many(detection, node) &&
           lg__fold_owner(detection->walk.fold, node) == LG_NONE &&
           !lg__node_is_a(detection->graph, node, "tuple");
}

// Returns whether it is an array with many elements that are objects.
static bool
is_object_array(const lg__detection *detection, uint32_t node)
{
    return lg__node_category(detection->graph, node) == LG_CATEGORY_ARRAY &&
           has_many(detection, node);
}

static bool
is_passed(const lg__detection *detection, uint32_t node, bool instances)
{
    switch (lg__node_category(detection->graph, node)) {
    case LG_CATEGORY_CONTAINER:
        return true;
    case LG_CATEGORY_ARRAY:
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_OTHER:
        return instances;
    default:
        return false;
    }
}

// Climbs from a node along the dominators to a collection, past what
// `instances` says. *array becomes the first array of objects on the path.
static uint32_t
climb(const lg__detection *detection, uint32_t node, bool instances,
      uint32_t *array)
{
    *array = LG_NONE;
    for (int i = 0; i < CLIMBS && node != LG_NONE; i++) {
        if (is_collection(detection, node))
            return node;
        if (*array == LG_NONE && is_object_array(detection, node))
            *array = node;
        if (!is_passed(detection, node, instances))
            return LG_NONE;
        node = lg_node_dominator(detection->analysis, node);
    }
    return LG_NONE;
}

uint32_t
lg__detection_container(const lg__detection *detection, uint32_t node,
                        bool instances)
{
    uint32_t array;
    uint32_t above = lg_node_dominator(detection->analysis, node);
    uint32_t found = climb(detection, above, instances, &array);
    return found == LG_NONE || lg__detection_is_local(detection, found)
               ? LG_NONE
               : found;
}

// A way up from a node to the containers that share it.
typedef struct ascent {
    const lg__detection *detection;
    uint32_t nodes[SHARERS]; // the node, and what leads to it
    size_t count;
    bool instances;
    uint32_t *containers; // [LG__SHARING]
    size_t found;
    bool other; // whether anything else leads to it
} ascent;

static bool
is_on_the_way(const ascent *to, uint32_t node)
{
    for (size_t i = 0; i < to->count; i++)
        if (to->nodes[i] == node)
            return true;
    return false;
}

static void
add_container(ascent *to, uint32_t container)
{
    bool known = to->found == LG__SHARING;
    for (size_t i = 0; i < to->found; i++)
        known |= to->containers[i] == container;
    if (!known)
        to->containers[to->found++] = container;
}

static bool
add_sharer(void *context, const lg_hop *hop)
{
    ascent *to = context;
    const lg__detection *detection = to->detection;
    uint32_t source = hop->source;
    if (hop->weak || is_on_the_way(to, source) ||
        !lg_node_is_reachable(detection->analysis, source) ||
        lg__detection_owns(detection, to->nodes[0], source))
        return true;
    bool collects = is_collection(detection, source);
    to->other |=
        lg__detection_is_local(detection, source) ||
        lg__node_category(detection->graph, source) == LG_CATEGORY_FUNCTION ||
        (!collects && !is_passed(detection, source, to->instances)) ||
        (!collects && to->count == SHARERS);
    if (!collects && !to->other)
        to->nodes[to->count++] = source;
    if (collects)
        add_container(to, source);
    return !to->other;
}

// Each node on the way up is added once, and after SHARERS of them the search
// gives up.
size_t
lg__detection_containers(const lg__detection *detection, uint32_t node,
                         bool instances, uint32_t out[LG__SHARING])
{
    ascent to = {.detection = detection,
                 .nodes = {node},
                 .count = 1,
                 .instances = instances,
                 .containers = out};
    lg__hop_walk walk = detection->walk;
    out[0] = lg__detection_container(detection, node, instances);
    if (out[0] != LG_NONE || lg__detection_is_local(detection, node))
        return out[0] != LG_NONE;
    walk.visit = add_sharer;
    walk.context = &to;
    for (size_t i = 0; i < to.count && !to.other; i++)
        lg__hops_in_walk(&walk, to.nodes[i]);
    return to.other ? 0 : to.found;
}

uint32_t
lg__detection_collection(const lg__detection *detection, uint32_t node)
{
    uint32_t array;
    uint32_t found = climb(detection, node, true, &array);
    return found != LG_NONE ? found : array;
}

bool
lg__detection_owns(const lg__detection *detection, uint32_t owner,
                   uint32_t node)
{
    for (int i = 0; i < OWNERS && node != LG_NONE; i++) {
        node = lg_node_dominator(detection->analysis, node);
        if (node == owner)
            return node != LG_NONE;
    }
    return false;
}

void
lg__detected_group_add(lg__detection *detection, lg__detected_group *group,
                       lg__one_of_many member)
{
    if (!lg__array_room(&group->items, group->count, sizeof *group->items)) {
        detection->failed = true;
        return;
    }
    group->items[group->count++] = member;
}

static int
compare(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int
by_container(const void *left, const void *right)
{
    const lg__one_of_many *a = left;
    const lg__one_of_many *b = right;
    int order = compare(a->container, b->container);
    order = order != 0 ? order : compare(a->kind, b->kind);
    order = order != 0 ? order : compare(a->subject, b->subject);
    return order != 0 ? order : compare(a->node, b->node);
}

// Returns the number of members from `at` on with the same container and kind,
// and counts their subjects.
static size_t
run_length(const lg__detected_group *group, size_t at, size_t *subjects)
{
    const lg__one_of_many *first = &group->items[at];
    size_t length = 0;
    *subjects = 0;
    while (at + length < group->count &&
           first[length].container == first->container &&
           first[length].kind == first->kind) {
        *subjects +=
            length == 0 || first[length].subject != first[length - 1].subject;
        length++;
    }
    return length;
}

void
lg__detected_group_each(lg__detection *detection, lg__detected_group *group,
                        size_t many, lg__detected_group_visit *visit)
{
    size_t subjects;
    if (group->count == 0)
        return;
    qsort(group->items, group->count, sizeof *group->items, by_container);
    for (size_t at = 0; at < group->count && !detection->failed;) {
        size_t length = run_length(group, at, &subjects);
        if (subjects >= many)
            visit(detection, &group->items[at], length);
        at += length;
    }
}

void
lg__detected_group_note(lg__detection *detection,
                        const lg__one_of_many *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lg__detection_note(detection, members[i].container, members[i].node);
}

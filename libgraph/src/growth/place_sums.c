// Adds up what is in each place, in the order of nodes.
#include "growth/place_walk.h"

static uint32_t
number_of(const lg__place_walk *walk, uint32_t node)
{
    return walk->place[node] & ~LG__PLACE_MARKS;
}

// Of two members, the one to which the reference comes later. Nodes come in
// ascending order.
static bool
is_later(const lg__place_walk *walk, uint32_t node, uint32_t other)
{
    return other == LG_NONE ||
           walk->labels.via[node] >= walk->labels.via[other];
}

static void
add_node(lg__place_walk *walk, uint32_t node)
{
    uint32_t marks = walk->place[node];
    uint32_t place = marks & ~LG__PLACE_MARKS;
    const uint64_t *first_edge = walk->graph->columns.first_edge;
    lg__place_item *item = lg__place_at(walk->places, place);
    bool loose = (marks & LG__PLACE_LOOSE) != 0;
    lg__place_own(walk->places, place)[0] += lg_node_size(walk->graph, node);
    item->references += first_edge[node + 1] - first_edge[node];
    if (marks & LG__PLACE_PART)
        return;
    item->members += !loose;
    if (marks & LG__PLACE_INNER)
        return;
    lg__place_retained(walk->places, place)[0] += walk->analysis->host[node];
    if (!loose && is_later(walk, node, item->example))
        item->example = node;
}

// Moves the bytes that lie on devices there.
static void
place_devices(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t bytes = lg_node_size(graph, node);
        uint64_t *own = lg__place_own(walk->places, number_of(walk, node));
        own[0] -= bytes;
        own[graph->device_id[i]] += bytes;
    }
    const lg__on_device *entries = walk->analysis->device.data;
    for (size_t i = 0; i < walk->analysis->device.count; i++) {
        uint32_t node = entries[i].node;
        if (node < graph->columns.node_count &&
            !(walk->place[node] & LG__PLACE_INNER))
            lg__place_retained(walk->places,
                               number_of(walk, node))[entries[i].device] +=
                entries[i].bytes;
    }
}

void
lg__place_sums(lg__place_walk *walk)
{
    for (uint32_t node = 0; node < walk->graph->columns.node_count; node++)
        add_node(walk, node);
    place_devices(walk);
}

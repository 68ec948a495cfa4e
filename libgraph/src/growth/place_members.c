// Divides what is in each place among devices.
#include "growth/place_walk.h"

static void
move_own(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t bytes = lg_node_size(graph, node);
        uint64_t *own =
            lg__place_own(walk->places, walk->place[node] & ~LG__PLACE_MARKS);
        own[0] -= bytes;
        own[graph->device_id[i]] += bytes;
    }
}

void
lg__places_on_devices(lg__place_walk *walk)
{
    const lg__on_device *entries = walk->analysis->device.data;
    if (walk->places->each == 1)
        return;
    for (uint32_t i = 0; i < walk->places->items.count; i++) {
        lg__place_own(walk->places, i)[0] =
            lg__place_at(walk->places, i)->host[0];
        lg__place_retained(walk->places, i)[0] =
            lg__place_at(walk->places, i)->host[1];
    }
    move_own(walk);
    for (size_t i = 0; i < walk->analysis->device.count; i++) {
        uint32_t node = entries[i].node;
        if (node >= walk->graph->columns.node_count ||
            (walk->place[node] & LG__PLACE_INNER))
            continue;
        uint32_t place = walk->place[node] & ~LG__PLACE_MARKS;
        lg__place_retained(walk->places, place)[entries[i].device] +=
            entries[i].bytes;
    }
}

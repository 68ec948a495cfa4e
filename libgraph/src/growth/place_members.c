// Adds up what is in each place.
#include "growth/place_walk.h"

lg__place_item *
lg__place_add_own(lg__place_walk *walk, uint32_t node, uint32_t place)
{
    const lg_columns *columns = &walk->graph->columns;
    uint64_t size = columns->size[node];
    if (size == UINT32_MAX)
        size = lg_node_size(walk->graph, node);
    lg__place_item *item = lg__place_at(walk->places, place);
    lg__place_own(walk->places, place)[0] += size;
    item->references +=
        columns->first_edge[node + 1] - columns->first_edge[node];
    return item;
}

void
lg__place_add_outer(lg__place_walk *walk, uint32_t node, uint32_t place,
                    uint64_t via)
{
    lg__place_item *item = lg__place_at(walk->places, place);
    uint64_t *last = (uint64_t *)walk->vias.data + place;
    lg__place_retained(walk->places, place)[0] += walk->analysis->host[node];
    if (item->example == LG_NONE || via > *last ||
        (via == *last && node > item->example)) {
        item->example = node;
        *last = via;
    }
}

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
    const unsigned inner = LG__PLACE_INNER | LG__PLACE_PART;
    const lg__on_device *entries = walk->analysis->device.data;
    move_own(walk);
    for (size_t i = 0; i < walk->analysis->device.count; i++) {
        uint32_t node = entries[i].node;
        if (node >= walk->graph->columns.node_count ||
            (walk->place[node] & inner))
            continue;
        uint32_t place = walk->place[node] & ~LG__PLACE_MARKS;
        lg__place_retained(walk->places, place)[entries[i].device] +=
            entries[i].bytes;
    }
}

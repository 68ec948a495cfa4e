// Adds up the nodes of each place, in order of nodes and after all have one.
// While the walk looks for places, it mostly waits for steps that it cannot
// predict; here the processor reads several places at a time.
#include "growth/place_walk.h"

#include <leakgraph/internal/native.h>

// How many nodes ahead to prefetch a place.
enum { AHEAD = 16 };

uint32_t
lg__top_dominator_label(const lg__place_walk *walk, uint32_t name)
{
    const lg__module_name *names = walk->names.data;
    if (name == 0)
        return LG_NONE;
    return walk->graph->columns.edge_count > LG_NONE
               ? name - 1
               : (uint32_t)names[name - 1].edge;
}

// Returns the number of the reference to a member. Those of a graph with more
// than 2^32 references have more bits than `via`.
static uint64_t
whole_via(lg__place_walk *walk, uint32_t node)
{
    const lg__module_name *names = walk->names.data;
    uint32_t above = walk->analysis->dominator[node];
    return above < walk->graph->columns.node_count
               ? lg__via_of(walk, node, above).edge
               : names[walk->via[node]].edge;
}

// Adds a member that no other member dominates. The example is the member whose
// reference is the last; of two, the later one.
static inline void
add_member(lg__place_item *item, uint32_t node, uint64_t retained, uint64_t via)
{
    item->members++;
    item->host[1] += retained;
    if (via >= item->via) {
        item->example = node;
        item->via = via & LG__VIA_MASK;
    }
}

// The walk has kept bits of steps where the numbers of references belong.
static void
forget_steps(lg_places *places)
{
    for (uint32_t i = 0; i < places->items.count; i++)
        lg__place_at(places, i)->references = 0;
}

// Counts what a native node stands for: its blocks.
static void
count_blocks(const lg__place_walk *walk)
{
    for (uint32_t node = lg__first_native(walk->graph);
         node < walk->graph->columns.node_count; node++) {
        uint32_t place = walk->place[node] & ~LG__PLACE_MARKS;
        uint64_t blocks = lg_node_blocks(walk->graph, node);
        if (!(walk->place[node] & LG__PLACE_INNER) && blocks > 1)
            lg__place_at(walk->places, place)->members += blocks - 1;
    }
}

void
lg__places_add_up(lg__place_walk *walk)
{
    const lg_columns *columns = &walk->graph->columns;
    const uint64_t *first_edge = columns->first_edge;
    const uint64_t *retained = walk->analysis->host;
    const uint32_t *place = walk->place;
    lg__place_item *items = lg__place_at(walk->places, 0);
    uint32_t nodes = columns->node_count;
    forget_steps(walk->places);
    bool narrow = columns->edge_count <= LG_NONE;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t ahead = node + AHEAD < nodes ? node + AHEAD : node;
        __builtin_prefetch(&items[place[ahead] & ~LG__PLACE_MARKS]);
        lg__place_item *item = &items[place[node] & ~LG__PLACE_MARKS];
        uint64_t size = lg_columns_size(columns, node);
        if (size == UINT32_MAX)
            size = lg_node_size(walk->graph, node);
        item->host[0] += size;
        item->references += first_edge[node + 1] - first_edge[node];
        if (place[node] & LG__PLACE_INNER)
            continue;
        uint64_t via = walk->via[node];
        if (via == LG_NONE)
            via = LG__VIA_MASK;
        else if (!narrow)
            via = whole_via(walk, node) & LG__VIA_MASK;
        add_member(item, node, retained[node], via);
    }
    count_blocks(walk);
}

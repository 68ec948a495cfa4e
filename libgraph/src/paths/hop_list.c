// Finds the hops from one object to several.
#include "paths/path_hops.h"
#include "paths/measure.h"

#include <stdlib.h>
#include <string.h>

// From this many targets on, looking at all hops out of the object is faster
// than looking for each.
enum { MANY = 8 };

static bool
take(void *context, const lg_hop *hop)
{
    lg__hop_list *list = context;
    uint32_t slot = list->slot[hop->target];
    if (slot != 0 && !hop->weak)
        lg__hop_choose(list->graph, hop, &list->items[slot - 1]);
    return true;
}

static void
find_many(lg__hop_list *list, const lg__hop_walk *walk, uint32_t source,
          const lg__gathered *targets)
{
    lg__hop_walk again = *walk;
    again.visit = take;
    again.context = list;
    for (size_t i = 0; i < targets->count; i++)
        list->slot[targets->items[i]] = (uint32_t)i + 1;
    lg__hops_out_walk(&again, source);
    for (size_t i = 0; i < targets->count; i++)
        list->slot[targets->items[i]] = 0;
}

static bool
make_room(lg__hop_list *list, const lg_graph *graph, size_t count)
{
    list->graph = graph;
    if (list->slot == NULL)
        list->slot = lg__calloc((size_t)graph->columns.node_count + 1,
                                sizeof *list->slot);
    if (count > list->capacity) {
        lg__free(list->items);
        list->capacity = 2 * count;
        list->items = lg__alloc(list->capacity * sizeof *list->items);
        list->capacity = list->items == NULL ? 0 : list->capacity;
    }
    if (list->slot == NULL || count > list->capacity)
        return false;
    if (count > 0)
        memset(list->items, 0, count * sizeof *list->items);
    return true;
}

bool
lg__hop_list_find(lg__hop_list *list, const lg__hop_walk *walk, uint32_t source,
                  const lg__gathered *targets)
{
    if (!make_room(list, walk->graph, targets->count))
        return false;
    if (source >= walk->graph->columns.node_count)
        return true;
    if (targets->count >= MANY) {
        find_many(list, walk, source, targets);
        return true;
    }
    for (size_t i = 0; i < targets->count; i++)
        list->items[i] = lg__hop_between(walk, source, targets->items[i]);
    return true;
}

void
lg__hop_list_free(lg__hop_list *list)
{
    lg__free(list->items);
    lg__free(list->slot);
    *list = (lg__hop_list){0};
}

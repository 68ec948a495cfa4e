// Finds what exists twice, and what views keep without showing it.
#include "answers/waste_search.h"

#include <leakgraph/internal/facts.h>

#include <stdlib.h>

// Less is not worth a row, and malloc keeps it anyway.
enum { LEAST_MEMORY = 4096 };

// Returns the bytes of an object and of the memory that it owns on the host.
static uint64_t
spent_with_memory(const lg_graph *graph, uint32_t node, bool *owns)
{
    const lg_columns *columns = &graph->columns;
    uint64_t bytes = lg_node_spent(graph, node);
    uint64_t end = columns->first_edge[node + 1];
    *owns = false;
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (!(columns->node_flags[target] & LG_NODE_BUFFER) ||
            lg_node_device(graph, target) != 0)
            continue;
        bytes += lg_node_spent(graph, target);
        *owns = true;
    }
    return bytes;
}

// Sorts the members of all groups by group. Computes where each group begins.
static bool
sort_by_group(const lg_graph *graph, uint32_t **first, uint32_t **members)
{
    uint32_t count = graph->equal_count;
    *first = lg__calloc((size_t)count + 2, sizeof **first);
    *members = lg__alloc(((size_t)count + 1) * sizeof **members);
    if (*first == NULL || *members == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        (*first)[graph->equal_group[i] + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        (*first)[i] += (*first)[i - 1];
    for (uint32_t i = 0; i < count; i++)
        (*members)[(*first)[graph->equal_group[i] + 1]++] =
            graph->equal_node[i];
    return true;
}

// Returns which of equal objects stays: a name, because the interpreter keeps
// it anyway, or else the one with the most references, because then the fewest
// must change.
static uint32_t
choose_kept(const lg_graph *graph, const uint32_t *members, uint32_t count)
{
    const lg_columns *columns = &graph->columns;
    uint32_t kept = LG_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (columns->node_flags[members[i]] & (LG_NODE_NAME | LG_NODE_IMMORTAL))
            return members[i];
        if (kept == LG_NONE || lg_columns_refcount(columns, members[i]) >
                                   lg_columns_refcount(columns, kept))
            kept = members[i];
    }
    return kept;
}

static bool
add_group(lg__wasting *to, uint32_t group, const uint32_t *members,
          uint32_t count)
{
    bool enough = true;
    uint32_t kept = choose_kept(to->graph, members, count);
    for (uint32_t i = 0; i < count && enough; i++) {
        lg__saving saving = {.kind = LG_WASTE_EQUAL,
                             .node = members[i],
                             .used = (uint64_t)group + 1};
        if (members[i] == kept || to->counted[members[i]])
            continue;
        saving.size = saving.waste =
            spent_with_memory(to->graph, members[i], &saving.at_most);
        enough = lg__waste_add(to, &saving, NULL);
    }
    return enough;
}

lg_status
lg__waste_equal(lg__wasting *to, lg_error *err)
{
    uint32_t *first = NULL;
    uint32_t *members = NULL;
    bool enough = sort_by_group(to->graph, &first, &members);
    for (uint32_t i = 0; i < to->graph->equal_count && enough; i++)
        enough = add_group(to, i, members + first[i], first[i + 1] - first[i]);
    lg__free(first);
    lg__free(members);
    return enough ? LG_OK : lg__error_memory(err);
}

static bool
is_mapped(const lg_graph *graph, uint32_t memory)
{
    return lg__string_is(lg_node_fact(graph, memory, "memory"), "mapped");
}

static bool
add_views(lg__wasting *to, lg__views *views, uint32_t memory, uint64_t size)
{
    if (!lg__views_look(views, memory))
        return false;
    if (views->widest == LG_NONE || views->unknown || views->shown > size / 2 ||
        is_mapped(to->graph, memory))
        return true;
    // An array that only its views keep is no copy of another one.
    for (size_t i = 0; i < views->arrays.count; i++)
        to->counted[views->arrays.items[i]] = 1;
    to->counted[memory] = 1;
    const lg__saving saving = {.kind = LG_WASTE_VIEW,
                               .node = views->widest,
                               .device = lg_node_device(to->graph, memory),
                               .size = size,
                               .waste = size - views->shown,
                               .used = views->shown,
                               .of = size};
    return lg__waste_add(to, &saving, NULL);
}

lg_status
lg__waste_views(lg__wasting *to, lg_error *err)
{
    lg__views views;
    bool enough = lg__views_begin(&views, to->graph);
    for (uint32_t node = 0; node < to->graph->columns.node_count && enough;
         node++) {
        uint64_t size = lg_node_size(to->graph, node);
        if (size >= LEAST_MEMORY && lg__node_is_memory(to->graph, node))
            enough = add_views(to, &views, node, size);
    }
    lg__views_end(&views);
    return enough ? LG_OK : lg__error_memory(err);
}

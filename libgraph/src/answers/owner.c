// Which node dominates which, as answers show it.
#include "answers/answers_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>

lg_node
lg_node_owner(const lg_analysis *analysis, lg_node node)
{
    uint32_t owner = lg__shown_dominator(analysis, node);
    for (uint32_t at = owner; at != LG_NONE;
         at = lg_node_folded_into(analysis->graph, at))
        owner = at;
    return owner;
}

// Prefetches bytes, because nodes of a list are far apart in memory.
static void
ask_ahead(const lg_analysis *analysis, const lg_node *nodes, size_t left)
{
    enum { AHEAD = 16 };
    if (left <= AHEAD)
        return;
    __builtin_prefetch(&analysis->policy.mark[nodes[AHEAD]]);
    __builtin_prefetch(lg__compact_distance(&analysis->host.low, nodes[AHEAD]));
}

// Ranks the biggest nodes, the smallest of them on top. The heap has its
// biggest on top, so bytes and nodes are inverted.
typedef struct ranking {
    lg__node_heap heap;
    size_t most;
} ranking;

static lg__weighed_node
turned(uint64_t bytes, uint32_t node)
{
    return (lg__weighed_node){UINT64_MAX - bytes, UINT32_MAX - node, node};
}

static bool
is_less(const lg__weighed_node *top, uint64_t bytes, uint32_t node)
{
    uint64_t least = UINT64_MAX - top->bytes;
    return least != bytes ? least < bytes : top->tag > node;
}

static bool
rank(const lg_analysis *analysis, const lg_node *nodes, size_t count,
     ranking *into)
{
    lg__node_heap *heap = &into->heap;
    bool enough = true;
    for (size_t i = 0; i < count && enough; i++) {
        ask_ahead(analysis, nodes + i, count - i);
        uint64_t bytes = lg__freed_by(analysis, nodes[i]);
        if (heap->count < into->most) {
            enough = lg__node_heap_push(heap, turned(bytes, nodes[i]));
        } else if (heap->count > 0 &&
                   is_less(&heap->items[0], bytes, nodes[i])) {
            lg__node_heap_pop(heap);
            enough = lg__node_heap_push(heap, turned(bytes, nodes[i]));
        }
    }
    return enough;
}

// Takes the ranked nodes off the heap, without the `first` ones.
static lg_status
take(lg__node_heap *heap, size_t first, lg_nodes *out, lg_error *err)
{
    size_t count = heap->count > first ? heap->count - first : 0;
    uint32_t *nodes = lg__alloc((count + 1) * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = count; i-- > 0;)
        nodes[i] = lg__node_heap_pop(heap).tag;
    *out = (lg_nodes){nodes, count};
    return LG_OK;
}

static ranking
ranking_of(size_t first, size_t limit)
{
    return (ranking){.most =
                         limit < SIZE_MAX - first ? first + limit : SIZE_MAX};
}

// Lists what a node or the super-root owns.
static lg_status
list_owned(const lg_analysis *analysis, uint32_t node, size_t first,
           size_t limit, lg_nodes *out, size_t *total, lg_error *err)
{
    const lg__folds *folds = lg__graph_folds(analysis->graph);
    lg__gathered below = {0};
    ranking ranked = ranking_of(first, limit);
    bool enough = folds != NULL &&
                  lg__gather_dominated(analysis, folds, node, 0, &below) &&
                  rank(analysis, below.items, below.count, &ranked);
    lg_status status =
        enough ? take(&ranked.heap, first, out, err) : lg__error_memory(err);
    if (status == LG_OK)
        *total = below.count;
    lg__free(below.items);
    lg__node_heap_free(&ranked.heap);
    return status;
}

static lg_status
check_nodes(const lg_analysis *analysis, const lg_node *nodes, size_t count,
            lg_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= analysis->graph->columns.node_count)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    return LG_OK;
}

lg_status
lg_node_owned_range(const lg_analysis *analysis, lg_node node, size_t first,
                    size_t limit, lg_nodes *out, size_t *total, lg_error *err)
{
    if (node >= analysis->graph->columns.node_count)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    return list_owned(analysis, node, first, limit, out, total, err);
}

lg_status
lg_nodes_ranked(const lg_analysis *analysis, const lg_node *nodes, size_t count,
                size_t first, size_t limit, lg_nodes *out, lg_error *err)
{
    ranking ranked = ranking_of(first, limit);
    lg_status status = check_nodes(analysis, nodes, count, err);
    if (status != LG_OK)
        return status;
    status = rank(analysis, nodes, count, &ranked)
                 ? take(&ranked.heap, first, out, err)
                 : lg__error_memory(err);
    lg__node_heap_free(&ranked.heap);
    return status;
}

lg_status
lg_node_owned(const lg_analysis *analysis, lg_node node, lg_nodes *out,
              lg_error *err)
{
    size_t total;
    return lg_node_owned_range(analysis, node, 0, SIZE_MAX, out, &total, err);
}

lg_status
lg_roots_owned(const lg_analysis *analysis, lg_nodes *out, lg_error *err)
{
    size_t total;
    return list_owned(analysis, analysis->graph->columns.node_count, 0,
                      SIZE_MAX, out, &total, err);
}

enum { UNKNOWN, OWNED, FREE };

// Marks the node, and all that own it up to the first that is marked, so a long
// chain of owners is followed once.
static uint8_t
mark_owners(const lg_analysis *analysis, lg_node node, uint8_t *marks)
{
    lg_node at = node;
    while (at != LG_NONE && marks[at] == UNKNOWN)
        at = lg_node_owner(analysis, at);
    const uint8_t mark = at == LG_NONE ? FREE : marks[at];
    for (at = node; at != LG_NONE && marks[at] == UNKNOWN;
         at = lg_node_owner(analysis, at))
        marks[at] = mark;
    return mark;
}

lg_status
lg_nodes_keep_owned(const lg_analysis *analysis, const lg_node *holders,
                    size_t count, lg_nodes *nodes, lg_error *err)
{
    lg_status status = check_nodes(analysis, holders, count, err);
    if (status == LG_OK)
        status = check_nodes(analysis, nodes->items, nodes->count, err);
    if (status != LG_OK)
        return status;
    uint8_t *marks =
        lg__calloc((size_t)analysis->graph->columns.node_count + 1, 1);
    if (marks == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        marks[holders[i]] = OWNED;
    size_t kept = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        lg_node owner = lg_node_owner(analysis, nodes->items[i]);
        if (owner != LG_NONE && mark_owners(analysis, owner, marks) == OWNED)
            nodes->items[kept++] = nodes->items[i];
    }
    nodes->count = kept;
    lg__free(marks);
    return LG_OK;
}

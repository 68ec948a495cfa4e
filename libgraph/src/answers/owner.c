// Which node dominates which, as answers show it.
#include "answers/answers_private.h"

#include <stdlib.h>

lg_node
lg_node_owner(const lg_analysis *analysis, lg_node node)
{
    uint32_t owner = lg_node_dominator(analysis, node);
    for (uint32_t at = owner; at != LG_NONE;
         at = lg_node_folded_into(analysis->graph, at))
        owner = at;
    return owner;
}

static bool
weigh(const lg_analysis *analysis, const lg_node *nodes, size_t count,
      lg__parts *heap)
{
    bool enough = true;
    for (size_t i = 0; i < count && enough; i++)
        enough = lg__parts_push(
            heap, (lg__part){lg__freed_by(analysis, nodes[i]), nodes[i], 0});
    return enough;
}

static lg_status
take(lg__parts *heap, size_t first, size_t limit, lg_nodes *out, lg_error *err)
{
    size_t left = heap->count > first ? heap->count - first : 0;
    size_t count = left < limit ? left : limit;
    uint32_t *nodes = malloc((count + 1) * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < first && heap->count > 0; i++)
        lg__parts_pop(heap);
    for (size_t i = 0; i < count; i++)
        nodes[i] = lg__parts_pop(heap).node;
    *out = (lg_nodes){nodes, count};
    return LG_OK;
}

lg_status
lg_node_owned_range(const lg_analysis *analysis, lg_node node, size_t first,
                    size_t limit, lg_nodes *out, size_t *total, lg_error *err)
{
    if (node >= analysis->graph->columns.node_count && node != LG_SUPER_ROOT)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    const lg__fold *folds = lg__graph_folds(analysis->graph);
    lg__gathered below = {0};
    lg__parts heap = {0};
    bool enough = folds != NULL &&
                  lg__gather_dominated(analysis, folds, node, 0, &below) &&
                  weigh(analysis, below.items, below.count, &heap);
    lg_status status =
        enough ? take(&heap, first, limit, out, err) : lg__error_memory(err);
    if (status == LG_OK)
        *total = below.count;
    free(below.items);
    lg__parts_free(&heap);
    return status;
}

lg_status
lg_nodes_ranked(const lg_analysis *analysis, const lg_node *nodes, size_t count,
                size_t first, size_t limit, lg_nodes *out, lg_error *err)
{
    lg__parts heap = {0};
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= analysis->graph->columns.node_count)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    lg_status status = weigh(analysis, nodes, count, &heap)
                           ? take(&heap, first, limit, out, err)
                           : lg__error_memory(err);
    lg__parts_free(&heap);
    return status;
}

lg_status
lg_node_owned(const lg_analysis *analysis, lg_node node, lg_nodes *out,
              lg_error *err)
{
    size_t total;
    return lg_node_owned_range(analysis, node, 0, SIZE_MAX, out, &total, err);
}

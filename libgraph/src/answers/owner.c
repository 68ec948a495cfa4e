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

typedef struct weighed {
    uint64_t bytes;
    uint32_t node;
} weighed;

static int
biggest_first(const void *left, const void *right)
{
    const weighed *a = left;
    const weighed *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

lg_status
lg_node_owned(const lg_analysis *analysis, lg_node node, lg_nodes *out,
              lg_error *err)
{
    if (node >= analysis->graph->columns.node_count && node != LG_SUPER_ROOT)
        return lg_error_set(err, LG_EINVAL, "there is no node %u", node);
    const lg__fold *folds = lg__graph_folds(analysis->graph);
    lg__gathered below = {0};
    bool enough =
        folds != NULL && lg__gather_dominated(analysis, folds, node, 0, &below);
    weighed *items = enough ? malloc((below.count + 1) * sizeof *items) : NULL;
    uint32_t *nodes = items ? malloc((below.count + 1) * sizeof *nodes) : NULL;
    for (size_t i = 0; i < below.count && nodes != NULL; i++)
        items[i] =
            (weighed){lg__freed_by(analysis, below.items[i]), below.items[i]};
    if (nodes != NULL) {
        qsort(items, below.count, sizeof *items, biggest_first);
        for (size_t i = 0; i < below.count; i++)
            nodes[i] = items[i].node;
        *out = (lg_nodes){nodes, below.count};
    }
    free(items);
    free(below.items);
    return nodes != NULL ? LG_OK : lg__error_memory(err);
}

// Weighs what lies behind the nodes of one level. Each object counts for the
// nearest node, so an object that two of them reach counts once.

#include "pick/direction.h"
#include "pick/pick_private.h"

#include <stdlib.h>
#include <string.h>

/* Enough for a comparison, and takes some milliseconds at most. */
#define MOST_WEIGHED 20000u
/* Longer lists weigh only their own size. */
#define MOST_EDGES 5000u
#define MOST_HOPS 500000u

typedef struct weighed {
    uint32_t node;
    uint32_t owner; /* index of the weight that it adds to */
} weighed;

typedef struct view_scale {
    lg__view_picker *picker;
    uint64_t *weights;
    weighed *queue;
    size_t count;
    size_t hops; /* visited so far: lists may share all their elements */
    uint32_t owner;
} view_scale;

static void
put(view_scale *scale, uint32_t node)
{
    uint64_t *word = &scale->picker->seen[node / 64];
    uint64_t bit = (uint64_t)1 << (node % 64);
    if (*word & bit || scale->count == MOST_WEIGHED)
        return;
    *word |= bit;
    scale->queue[scale->count++] = (weighed){node, scale->owner};
    scale->weights[scale->owner] +=
        lg_node_bytes_on(scale->picker->graph, node, LG_NONE);
}

static bool
visit(void *context, const lg_hop *hop)
{
    view_scale *scale = context;
    if (!lg__hop_leads_out(scale->picker, hop) &&
        lg__picker_find(scale->picker, hop->target) == SIZE_MAX)
        put(scale, hop->target);
    scale->hops++;
    return scale->count < MOST_WEIGHED;
}

static bool
is_short(const lg__view_picker *picker, uint32_t node)
{
    const uint64_t *first = picker->columns->first_edge;
    return first[node + 1] - first[node] <= MOST_EDGES;
}

static lg_status
spread(view_scale *scale, lg_error *err)
{
    lg_status status = LG_OK;
    const lg_graph *graph = scale->picker->graph;
    for (size_t i = 0; !status && i < scale->count && scale->hops < MOST_HOPS;
         i++) {
        weighed at = scale->queue[i];
        scale->owner = at.owner;
        if (is_short(scale->picker, at.node))
            status = lg__hops_each(graph, at.node, LG_REFS, visit, scale, err);
    }
    return status;
}

lg_status
lg__picker_weigh(lg__view_picker *picker, size_t start, size_t end,
                 uint64_t *weights, lg_error *err)
{
    size_t words = picker->columns->node_count / 64 + 1;
    view_scale scale = {.picker = picker, .weights = weights};
    scale.queue = malloc(MOST_WEIGHED * sizeof *scale.queue);
    if (!scale.queue)
        return lg__view_no_memory(err);
    memset(picker->seen, 0, words * sizeof *picker->seen);
    memset(weights, 0, (end - start) * sizeof *weights);
    for (size_t i = start; i < end; i++) {
        scale.owner = (uint32_t)(i - start);
        const lg__view_node *node = &picker->view->nodes[i];
        if (node->kind == LG__VIEW_OBJECT && !node->context)
            put(&scale, node->node);
    }
    lg_status status = spread(&scale, err);
    free(scale.queue);
    return status;
}

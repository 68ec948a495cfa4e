// The breadth-first walk: which nodes it expands, and how much room each gets.
#include "pick/sibling_groups.h"
#include "pick/direction.h"
#include "pick/pick_private.h"

#include <stdlib.h>
#include <string.h>

// Weighs what lies behind the nodes of one level. Each object counts for the
// nearest node, so an object that two of them reach counts once.

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

// Adds up bytes near each drawn node from `start` to `end`, forward and
// without what is already drawn: what each node would show if the picture
// expanded it.
static lg_status
picker_weigh(lg__view_picker *picker, size_t start, size_t end,
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

/* A larger picture does not expand a node that is so many times lighter than
   its heaviest neighbour. */
#define SMALL_PICTURE 24u
#define SLIGHT 10u

// Draws up to `allowance` new nodes around the node at `index`.
static lg_status
expand(lg__view_picker *picker, size_t index, size_t allowance, lg_error *err)
{
    lg_status status = LG_OK;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back && allowance && picker->view->nodes[index].unseen) {
        status = lg__picker_draw_native(picker, index, err);
        allowance--;
    }
    if (status)
        return status;
    lg__view_group group;
    status =
        lg__group_gather(&group, picker, picker->view->nodes[index].node, err);
    if (!status)
        status = lg__group_link(&group, index, err);
    if (!status)
        status = lg__group_draw(&group, index, allowance, err);
    lg__group_free(&group);
    return status;
}

// Backward, the search ends at roots. Forward, the picture names parts of the
// program and does not expand them.
static bool
is_expandable(const lg__view_picker *picker, size_t index)
{
    const lg__view_node *node = &picker->view->nodes[index];
    if (node->kind != LG__VIEW_OBJECT)
        return false;
    if (node->subject)
        return true;
    bool back = picker->options.direction == LG_BACKREFS;
    if (back)
        return !node->root.length;
    return !node->context && node->category != LG_CATEGORY_ATOM;
}

// The most nodes around one node at that depth. The picture narrows with the
// distance from its subject.
static size_t
widest(const lg__view_picker *picker, uint32_t depth)
{
    size_t limit = picker->options.max_nodes / 6;
    limit = limit < 6 ? 6 : limit;
    limit >>= depth < 8 ? depth : 8;
    return limit < 3 ? 3 : limit;
}

// One node of a level, and the bytes behind it.
typedef struct view_turn {
    size_t index;
    uint64_t weight;
} view_turn;

static int
compare_turns(const void *left, const void *right)
{
    const view_turn *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Lists the nodes to expand, the heaviest first. Backward they keep their
// order: a holder matters whatever else it holds.
static lg_status
take_turns(lg__view_picker *picker, size_t start, size_t end, view_turn *turns,
           size_t *count, lg_error *err)
{
    lg_status status = LG_OK;
    bool forward = picker->options.direction == LG_REFS;
    uint64_t *weights = calloc(end - start, sizeof *weights);
    if (!weights)
        return lg__view_no_memory(err);
    if (forward)
        status = picker_weigh(picker, start, end, weights, err);
    for (size_t i = start; i < end; i++) {
        if (is_expandable(picker, i))
            turns[(*count)++] = (view_turn){i, weights[i - start]};
    }
    if (forward && *count)
        qsort(turns, *count, sizeof *turns, compare_turns);
    free(weights);
    return status;
}

// Shares room in proportion to weight, but gives each node a few while room
// lasts.
static size_t
allowance_of(const view_turn *turn, size_t share, uint64_t weight,
             size_t waiting, size_t widest_here)
{
    size_t even = (share + waiting - 1) / waiting;
    double part = weight ? (double)turn->weight / (double)weight : 0;
    size_t allowance = (size_t)((double)share * part);
    if (allowance < even)
        allowance = even;
    return allowance < widest_here ? allowance : widest_here;
}

static lg_status
expand_turns(lg__view_picker *picker, const view_turn *turns, size_t count,
             uint32_t depth, const lg_monitor *monitor, lg_error *err)
{
    bool last = depth + 1 >= picker->options.max_depth;
    size_t share = lg__picker_room(picker);
    if (!last)
        share = (3 * share + 4) / 5;
    uint64_t weight = 0;
    for (size_t i = 0; i < count; i++)
        weight += turns[i].weight;
    uint64_t slight = count ? turns[0].weight / SLIGHT : 0;
    for (size_t i = 0; i < count; i++) {
        if (monitor && !monitor->tick(monitor->context, "drawing",
                                      (double)i / (double)count))
            return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
        size_t allowance = allowance_of(&turns[i], share, weight, count - i,
                                        widest(picker, depth));
        size_t before = picker->view->node_count;
        if (before > SMALL_PICTURE && turns[i].weight < slight)
            allowance = 0;
        lg_status status = expand(picker, turns[i].index, allowance, err);
        if (status)
            return status;
        share -= picker->view->node_count - before;
        weight -= turns[i].weight;
    }
    return LG_OK;
}

static lg_status
expand_level(lg__view_picker *picker, size_t start, size_t end, uint32_t depth,
             const lg_monitor *monitor, lg_error *err)
{
    size_t count = 0;
    view_turn *turns = malloc((end - start) * sizeof *turns);
    if (!turns)
        return lg__view_no_memory(err);
    lg_status status = take_turns(picker, start, end, turns, &count, err);
    if (!status)
        status = expand_turns(picker, turns, count, depth, monitor, err);
    free(turns);
    return status;
}

// Draws no more than a person reads, unless the caller asks for more.
static size_t
good_size(const lg__view_picker *picker)
{
    size_t most = picker->options.max_nodes;
    size_t good = 2 * most / 5;
    return good > 40 ? good : most < 40 ? most : 40;
}

lg_status
lg__picker_walk(lg__view_picker *picker, const lg_monitor *monitor,
                lg_error *err)
{
    size_t start = 0;
    lg_status status = LG_OK;
    picker->target = good_size(picker);
    for (uint32_t depth = 0; !status; depth++) {
        size_t end = picker->view->node_count;
        if (start == end)
            break;
        if (depth >= picker->options.max_depth)
            break;
        status = expand_level(picker, start, end, depth, monitor, err);
        start = end;
    }
    for (size_t i = start; !status && i < picker->view->node_count; i++) {
        if (is_expandable(picker, i))
            status = expand(picker, i, 0, err);
    }
    return status;
}

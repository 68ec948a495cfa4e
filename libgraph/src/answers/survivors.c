// Finds what would live on after references are cut, and what to cut next.
#include "answers/cutting.h"

#include <stdlib.h>
#include <string.h>

// Nobody cuts more references at once.
enum { CUTS_LISTED = 4 };

// Returns whether the node says something about the program. What libraries and
// the interpreter keep does not.
static bool
is_telling(const lg__cutting *to, uint32_t node)
{
    const unsigned tables =
        LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE | LG__MARK_ENTRY;
    lg_category category = lg__node_category(to->graph, node);
    return !(to->after->policy.mark[node] & tables) &&
           category != LG_CATEGORY_ATOM && category != LG_CATEGORY_TYPE &&
           category != LG_CATEGORY_FUNCTION &&
           lg__node_origin(to->graph, node, NULL) != LG__ORIGIN_LIBRARY;
}

static void
mark_beside(lg__cutting *to, const lg__folds *folds)
{
    const lg_columns *columns = &to->rest->columns;
    for (size_t i = 0; i < to->answer.nodes.count; i++) {
        uint32_t node = to->answer.nodes.items[i];
        uint64_t end = columns->first_edge[node + 1];
        for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
            uint32_t target = lg__seen_node(folds, columns->edge_target[edge]);
            if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) &&
                lg_node_is_reachable(to->after, target) &&
                is_telling(to, target))
                to->state[target] |= LG__BESIDE;
        }
    }
}

// Leaves out keys that went with their values, and objects that live as long as
// the interpreter.
static void
mark_targets(lg__cutting *to, const lg__folds *folds)
{
    const uint64_t *edges = to->edges.data;
    for (size_t i = 0; i < to->answer.references; i++) {
        uint32_t target =
            lg__seen_node(folds, to->graph->columns.edge_target[edges[i]]);
        if (lg_node_is_reachable(to->after, target) &&
            !(to->graph->columns.node_flags[target] & LG_NODE_IMMORTAL))
            to->state[target] |= LG__TARGET;
    }
}

typedef struct ranked {
    uint32_t node;
    bool target;
    uint64_t total;
} ranked;

static int
compare_ranked(const void *left, const void *right)
{
    const ranked *a = left;
    const ranked *b = right;
    if (a->target != b->target)
        return a->target ? -1 : 1;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static bool
lives_on(const lg__cutting *to, uint32_t node)
{
    return (to->state[node] & (LG__TARGET | LG__BESIDE)) != 0 &&
           lg_scope_has(to->scope, node);
}

static ranked *
rank(const lg__cutting *to, size_t *count)
{
    uint32_t nodes = to->graph->columns.node_count;
    *count = 0;
    for (uint32_t node = 0; node < nodes; node++)
        *count += lives_on(to, node);
    ranked *all = lg__wide_alloc((*count + 1) * sizeof *all);
    *count = 0;
    for (uint32_t node = 0; all != NULL && node < nodes; node++)
        if (lives_on(to, node))
            all[(*count)++] =
                (ranked){node, (to->state[node] & LG__TARGET) != 0,
                         lg__retained_by(to->after, node)};
    if (all != NULL && *count > 1)
        qsort(all, *count, sizeof *all, compare_ranked);
    return all;
}

// Marks what a listed survivor dominates.
static void
mark_below(lg__cutting *to, uint32_t node)
{
    const lg_analysis *after = to->after;
    uint32_t height = 1;
    to->queue[0] = node;
    while (height > 0) {
        uint32_t at = to->queue[--height];
        to->state[at] |= LG__BELOW;
        for (uint32_t i = after->first_child[at];
             i < after->first_child[at + 1]; i++)
            to->queue[height++] = after->child[i];
    }
}

// Puts the path from a root to the dominator before the path of a cut, which
// begins there.
static lg_status
complete(lg__cutting *to, lg_cut *cut, lg_error *err)
{
    lg_path lead = {0};
    lg_path *path = &cut->path;
    if (path->start != LG_STARTS_AT_NODE || path->count == 0)
        return LG_OK;
    lg_status status = lg_path_from_root(to->rest, path->hops[0].source,
                                         to->monitor, &lead, err);
    if (status != LG_OK)
        return status == LG_ENOTFOUND ? LG_OK : status;
    size_t before = lead.count;
    status = lg__path_extend(&lead, path->hops, path->count, err);
    if (status != LG_OK) {
        lg_path_free(&lead);
        return status;
    }
    cut->hop += (uint32_t)before;
    lg_path_free(path);
    *path = lead;
    return LG_OK;
}

// Finds what to cut so that the survivor goes and its dominator stays.
static lg_status
find_cuts(lg__cutting *to, lg_survivor *survivor, lg_error *err)
{
    lg_node from = lg_node_dominator(to->after, survivor->node);
    lg_status status =
        lg__cuts_sparing(to->after, survivor->node, from, CUTS_LISTED,
                         to->monitor, &survivor->cuts, err);
    for (size_t i = 0; i < survivor->cuts.count && status == LG_OK; i++)
        status = complete(to, &survivor->cuts.items[i], err);
    return status;
}

static lg_status
add_survivor(lg__cutting *to, const ranked *one, lg_error *err)
{
    size_t devices = (size_t)to->graph->device_count + 1;
    uint64_t *retained = lg__wide_alloc(devices * sizeof *retained);
    lg_survivor *survivor = &to->answer.kept[to->answer.kept_count];
    if (retained == NULL)
        return lg__error_memory(err);
    for (uint32_t device = 0; device < devices; device++)
        retained[device] = lg_node_retained_on(to->after, one->node, device);
    *survivor = (lg_survivor){.node = one->node,
                              .is_target = one->target,
                              .total = one->total,
                              .retained = retained};
    to->answer.kept_count++;
    mark_below(to, one->node);
    lg_status status = lg_path_from_root(to->rest, one->node, to->monitor,
                                         &survivor->path, err);
    if (status != LG_OK && status != LG_ENOTFOUND)
        return status;
    return find_cuts(to, survivor, err);
}

lg_status
lg__survivors_find(lg__cutting *to, size_t limit, lg_error *err)
{
    const lg__folds *folds = lg__graph_folds(to->rest);
    if (folds == NULL)
        return lg__error_memory(err);
    mark_targets(to, folds);
    mark_beside(to, folds);
    size_t count;
    ranked *all = rank(to, &count);
    lg_status status = LG_OK;
    size_t most = limit > 0 && limit < count ? limit : count;
    to->answer.kept = lg__wide_calloc(most + 1, sizeof *to->answer.kept);
    if (all == NULL || to->answer.kept == NULL)
        status = lg__error_memory(err);
    to->answer.kept_total = count;
    for (size_t i = 0; i < count && status == LG_OK; i++)
        if (to->answer.kept_count < most &&
            !(to->state[all[i].node] & LG__BELOW))
            status = add_survivor(to, &all[i], err);
    lg__wide_free(all);
    return status;
}

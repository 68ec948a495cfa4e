// The dominator tree, from the top down: a node's immediate dominator is the
// nearest common ancestor of those that refer to it, all of which come before
// it.
#include "analysis/dominator_builder.h"

#include <stdlib.h>

static void
show_edges(lg__lift *lift, uint32_t node)
{
    const lg_columns *columns = &lift->graph->columns;
    uint8_t *mark = lift->mark;
    lg__branch *branch = lift->branch;
    unsigned barred = lg__lift_barred(lift, node);
    unsigned early = mark[node] & LG__MARK_EARLY;
    uint32_t referrer =
        mark[node] & LG__MARK_NAMESPACE ? branch[node].parent : node;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (mark[target] & barred))
            continue;
        mark[target] |= (uint8_t)early;
        lg__lift_meet(lift, &branch[target].parent, referrer);
    }
}

// Garbage that nothing refers to hangs from the root of garbage.
static void
settle(lg__lift *lift, uint32_t node)
{
    if (lift->branch[node].parent == LG_NONE) {
        lift->branch[node].parent = lg__lift_garbage(lift);
        lift->mark[node] |= LG__MARK_EARLY;
    }
    lg__branch_settle(lift->branch, node);
}

static void
begin(lg__lift *lift)
{
    uint32_t nodes = lift->graph->columns.node_count;
    uint32_t root = lg__lift_root(lift);
    uint32_t garbage = lg__lift_garbage(lift);
    lift->branch[root] = (lg__branch){root, root, 0};
    lift->branch[garbage] = (lg__branch){garbage, garbage, 0};
    for (uint32_t node = 0; node < nodes; node++) {
        bool held = lift->mark[node] & (LG__MARK_FURNITURE | LG__MARK_ENTRY);
        lift->branch[node].parent = held ? root : LG_NONE;
        if (held)
            lift->mark[node] |= LG__MARK_EARLY;
    }
    for (uint32_t i = 0; i < lift->policy->module_count; i++) {
        lg__module module = lift->policy->modules[i];
        lift->branch[module.dict].parent = module.module;
        lift->mark[module.dict] |= LG__MARK_EARLY;
    }
}

static lg_status
settle_all(lg__lift *lift, lg_error *err)
{
    uint32_t nodes = lift->graph->columns.node_count;
    lg__knot_span *knots = lift->knots.data;
    size_t left = lift->knots.count;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++) {
        if (left > 0 && knots[left - 1].begin == i) {
            status = lg__lift_knot(lift, &knots[--left], err);
            i = knots[left].end - 1;
        } else {
            settle(lift, lift->order[i]);
            show_edges(lift, lift->order[i]);
            if (!lg__lift_goes_on(lift, "finding dominators", i, nodes, err))
                status = LG_ECANCELLED;
        }
    }
    return status;
}

lg_status
lg__lift_run(lg__lift *lift, const lg_graph *graph, const lg__policy *policy,
             const lg_monitor *monitor, lg_error *err)
{
    size_t nodes = graph->columns.node_count;
    *lift = (lg__lift){
        .graph = graph,
        .monitor = monitor,
        .policy = policy,
        .mark = policy->mark,
        .order = lg__wide_alloc((nodes + 1) * sizeof(uint32_t)),
        .place = lg__wide_calloc((nodes + 1) * sizeof(uint32_t)),
        .knots = {.element = sizeof(lg__knot_span)},
    };
    if (lift->order == NULL || lift->place == NULL)
        return lg__error_memory(err);
    lg_status status = lg__lift_walk(lift, err);
    if (status != LG_OK)
        return status;
    lift->branch = lg__wide_alloc((nodes + 2) * sizeof(lg__branch));
    if (lift->branch == NULL)
        return lg__error_memory(err);
    begin(lift);
    return settle_all(lift, err);
}

void
lg__lift_free(lg__lift *lift)
{
    lg_allocator allocator = lg_allocator_default();
    free(lift->order);
    free(lift->place);
    free(lift->branch);
    lg__vector_free(&allocator, &lift->knots);
}

// The dominator tree, from the top down: the immediate dominator of a node is
// the nearest common ancestor of its referrers, all of which come before it.
//
// A node that is settled has its final parent. The order puts every referrer
// before what it refers to, unless both are in one component. So when the turn
// of a node comes, `parent` is the meet of all its referrers, in a tree whose
// upper part no longer changes. The members of a component have their turn
// together.
#include "analysis/dominator_builder.h"

static void
show_edges(lg__dominator_builder *building, uint32_t node)
{
    const lg_columns *columns = &building->graph->columns;
    uint8_t *mark = building->mark;
    lg__branch *branch = building->branch;
    unsigned barred = lg__dominators_barred(building, node);
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
        lg__dominators_meet(building, &branch[target].parent, referrer);
    }
}

// Garbage that nothing refers to hangs from the root of garbage.
static void
settle(lg__dominator_builder *building, uint32_t node)
{
    if (building->branch[node].parent == LG_NONE) {
        building->branch[node].parent = lg__dominators_garbage(building);
        building->mark[node] |= LG__MARK_EARLY;
    }
    lg__branch_settle(building->branch, node);
}

static void
begin(lg__dominator_builder *building)
{
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t root = lg__dominators_root(building);
    uint32_t garbage = lg__dominators_garbage(building);
    building->branch[root] = (lg__branch){root, root, 0};
    building->branch[garbage] = (lg__branch){garbage, garbage, 0};
    for (uint32_t node = 0; node < nodes; node++) {
        bool held =
            building->mark[node] & (LG__MARK_IMPLICIT_ROOT | LG__MARK_ENTRY);
        building->branch[node].parent = held ? root : LG_NONE;
        if (held)
            building->mark[node] |= LG__MARK_EARLY;
    }
    for (uint32_t i = 0; i < building->policy->module_count; i++) {
        lg__module module = building->policy->modules[i];
        building->branch[module.dict].parent = module.module;
        building->mark[module.dict] |= LG__MARK_EARLY;
    }
}

static lg_status
settle_all(lg__dominator_builder *building, lg_error *err)
{
    uint32_t nodes = building->graph->columns.node_count;
    lg__component_span *components = building->components.data;
    size_t left = building->components.count;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++) {
        if (left > 0 && components[left - 1].begin == i) {
            status =
                lg__dominators_component(building, &components[--left], err);
            i = components[left].end - 1;
        } else {
            settle(building, building->order[i]);
            show_edges(building, building->order[i]);
            if (!lg__dominators_goes_on(building, "finding dominators", i,
                                        nodes, err))
                status = LG_ECANCELLED;
        }
    }
    return status;
}

lg_status
lg__dominators_run(lg__dominator_builder *building, const lg_graph *graph,
                   const lg__policy *policy, const lg_monitor *monitor,
                   lg_error *err)
{
    size_t nodes = graph->columns.node_count;
    *building = (lg__dominator_builder){
        .graph = graph,
        .monitor = monitor,
        .policy = policy,
        .mark = policy->mark,
        .order = lg__huge_calloc((nodes + 1) * sizeof(uint32_t)),
        .place = lg__huge_calloc((nodes + 1) * sizeof(uint32_t)),
        .components = {.element = sizeof(lg__component_span)},
    };
    if (building->order == NULL || building->place == NULL)
        return lg__error_memory(err);
    lg_status status = lg__dominators_walk(building, err);
    if (status != LG_OK)
        return status;
    building->branch = lg__calloc(nodes + 2, sizeof(lg__branch));
    if (building->branch == NULL)
        return lg__error_memory(err);
    begin(building);
    return settle_all(building, err);
}

void
lg__dominators_free(lg__dominator_builder *building)
{
    lg_allocator allocator = lg_allocator_default();
    if (building->graph == NULL)
        return;
    size_t nodes = building->graph->columns.node_count;
    lg__huge_free(building->order, (nodes + 1) * sizeof(uint32_t));
    lg__huge_free(building->place, (nodes + 1) * sizeof(uint32_t));
    lg__free(building->branch);
    lg__free(building->component);
    lg__vector_free(&allocator, &building->components);
}

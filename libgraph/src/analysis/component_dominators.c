// Dominators within a component, in the order of the walk.
//
// An edge whose target dominates its source changes no dominator, because a
// path along it has been at the target before. An edge into an entry changes
// none either, because the path can enter there. If no other edge leads back,
// the rest has no cycles, and every referrer of a node comes before the node.
#include "analysis/dominator_builder.h"

// The entries hang from `top`, the nearest common dominator of their referrers.
// In a component of garbage that nothing refers to, all members are entries.
static uint32_t
open_entries(lg__dominator_builder *building, lg__component_span *component)
{
    lg__branch *branch = building->branch;
    uint32_t top = LG_NONE;
    uint32_t entries = 0;
    for (uint32_t i = component->begin; i < component->end; i++) {
        uint32_t node = building->order[i];
        building->place[node] = i;
        component->early |= (building->mark[node] & LG__MARK_EARLY) != 0;
        entries += branch[node].parent != LG_NONE;
        if (branch[node].parent != LG_NONE)
            lg__dominators_meet(building, &top, branch[node].parent);
    }
    bool loose = entries == 0;
    if (loose) {
        entries = component->end - component->begin;
        top = lg__dominators_garbage(building);
        component->early = true;
    }
    const unsigned replaced = LG__MARK_EARLY | LG__MARK_SELF;
    unsigned marks = entries > 1        ? LG__MARK_MANY
                     : component->early ? LG__MARK_EARLY
                                        : 0;
    for (uint32_t i = component->begin; i < component->end; i++) {
        uint32_t node = building->order[i];
        uint8_t *mark = &building->mark[node];
        bool entry = loose || branch[node].parent != LG_NONE;
        *mark = (uint8_t)((*mark & ~replaced) | marks |
                          (entry ? 0 : LG__MARK_INNER));
        if (entry)
            branch[node].parent = top;
    }
    return top;
}

// Passes on a member's edges to members that are not entries. Returns false if
// an edge leads back to a node that does not dominate the member.
static bool
show_inward(const lg__dominator_builder *building, uint32_t place)
{
    const lg_columns *columns = &building->graph->columns;
    lg__branch *branch = building->branch;
    uint32_t node = building->order[place];
    unsigned barred = lg__dominators_barred(building, node);
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (building->mark[target] & (barred | LG__MARK_INNER)) !=
                LG__MARK_INNER)
            continue;
        if (building->place[target] > place)
            lg__dominators_meet(building, &branch[target].parent, node);
        else if (lg__branch_ancestor(branch, node, branch[target].depth) !=
                 target)
            return false;
    }
    return true;
}

static void
show_outward(const lg__dominator_builder *building,
             const lg__component_span *component, uint32_t node)
{
    const lg_columns *columns = &building->graph->columns;
    unsigned barred = lg__dominators_barred(building, node);
    unsigned early = building->mark[node] & LG__MARK_EARLY;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t place = building->place[target];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (building->mark[target] & barred) ||
            (place >= component->begin && place < component->end))
            continue;
        building->mark[target] |= (uint8_t)early;
        lg__dominators_meet(building, &building->branch[target].parent, node);
    }
}

// Settles the members if the order of the walk is enough.
static bool
settle_member(const lg__dominator_builder *building, uint32_t place)
{
    uint32_t node = building->order[place];
    if (building->branch[node].parent == LG_NONE)
        return false;
    lg__branch_settle(building->branch, node);
    return show_inward(building, place);
}

lg_status
lg__dominators_component(lg__dominator_builder *building,
                         lg__component_span *component, lg_error *err)
{
    uint32_t nodes = building->graph->columns.node_count;
    uint32_t top = open_entries(building, component);
    uint32_t place = component->begin;
    while (place < component->end && settle_member(building, place))
        if (!lg__dominators_goes_on(building, "finding dominators", place++,
                                    nodes, err))
            return LG_ECANCELLED;
    if (place < component->end) {
        lg_status status =
            lg__dominators_irreducible(building, component, top, err);
        if (status != LG_OK)
            return status;
    }
    for (place = component->begin; place < component->end; place++)
        show_outward(building, component, building->order[place]);
    return LG_OK;
}

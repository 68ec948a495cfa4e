// Dominators within a knot, in the order of the walk.
//
// An edge whose target dominates its source changes no dominator: a path that
// takes it has been at the target before. An edge into a door changes none
// either: the path can enter there. If no other edge leads back, what is left
// has no cycles, and the order is one in which whatever refers to a node comes
// before it.
#include "analysis/dominator_builder.h"

// How a knot is entered: the doors hang from `top`, the nearest common
// dominator of what refers to them. A knot of garbage that nothing refers to is
// all doors.
static uint32_t
open_doors(lg__lift *lift, lg__knot_span *knot)
{
    lg__branch *branch = lift->branch;
    uint32_t top = LG_NONE;
    uint32_t doors = 0;
    for (uint32_t i = knot->begin; i < knot->end; i++) {
        uint32_t node = lift->order[i];
        lift->place[node] = i;
        knot->early |= (lift->mark[node] & LG__MARK_EARLY) != 0;
        doors += branch[node].parent != LG_NONE;
        if (branch[node].parent != LG_NONE)
            lg__lift_meet(lift, &top, branch[node].parent);
    }
    bool loose = doors == 0;
    if (loose) {
        doors = knot->end - knot->begin;
        top = lg__lift_garbage(lift);
        knot->early = true;
    }
    const unsigned replaced = LG__MARK_EARLY | LG__MARK_SELF;
    unsigned marks = doors > 1     ? LG__MARK_MANY
                     : knot->early ? LG__MARK_EARLY
                                   : 0;
    for (uint32_t i = knot->begin; i < knot->end; i++) {
        uint32_t node = lift->order[i];
        uint8_t *mark = &lift->mark[node];
        bool door = loose || branch[node].parent != LG_NONE;
        *mark = (uint8_t)((*mark & ~replaced) | marks |
                          (door ? 0 : LG__MARK_INNER));
        if (door)
            branch[node].parent = top;
    }
    return top;
}

// Shows a member's edges to others that are no doors; false if one leads back
// to what does not dominate the member.
static bool
show_inward(const lg__lift *lift, uint32_t place)
{
    const lg_columns *columns = &lift->graph->columns;
    lg__branch *branch = lift->branch;
    uint32_t node = lift->order[place];
    unsigned barred = lg__lift_barred(lift, node);
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (lift->mark[target] & (barred | LG__MARK_INNER)) != LG__MARK_INNER)
            continue;
        if (lift->place[target] > place)
            lg__lift_meet(lift, &branch[target].parent, node);
        else if (lg__branch_ancestor(branch, node, branch[target].depth) !=
                 target)
            return false;
    }
    return true;
}

static void
show_outward(const lg__lift *lift, const lg__knot_span *knot, uint32_t node)
{
    const lg_columns *columns = &lift->graph->columns;
    unsigned barred = lg__lift_barred(lift, node);
    unsigned early = lift->mark[node] & LG__MARK_EARLY;
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t place = lift->place[target];
        if ((columns->edge_kind[edge] & LG_EDGE_WEAK) ||
            (lift->mark[target] & barred) ||
            (place >= knot->begin && place < knot->end))
            continue;
        lift->mark[target] |= (uint8_t)early;
        lg__lift_meet(lift, &lift->branch[target].parent, node);
    }
}

// As far as it can be settled in the order of the walk.
static bool
settle_member(const lg__lift *lift, uint32_t place)
{
    uint32_t node = lift->order[place];
    if (lift->branch[node].parent == LG_NONE)
        return false;
    lg__branch_settle(lift->branch, node);
    return show_inward(lift, place);
}

lg_status
lg__lift_knot(lg__lift *lift, lg__knot_span *knot, lg_error *err)
{
    uint32_t nodes = lift->graph->columns.node_count;
    uint32_t top = open_doors(lift, knot);
    uint32_t place = knot->begin;
    while (place < knot->end && settle_member(lift, place))
        if (!lg__lift_goes_on(lift, "finding dominators", place++, nodes, err))
            return LG_ECANCELLED;
    if (place < knot->end) {
        lg_status status = lg__lift_tangle(lift, knot, top, err);
        if (status != LG_OK)
            return status;
    }
    for (place = knot->begin; place < knot->end; place++)
        show_outward(lift, knot, lift->order[place]);
    return LG_OK;
}

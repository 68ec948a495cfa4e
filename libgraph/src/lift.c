// The dominator tree, from the top down: a node's immediate dominator is the
// nearest common ancestor of its predecessors', once all of these are settled.
#include "lift.h"

#include <stdlib.h>

// Skew-binary jump pointers (Myers, "An applicative random-access stack"): one
// jump a node makes any ancestor O(log depth) steps away.
void
lg__branch_settle(lg__branch *branch, uint32_t node)
{
    uint32_t parent = branch[node].parent;
    uint32_t jump = branch[parent].jump;
    branch[node].depth = branch[parent].depth + 1;
    bool even = branch[parent].depth - branch[jump].depth ==
                branch[jump].depth - branch[branch[jump].jump].depth;
    branch[node].jump = even ? branch[jump].jump : parent;
}

static uint32_t
ancestor_at(const lg__branch *branch, uint32_t node, uint32_t depth)
{
    while (branch[node].depth > depth) {
        uint32_t jump = branch[node].jump;
        node = branch[jump].depth >= depth ? jump : branch[node].parent;
    }
    return node;
}

uint32_t
lg__branch_meet(const lg__branch *branch, uint32_t a, uint32_t b)
{
    if (branch[a].depth > branch[b].depth)
        a = ancestor_at(branch, a, branch[b].depth);
    else
        b = ancestor_at(branch, b, branch[a].depth);
    // Nodes of one depth have jumps of one length.
    while (a != b) {
        bool far = branch[a].jump != branch[b].jump;
        a = far ? branch[a].jump : branch[a].parent;
        b = far ? branch[b].jump : branch[b].parent;
    }
    return a;
}

static void
settle(lg__lift *lift, uint32_t node)
{
    lg__branch_settle(lift->branch, node);
    lift->mark[node] |= LG__MARK_DONE;
    lift->order[lift->settled++] = node;
}

void
lg__lift_meet(const lg__lift *lift, uint32_t *known, uint32_t more)
{
    if (*known == LG_NONE)
        *known = more;
    else if (*known < lg__lift_root(lift) && *known != more)
        *known = lg__branch_meet(lift->branch, *known, more);
}

// The members of a knot whose edges from outside have all been seen, each after
// its inner dominator. The chain up to a settled one is written behind the
// settled nodes, backwards.
static void
settle_knot(lg__lift *lift, uint32_t index)
{
    const lg__knots *knots = &lift->knots;
    for (uint32_t i = knots->first[index]; i < knots->first[index + 1]; i++) {
        uint32_t length = 0;
        for (uint32_t at = i; at != LG_NONE; at = knots->inner[at]) {
            if (lift->mark[knots->member[at]] & LG__MARK_DONE)
                break;
            length++;
        }
        uint32_t at = i;
        for (uint32_t left = length; left-- > 0; at = knots->inner[at])
            lift->order[lift->settled + left] = at;
        for (uint32_t step = 0; step < length; step++) {
            uint32_t place = lift->order[lift->settled];
            uint32_t node = knots->member[place];
            uint32_t inner = knots->inner[place];
            lift->branch[node].parent =
                inner == LG_NONE ? knots->top[index] : knots->member[inner];
            settle(lift, node);
        }
    }
}

static void
show_edge(lg__lift *lift, uint32_t referrer, uint32_t target)
{
    lg__branch *branch = &lift->branch[target];
    if (lift->mark[target] & LG__MARK_KNOT) {
        lg__knots *knots = &lift->knots;
        uint32_t index = knots->knot[branch->jump];
        lg__lift_meet(lift, &knots->top[index], referrer);
        if (--knots->waiting[index] == 0)
            settle_knot(lift, index);
        return;
    }
    lg__lift_meet(lift, &branch->parent, referrer);
    if (--branch->waiting == 0)
        settle(lift, target);
}

// Edges to what is settled already are those inside a knot.
static void
show_edges(lg__lift *lift, uint32_t node)
{
    const lg_columns *columns = &lift->graph->columns;
    unsigned barred = lg__lift_barred(lift, node) | LG__MARK_DONE;
    uint32_t referrer = lg__lift_referrer(lift, node);
    uint64_t end = columns->first_edge[node + 1];
    for (uint64_t edge = columns->first_edge[node]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (!(columns->edge_kind[edge] & LG_EDGE_WEAK) &&
            !(lift->mark[target] & barred))
            show_edge(lift, referrer, target);
    }
}

static lg_status
spread(lg__lift *lift, lg_error *err)
{
    const uint32_t often = (1 << 16) - 1;
    double nodes = lift->graph->columns.node_count;
    while (lift->spread < lift->settled) {
        show_edges(lift, lift->order[lift->spread++]);
        if ((lift->spread & often) == 0 &&
            !lg__monitor_goes_on(lift->monitor, "finding dominators",
                                 lift->spread / nodes, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

// What hangs from the two roots, and what no edge leads to.
static void
begin(lg__lift *lift)
{
    uint32_t nodes = lift->graph->columns.node_count;
    uint32_t root = lg__lift_root(lift);
    uint32_t garbage = lg__lift_garbage(lift);
    lift->branch[root] = (lg__branch){root, root, 0, 0};
    lift->branch[garbage] = (lg__branch){garbage, garbage, 0, 0};
    for (uint32_t node = 0; node < nodes; node++) {
        uint8_t *mark = &lift->mark[node];
        lg__branch *branch = &lift->branch[node];
        *mark &= (uint8_t) ~(LG__MARK_OPEN | LG__MARK_DONE);
        branch->parent = LG_NONE;
        if (*mark & (LG__MARK_FURNITURE | LG__MARK_ENTRY))
            branch->parent = root;
        else if (branch->waiting == 0 && !(*mark & LG__MARK_LIVE))
            branch->parent = garbage;
        if (branch->waiting == 0 && branch->parent != LG_NONE)
            settle(lift, node);
    }
    for (uint32_t i = 0; i < lift->policy->module_count; i++) {
        lg__module module = lift->policy->modules[i];
        lift->branch[module.dict].parent = module.module;
        settle(lift, module.dict);
    }
}

// What is known before the first knot is settled is kept: contracting the knots
// begins from there again.
static lg_status
begin_knots(lg__lift *lift, lg_error *err)
{
    uint32_t nodes = lift->graph->columns.node_count;
    lift->stalled = malloc((size_t)nodes * sizeof(uint32_t));
    if (lift->stalled == NULL)
        return lg__error_memory(err);
    for (uint32_t node = 0; node < nodes; node++)
        if (!(lift->mark[node] & LG__MARK_DONE))
            lift->stalled[node] = lift->branch[node].parent;
    for (uint32_t index = 0; index < lift->knots.count; index++)
        if (lift->knots.waiting[index] == 0)
            settle_knot(lift, index);
    return LG_OK;
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
        .branch = calloc(nodes + 2, sizeof(lg__branch)),
        .order = malloc((nodes + 1) * sizeof(uint32_t)),
    };
    if (lift->branch == NULL || lift->order == NULL)
        return lg__error_memory(err);
    lg_status status = lg__lift_reduce(lift, err);
    if (status != LG_OK)
        return status;
    begin(lift);
    status = spread(lift, err);
    lift->before_knots = lift->settled;
    if (status == LG_OK && lift->settled < nodes) {
        status = lg__lift_untangle(lift, err);
        if (status == LG_OK)
            status = begin_knots(lift, err);
        if (status == LG_OK)
            status = spread(lift, err);
    }
    return status;
}

void
lg__lift_free(lg__lift *lift)
{
    free(lift->branch);
    free(lift->order);
    free(lift->stalled);
    lg__knots_free(&lift->knots);
}

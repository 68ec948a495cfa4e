// Makes the analysis of a graph that has lost references from that of the whole
// graph. A root that is none any more has lost the reference of the super-root.
//
// Losing a reference changes the immediate dominators of few nodes: those that
// die, and those whose dominator loses all but one path to them. A node of the
// second kind has the same dominator as the target of a lost reference, is
// reached from that target through nodes that change, too, and its dominator
// does not refer to it. Such nodes get new dominators from a graph that has all
// their referrers, and of every other node only its dominator.
//
// Where nothing dies, nothing is a suspect. If little else changes, the
// analysis says only what is different, and borrows the rest.
//
// That is for small losses. Where most of the graph may die, or many nodes get
// new dominators, analysing what is left is quicker: it gives igraph only what
// is hard. So all that is looked at takes steps.
#include "analysis/analysis_private.h"
#include "analysis/solver.h"
#include "build/build_private.h"

#include <leakgraph/analysis.h>
#include <stdlib.h>
#include <string.h>

// States of a node, as bits.
enum {
    LOSS_SUSPECT = 1,    /**< it may die */
    LOSS_SAVED = 2,      /**< a suspect that lives on */
    LOSS_ASKED = 4,      /**< DIRECT is known */
    LOSS_DIRECT = 8,     /**< its dominator refers to it */
    LOSS_WEIGHED = 32,   /**< STAYS is known */
    LOSS_STAYS = 64,     /**< it keeps its dominator */
    LOSS_MOVES = 16,     /**< it may get another dominator */
    LOSS_UNROOTED = 128, /**< a root that is none any more */
};

// Steps that a node takes. A walk passes one; a suspect has all its referrers
// and referents looked at, and a node that may move makes igraph's graph bigger
// by several.
enum { STEPS_SUSPECT = 8, STEPS_MOVE = 128 };

// Steps that a small graph may take, too.
enum { STEPS_LEAST = 1 << 16 };

// Where more nodes differ, and at least one of so many, lists of what differs
// would be larger than new dominators and sums.
enum { DIFFER_FEW = 64, DIFFER_SHARE = 16 };

typedef struct loss {
    const lg_analysis *before;
    lg_analysis *after;
    const lg_columns *columns; /**< the graph. Without the references, or: */
    uint64_t *gone; /**< a bit for each edge: it is lost, and nothing dies. Else
                       NULL */
    const lg__lost *lost;
    lg__reverse reverse;
    uint8_t *state;  /**< [node_count] */
    uint32_t *queue; /**< [node_count] */
    uint32_t queued;
    lg__gathered moved;
    uint32_t *above; /**< [moved.count] their dominators */
    uint64_t steps;  /**< steps left before analysing everything is quicker */
    bool failed;     /**< memory ran out */
} loss;

// Returns whether a root refers to the node, whatever references go, or the
// node goes with its module.
static inline bool
loss_is_fixed(const loss *of, uint32_t node)
{
    return (of->before->policy.mark[node] & LG__MARK_POLICY) != 0 &&
           !(of->state[node] & LOSS_UNROOTED);
}

static inline bool
loss_dies(const loss *of, uint32_t node)
{
    return (of->state[node] & (LOSS_SUSPECT | LOSS_SAVED)) == LOSS_SUSPECT;
}

static inline bool
loss_lives(const loss *of, uint32_t node)
{
    return lg_node_is_reachable(of->before, node) && !loss_dies(of, node);
}

static inline bool
loss_is_strong(const loss *of, uint64_t edge)
{
    return !(lg_columns_kind(of->columns, edge) & LG_EDGE_WEAK) &&
           (of->gone == NULL || !(of->gone[edge / 64] >> edge % 64 & 1));
}

// Returns whether the edge into a node belongs to what is left of the policy
// graph.
static inline bool
loss_is_left(const loss *of, lg__in_edge in)
{
    return loss_is_strong(of, in.edge) && loss_lives(of, in.source);
}

// Returns the module of a namespace, else the node: a module and its namespace
// count as one.
static inline uint32_t
loss_referrer(const loss *of, uint32_t source)
{
    const lg__policy *policy = &of->before->policy;
    return policy->mark[source] & LG__MARK_NAMESPACE
               ? lg__policy_module(policy, source)
               : source;
}

// Finds the new dominators of nodes that lose referrers.

// The graph for the new dominators: the nodes that may move, their referrers,
// and the dominators of those.
typedef struct region {
    uint32_t *number; // [node_count + 1] numbers from 1; 0 is the super-root
    lg__gathered nodes, source, target; // edges as nodes, then as numbers
    bool failed;
} region;

static void
add_edge(region *to, uint32_t source, uint32_t target)
{
    to->failed |= !lg__gather_append(&to->source, source) ||
                  !lg__gather_append(&to->target, target);
}

static void
add_node(const loss *of, region *to, uint32_t node)
{
    while (node < of->columns->node_count && to->number[node] == 0) {
        to->failed |= !lg__gather_append(&to->nodes, node);
        to->number[node] = (uint32_t)to->nodes.count;
        if (of->state[node] & LOSS_MOVES)
            return;
        add_edge(to, lg__dominator_of(of->before, node), node);
        node = lg__dominator_of(of->before, node);
    }
}

static void
add_referrers(const loss *of, region *to, uint32_t node)
{
    uint64_t end = lg__first_in(&of->reverse, node + 1);
    add_node(of, to, node);
    for (uint64_t i = lg__first_in(&of->reverse, node); i < end && !to->failed;
         i++) {
        lg__in_edge in = lg__in_at(&of->reverse, i);
        uint32_t source = loss_referrer(of, in.source);
        if (source == node || !loss_is_left(of, in))
            continue;
        add_node(of, to, source);
        add_edge(to, source, node);
    }
}

// Finds the dominators of the region alone. Its edges, which name nodes, first
// become edges between the numbers of the region; 0 is the super-root. Nodes
// that do not move are there for the paths over them, and keep their
// dominators.
static lg_status
solve(loss *of, region *to, const lg_monitor *monitor, lg_error *err)
{
    uint32_t *found = lg__alloc((to->nodes.count + 1) * sizeof *found);
    lg__problem problem = {.node_count = (uint32_t)to->nodes.count + 1,
                           .edge_count = to->source.count,
                           .source = to->source.items,
                           .target = to->target.items,
                           .monitor = monitor};
    if (found == NULL || to->failed) {
        lg__free(found);
        return lg__error_memory(err);
    }
    for (size_t i = 0; i < to->source.count; i++) {
        to->source.items[i] = to->number[to->source.items[i]];
        to->target.items[i] = to->number[to->target.items[i]];
    }
    lg_status status = lg__solver_iterate(&problem, found)
                           ? LG_OK
                           : lg__solver_ask(&problem, found, err);
    for (size_t i = 0; i < of->moved.count && status == LG_OK; i++) {
        uint32_t node = of->moved.items[i];
        uint32_t dominator = found[to->number[node]];
        // Nothing leads to it any more, or the analysis of a damaged file is
        // not that of its graph.
        if (dominator > to->nodes.count)
            status = LG_EUNSUPPORTED;
        else
            of->above[i] = dominator == 0 ? of->columns->node_count
                                          : to->nodes.items[dominator - 1];
    }
    lg__free(found);
    return status;
}

// Finds the new dominators of the nodes that may move. LG_EUNSUPPORTED without
// igraph, if one of them is reachable no more, or if `before` is not the
// analysis of this graph.
static lg_status
loss_settle(loss *of, const lg_monitor *monitor, lg_error *err)
{
    region to = {.number = lg__calloc(((size_t)of->columns->node_count + 1) *
                                          sizeof(uint32_t),
                                      1)};
    of->above = lg__alloc((of->moved.count + 1) * sizeof *of->above);
    to.failed = to.number == NULL || of->above == NULL;
    for (size_t i = 0; i < of->moved.count && !to.failed; i++)
        add_referrers(of, &to, of->moved.items[i]);
    lg_status status = solve(of, &to, monitor, err);
    lg__free(to.number);
    lg__free(to.nodes.items);
    lg__free(to.source.items);
    lg__free(to.target.items);
    return status;
}

// Steps to look up. What an object holds, such as the items of an attribute, is
// this near to it.
enum { STEPS_UP = 8 };

// Returns whether the dominator refers to the node. If so, it stays the
// dominator as long as it lives.
static bool
is_direct(loss *of, uint32_t node)
{
    uint32_t dominator = lg__dominator_of(of->before, node);
    uint64_t end = lg__first_in(&of->reverse, node + 1);
    if (of->state[node] & LOSS_ASKED)
        return (of->state[node] & LOSS_DIRECT) != 0;
    of->state[node] |= LOSS_ASKED;
    for (uint64_t i = lg__first_in(&of->reverse, node); i < end; i++) {
        lg__in_edge in = lg__in_at(&of->reverse, i);
        if (loss_referrer(of, in.source) == dominator &&
            loss_is_strong(of, in.edge)) {
            of->state[node] |= LOSS_DIRECT;
            return true;
        }
    }
    return false;
}

static void
take_steps(loss *of, uint64_t steps)
{
    of->steps -= of->steps < steps ? of->steps : steps;
}

// Returns whether something that always lives refers to the node.
static bool
is_safe(const loss *of, uint32_t node)
{
    uint64_t end = lg__first_in(&of->reverse, node + 1);
    for (uint64_t i = lg__first_in(&of->reverse, node); i < end; i++) {
        lg__in_edge in = lg__in_at(&of->reverse, i);
        if (loss_is_fixed(of, in.source) && loss_is_left(of, in))
            return true;
    }
    return false;
}

static void
suspect(loss *of, uint32_t node)
{
    if (loss_is_fixed(of, node) || (of->state[node] & LOSS_SUSPECT))
        return;
    take_steps(of, STEPS_SUSPECT);
    of->state[node] |= LOSS_SUSPECT;
    if (is_safe(of, node))
        of->state[node] |= LOSS_SAVED;
    else
        of->queue[of->queued++] = node;
}

// Makes what a suspect refers to a suspect, unless its dominator refers to it
// and is none. A dominator that becomes a suspect later comes back to it.
static void
suspect_referents(loss *of, uint32_t node)
{
    uint32_t nodes = of->columns->node_count;
    const lg_edge_range edges = lg_columns_edges(of->columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(of->columns, edge);
        if (of->state[target] & LOSS_SUSPECT)
            continue;
        uint32_t dominator = lg__dominator_of(of->before, target);
        bool doubtful = dominator < nodes && loss_dies(of, dominator);
        if (loss_is_strong(of, edge) && (doubtful || !is_direct(of, target)))
            suspect(of, target);
    }
}

static void
save(loss *of, uint32_t *stack, uint32_t *height, uint32_t node)
{
    if (!loss_dies(of, node))
        return;
    of->state[node] |= LOSS_SAVED;
    stack[(*height)++] = node;
}

static bool
is_entered(const loss *of, uint32_t node)
{
    uint64_t end = lg__first_in(&of->reverse, node + 1);
    for (uint64_t i = lg__first_in(&of->reverse, node); i < end; i++) {
        lg__in_edge in = lg__in_at(&of->reverse, i);
        if (loss_is_left(of, in))
            return true;
    }
    return false;
}

// Saves the suspects that something else refers to, and what they refer to. A
// suspect lives on exactly if a path leads to it from something that is no
// suspect, or was saved. The first suspect of such a path is entered, and the
// stack follows the rest. Each suspect of the queue is put on the stack at most
// once, which bounds the stack.
static bool
save_suspects(loss *of)
{
    uint32_t height = 0;
    uint32_t *stack = lg__alloc(((size_t)of->queued + 1) * sizeof *stack);
    for (uint32_t i = 0; stack != NULL && i < of->queued; i++) {
        if (is_entered(of, of->queue[i]))
            save(of, stack, &height, of->queue[i]);
        while (height > 0) {
            uint32_t node = stack[--height];
            const lg_edge_range edges = lg_columns_edges(of->columns, node);
            for (uint64_t e = edges.begin; e < edges.end; e++)
                if (loss_is_strong(of, e))
                    save(of, stack, &height, lg_columns_target(of->columns, e));
        }
    }
    lg__free(stack);
    return stack != NULL;
}

// Looks a few steps up for the ancestor just below the dominator, if nothing
// moves that ancestor. Returns LG_NONE if there is none.
static uint32_t
branch_below(loss *of, uint32_t dominator, uint32_t node)
{
    uint32_t nodes = of->columns->node_count;
    for (unsigned step = 0; step < STEPS_UP && node < nodes; step++) {
        uint32_t above = lg__dominator_of(of->before, node);
        if (above == dominator)
            return loss_is_fixed(of, node) || is_direct(of, node) ? node
                                                                  : LG_NONE;
        node = above;
    }
    return LG_NONE;
}

// Returns whether two paths lead to the node that meet only at its dominator.
static bool
has_two_paths(loss *of, uint32_t node)
{
    uint32_t dominator = lg__dominator_of(of->before, node);
    uint32_t first = LG_NONE;
    uint64_t end = lg__first_in(&of->reverse, node + 1);
    for (uint64_t i = lg__first_in(&of->reverse, node); i < end; i++) {
        lg__in_edge in = lg__in_at(&of->reverse, i);
        uint32_t branch =
            loss_is_left(of, in)
                ? branch_below(of, dominator, loss_referrer(of, in.source))
                : LG_NONE;
        if (branch == LG_NONE || branch == node || branch == first)
            continue;
        if (first != LG_NONE)
            return true;
        first = branch;
    }
    return false;
}

// Returns whether the node's referrers show that its dominator stays.
static bool
stays(loss *of, uint32_t node)
{
    if (!(of->state[node] & LOSS_WEIGHED)) {
        of->state[node] |= LOSS_WEIGHED;
        if (is_direct(of, node) || has_two_paths(of, node))
            of->state[node] |= LOSS_STAYS;
    }
    return (of->state[node] & LOSS_STAYS) != 0;
}

static void
move(loss *of, uint32_t node)
{
    if (loss_is_fixed(of, node) || !loss_lives(of, node) ||
        (of->state[node] & LOSS_MOVES) || stays(of, node))
        return;
    take_steps(of, STEPS_MOVE);
    of->state[node] |= LOSS_MOVES;
    of->failed |= !lg__gather_append(&of->moved, node);
}

// Adds the other targets of a node that may move, and of all nodes below it.
// The queue of suspects is no longer needed, and serves as the stack of a walk
// over the subtree, which has no node twice. The walks below two nodes may
// overlap, so each node that they pass takes a step.
static void
move_siblings(loss *of, uint32_t moved)
{
    const lg_analysis *before = of->before;
    uint32_t dominator = lg__dominator_of(before, moved);
    uint32_t height = 1;
    of->queue[0] = moved;
    while (height > 0 && of->steps > 0) {
        uint32_t node = of->queue[--height];
        const lg_edge_range edges = lg_columns_edges(of->columns, node);
        take_steps(of, 1);
        for (uint64_t e = edges.begin; e < edges.end; e++)
            if (lg__dominator_of(before, lg_columns_target(of->columns, e)) ==
                    dominator &&
                loss_is_strong(of, e))
                move(of, lg_columns_target(of->columns, e));
        const lg__children children = lg__children_of(before, node);
        for (uint32_t i = children.begin; i < children.end; i++) {
            const uint32_t child = lg__child_at(before, i);
            if (!loss_dies(of, child))
                of->queue[height++] = child;
        }
    }
}

// Finds what dies, unless that takes too many steps.
static bool
find_dead(loss *of)
{
    const lg__lost *lost = of->lost;
    for (size_t i = 0; i < lost->edge_count; i++)
        if (lg_node_is_reachable(
                of->before, lg_edge_source(of->before->graph, lost->edges[i])))
            suspect(of, lg_columns_target(of->columns, lost->edges[i]));
    for (uint32_t i = 0; i < of->queued && of->steps > 0; i++)
        suspect_referents(of, of->queue[i]);
    return of->steps == 0 || save_suspects(of);
}

// Finds what dies, and what may move, unless that takes too many steps. The
// list of nodes that may move grows while it is searched: a node that moves is
// a reason to look at what its subtree refers to. No node is added twice, so
// the search ends.
static bool
find_changes(loss *of)
{
    const lg_columns *columns = of->columns;
    if (of->gone == NULL && !find_dead(of))
        return false;
    for (size_t i = 0; i < of->lost->edge_count; i++)
        move(of, lg_columns_target(columns, of->lost->edges[i]));
    for (size_t i = 0; i < of->lost->root_count; i++)
        move(of, of->lost->roots[i]);
    for (uint32_t i = 0; i < of->queued && of->steps > 0; i++) {
        uint32_t node = of->queue[i];
        uint64_t end =
            loss_dies(of, node) ? lg_columns_first_edge(columns, node + 1) : 0;
        for (uint64_t edge = lg_columns_first_edge(columns, node); edge < end;
             edge++)
            move(of, lg_columns_target(columns, edge));
    }
    for (size_t i = 0; i < of->moved.count && of->steps > 0; i++)
        move_siblings(of, of->moved.items[i]);
    return !of->failed;
}

// Hangs each dead node from the root of garbage by itself.
static lg_status
take_over(loss *of, lg_error *err)
{
    uint32_t nodes = of->columns->node_count;
    lg_analysis *after = of->after;
    if (!lg__dominators_open(after))
        return lg__error_memory(err);
    lg__compact_copy(&of->before->dominators, 0, nodes, after->dominator);
    for (size_t i = 0; i < of->moved.count; i++)
        after->dominator[of->moved.items[i]] = of->above[i];
    for (uint32_t node = 0; node < nodes && of->gone == NULL; node++) {
        if (loss_dies(of, node))
            after->dominator[node] = nodes + 1;
        else
            after->policy.mark[node] |=
                of->before->policy.mark[node] & LG__MARK_LIVE;
    }
    return LG_OK;
}

// Computes the sums, from an order that has dominators first. `order` has room
// for all nodes.
static lg_status
sum_up(lg_analysis *after, uint32_t *order, lg_error *err)
{
    uint32_t nodes = after->graph->columns.node_count;
    lg_status status = lg__retained_children(after, err);
    if (status != LG_OK)
        return status;
    const lg__children roots = {lg__children_of(after, nodes).begin,
                                lg__children_of(after, nodes + 1).end};
    uint32_t count = lg__children_copy(after, roots, order);
    for (uint32_t i = 0; i < count; i++)
        count += lg__children_copy(after, lg__children_of(after, order[i]),
                                   order + count);
    status = lg__retained_sum(after, order, err);
    if (status == LG_OK)
        lg__dominators_close(after);
    return status;
}

// Finds what differs where few nodes move. To move all of them, they are first
// taken off the tree, one after the other, and then hung from their new
// dominators. At any time, each sum is that of what is below it by then. So the
// order does not matter.

typedef struct patch {
    const lg_analysis *before;
    const lg__gathered *moved;
    const uint32_t *above; // [moved->count] new dominators
    uint32_t *index;       // [node_count] 1 + index of a node that moves; or 0
    int64_t *more;         // [node_count + 2] beyond the sums from before
    uint8_t *hung;         // [moved->count] it is not off the tree
    lg__gathered differ;   // nodes with another dominator or sum
    lg__changes *changes;
    uint64_t steps; // that are left
    bool failed;    // memory ran out
} patch;

static void
note(patch *to, uint32_t node)
{
    uint64_t *bits = &to->changes->bits[node / 64];
    const uint64_t bit = UINT64_C(1) << node % 64;
    if (!(*bits & bit))
        to->failed |= !lg__gather_append(&to->differ, node);
    *bits |= bit;
}

static uint32_t
new_dominator(const patch *of, uint32_t node)
{
    const uint32_t index = of->index[node];
    return index != 0 ? of->above[index - 1]
                      : lg__dominator_of(of->before, node);
}

static int64_t
new_sum(const patch *of, uint32_t node)
{
    return (int64_t)lg__sum_of(&of->before->host, node) + of->more[node];
}

// Takes a node and what it retains off the tree, or hangs it from its new
// dominator. The way up ends at a root, or at a node that is itself off the
// tree. What is above that node counts neither, until that node is hung with
// all that is below it by then.
static void
change_above(patch *to, size_t moved, bool hang)
{
    const uint32_t nodes = to->before->graph->columns.node_count;
    const uint32_t node = to->moved->items[moved];
    const int64_t sum = new_sum(to, node);
    bool goes_on = true;
    for (uint32_t at = node; goes_on && to->steps > 0; to->steps--) {
        at = hang ? new_dominator(to, at) : lg__dominator_of(to->before, at);
        to->more[at] += hang ? sum : -sum;
        note(to, at);
        goes_on =
            at < nodes && (to->index[at] == 0 || to->hung[to->index[at] - 1]);
    }
    to->hung[moved] = hang;
}

static void
move_all(patch *to)
{
    memset(to->hung, 1, to->moved->count);
    for (size_t i = 0; i < to->moved->count; i++) {
        to->index[to->moved->items[i]] = (uint32_t)i + 1;
        note(to, to->moved->items[i]);
    }
    for (size_t i = 0; i < to->moved->count; i++)
        change_above(to, i, false);
    for (size_t i = 0; i < to->moved->count; i++)
        change_above(to, i, true);
}

static bool
list_changes(patch *of)
{
    const lg_allocator allocator = lg_allocator_default();
    const uint32_t nodes = of->before->graph->columns.node_count;
    lg__gather_once(&of->differ);
    lg__changed *items =
        lg__vector_extend(&allocator, &of->changes->items, of->differ.count);
    for (size_t i = 0; items != NULL && i < of->differ.count; i++) {
        const uint32_t node = of->differ.items[i];
        items[i] = (lg__changed){
            .node = node,
            .dominator = node < nodes ? new_dominator(of, node) : LG_NONE,
            .host = (uint64_t)new_sum(of, node)};
    }
    return items != NULL;
}

static lg__changes *
begin_changes(size_t nodes)
{
    lg__changes *made = lg__calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->items.element = sizeof(lg__changed);
    made->bits = lg__sparse_calloc(nodes / 64 + 1, sizeof *made->bits);
    if (made->bits == NULL) {
        lg__free(made);
        return NULL;
    }
    return made;
}

// Finds what differs. *out is NULL if whole arrays are better.
static lg_status
find_differences(const loss *of, lg__changes **out, lg_error *err)
{
    const size_t nodes = (size_t)of->columns->node_count + 2;
    patch to = {.before = of->before,
                .moved = &of->moved,
                .above = of->above,
                .index = lg__sparse_calloc(nodes, sizeof *to.index),
                .more = lg__sparse_calloc(nodes, sizeof *to.more),
                .hung = lg__alloc(of->moved.count),
                .changes = begin_changes(nodes),
                .steps = of->steps};
    bool enough = to.index && to.more && to.hung && to.changes;
    if (enough)
        move_all(&to);
    bool small =
        to.steps > 0 && to.differ.count < DIFFER_FEW + nodes / DIFFER_SHARE;
    enough = enough && !to.failed && (!small || list_changes(&to));
    lg__free(to.index);
    lg__free(to.more);
    lg__free(to.hung);
    lg__free(to.differ.items);
    if (!small || !enough) {
        lg__changes_free(to.changes);
        to.changes = NULL;
    }
    *out = to.changes;
    return enough ? LG_OK : lg__error_memory(err);
}

// Leaves out the nodes that keep their dominators.
static void
drop_unmoved(loss *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->moved.count; i++) {
        const uint32_t node = of->moved.items[i];
        of->moved.items[kept] = node;
        of->above[kept] = of->above[i];
        kept += of->above[i] != lg__dominator_of(of->before, node);
    }
    of->moved.count = kept;
}

// Borrows from the analysis before what stays. Only sums of the host can be
// told by what differs.
static lg_status
lay_over(loss *of, lg_error *err)
{
    lg__changes *changes = NULL;
    drop_unmoved(of);
    if (of->moved.count == 0)
        return LG_OK;
    lg_status status = lg__analysis_begin(of->before->graph, &of->after, err);
    if (status == LG_OK && of->before->graph->placed_count == 0)
        status = find_differences(of, &changes, err);
    if (status != LG_OK)
        return status;
    of->after->borrows = true;
    of->after->policy = of->before->policy;
    if (changes == NULL) {
        status = take_over(of, err);
        return status == LG_OK ? sum_up(of->after, of->queue, err) : status;
    }
    of->after->changes = changes;
    of->after->dominators = of->before->dominators;
    of->after->host = of->before->host;
    of->after->host.changes = changes;
    return LG_OK;
}

// LG_EUNSUPPORTED if only an analysis of the whole rest will do.
static lg_status
find_out(loss *of, const lg_monitor *monitor, lg_error *err)
{
    if (!find_changes(of))
        return lg__error_memory(err);
    if (of->steps == 0)
        return LG_EUNSUPPORTED;
    lg_status status =
        of->moved.count > 0 ? loss_settle(of, monitor, err) : LG_OK;
    if (status == LG_OK && of->gone != NULL)
        return lay_over(of, err);
    if (status == LG_OK)
        status = take_over(of, err);
    return status == LG_OK ? sum_up(of->after, of->queue, err) : status;
}

static lg_status
analyse_changes(loss *of, const lg_monitor *monitor, lg_error *err)
{
    const lg_columns *columns = of->columns;
    size_t nodes = (size_t)columns->node_count + 1;
    of->state = lg__calloc(nodes, 1);
    of->queue = lg__alloc(nodes * sizeof(uint32_t));
    of->steps = columns->node_count + columns->edge_count + STEPS_LEAST;
    bool enough = of->state != NULL && of->queue != NULL &&
                  lg__graph_reverse(of->before->graph, &of->reverse);
    for (size_t i = 0; enough && i < of->lost->root_count; i++)
        of->state[of->lost->roots[i]] |= LOSS_UNROOTED;
    lg_status status =
        enough ? find_out(of, monitor, err) : lg__error_memory(err);
    lg__free(of->state);
    lg__free(of->queue);
    lg__free(of->moved.items);
    lg__free(of->above);
    if (status != LG_OK) {
        lg_analysis_free(of->after);
        of->after = NULL;
    }
    return status;
}

// Returns whether a class lost its last name in a module, and so is no root any
// more.
static bool
has_same_roots(const lg_analysis *before, const lg_analysis *after)
{
    const lg__policy *a = &before->policy;
    const lg__policy *b = &after->policy;
    bool same = a->module_count == b->module_count;
    for (uint32_t i = 0; i < a->module_count && same; i++)
        same = a->modules[i].dict == b->modules[i].dict &&
               a->modules[i].module == b->modules[i].module;
    for (uint32_t i = 0; i < before->graph->columns.node_count && same; i++)
        same = ((a->mark[i] ^ b->mark[i]) & LG__MARK_POLICY) == 0;
    return same;
}

lg_status
lg__analysis_without(const lg_analysis *before, const lg_graph *rest,
                     const uint64_t *cut, size_t count,
                     const lg_monitor *monitor, lg_analysis **out,
                     lg_error *err)
{
    const lg__lost lost = {.edges = cut, .edge_count = count};
    loss of = {.before = before, .columns = &rest->columns, .lost = &lost};
    lg_status status = lg__analysis_begin(rest, &of.after, err);
    if (status == LG_OK)
        status = lg__policy_new(rest, NULL, &of.after->policy, err);
    if (status == LG_OK && has_same_roots(before, of.after)) {
        status = analyse_changes(&of, monitor, err);
    } else {
        lg_analysis_free(of.after);
        status = status == LG_OK ? LG_EUNSUPPORTED : status;
    }
    if (status == LG_EUNSUPPORTED)
        return lg_analysis_new(rest, monitor, out, err);
    if (status == LG_OK)
        *out = of.after;
    return status;
}

lg_status
lg__analysis_borrowed(const lg_analysis *before, const lg__lost *lost,
                      const lg_monitor *monitor, lg_analysis **out,
                      lg_error *err)
{
    loss of = {.before = before,
               .columns = &before->graph->columns,
               .gone = lg__sparse_calloc(
                   (size_t)(before->graph->columns.edge_count / 64 + 1),
                   sizeof *of.gone),
               .lost = lost};
    if (of.gone == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < lost->edge_count; i++)
        of.gone[lost->edges[i] / 64] |= UINT64_C(1) << lost->edges[i] % 64;
    lg_status status = analyse_changes(&of, monitor, err);
    lg__free(of.gone);
    if (status == LG_OK && of.after != NULL && of.after->changes == NULL)
        lg__children_forget(of.after);
    if (status == LG_OK)
        *out = of.after;
    return status;
}

/**
 * The work of an analysis: from the policy graph to a dominator tree.
 *
 * reduce.c walks what the super-root reaches, then the rest, counts in-edges
 * and taints what reaches a cycle. lift.c takes nodes whose in-edges have all
 * been seen, which settles everything that no cycle reaches. components.c finds
 * the knots among what is left and tainted, dominators.c their inner
 * dominators, and lift.c goes on with each knot as one.
 *
 * All of it lives in one 16-byte branch a node, reused from step to step, and
 * none of it recurses.
 */
#ifndef LG_LIFT_H
#define LG_LIFT_H

#include "policy.h"
#include "solver.h"

typedef struct lg__branch {
    uint32_t parent; /**< the nearest common dominator of the predecessors seen
                          so far, then the immediate dominator */
    uint32_t jump;   /**< a further ancestor. While walking: where the walk came
                          from. In the core: see lg__knots */
    uint32_t depth;  /**< below the super-root. While walking: the next edge */
    uint32_t waiting; /**< in-edges not seen yet */
} lg__branch;

/** Knots of more than one node. A member is named by its place in `member`;
 *  until its dominator is known, its branch's jump is that place. */
typedef struct lg__knots {
    uint32_t count;
    uint32_t member_count;
    uint32_t *first;   /**< [count + 1] into member */
    uint32_t *member;  /**< nodes, by knot, ascending */
    uint32_t *knot;    /**< [member_count] */
    uint32_t *inner;   /**< [member_count] place of the dominator within the
                            knot; LG_NONE: it lies outside */
    uint32_t *top;     /**< [count] nearest common dominator of the edges into
                            the knot seen so far; LG_NONE: none was seen */
    uint64_t *waiting; /**< [count] edges into the knot not seen yet */
} lg__knots;

typedef struct lg__lift {
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg__policy *policy;
    uint8_t *mark;
    lg__branch *branch; /**< [node_count + 2], the super-root and the root of
                             garbage last */
    uint32_t *order;    /**< nodes whose dominator is known, dominators first */
    uint32_t settled;   /**< how many there are */
    uint32_t spread;    /**< how many of them have shown their out-edges */
    uint32_t before_knots; /**< nodes settled before any knot was */
    uint32_t *stalled; /**< [node_count] of the others: their branch's parent at
                            that time */
    lg__knots knots;
} lg__lift;

/** The super-root, and what garbage hangs from. */
static inline uint32_t
lg__lift_root(const lg__lift *lift)
{
    return lift->graph->columns.node_count;
}

static inline uint32_t
lg__lift_garbage(const lg__lift *lift)
{
    return lift->graph->columns.node_count + 1;
}

/** Marks on a target that make an edge of `source` none: furniture has no other
 *  in-edges, and garbage that refers to what is alive changes nothing there. */
static inline unsigned
lg__lift_barred(const lg__lift *lift, uint32_t source)
{
    unsigned furniture = LG__MARK_FURNITURE | LG__MARK_NAMESPACE;
    return lift->mark[source] & LG__MARK_LIVE ? furniture
                                              : furniture | LG__MARK_LIVE;
}

/** Who refers to what a node refers to: a namespace's module for the namespace.
 */
static inline uint32_t
lg__lift_referrer(const lg__lift *lift, uint32_t node)
{
    return lift->mark[node] & LG__MARK_NAMESPACE ? lift->branch[node].parent
                                                 : node;
}

/** The nearest common ancestor of two settled nodes. O(log nodes). */
uint32_t lg__branch_meet(const lg__branch *branch, uint32_t a, uint32_t b);
/** *known becomes the nearest common ancestor of itself (LG_NONE: nothing yet)
 *  and one more node. */
void lg__lift_meet(const lg__lift *lift, uint32_t *known, uint32_t more);
/** Depth and jump of a node whose parent is settled. */
void lg__branch_settle(lg__branch *branch, uint32_t node);

lg_status lg__lift_reduce(lg__lift *lift, lg_error *err);
/** The knots of what is left, with their inner dominators. */
lg_status lg__lift_untangle(lg__lift *lift, lg_error *err);
lg_status lg__knots_solve(lg__lift *lift, const lg__solver *solver,
                          lg_error *err);
void lg__knots_free(lg__knots *knots);

/** Everything: afterwards order has all nodes, and each branch's parent is its
 *  immediate dominator. Free with lg__lift_free, also on failure. */
lg_status lg__lift_run(lg__lift *lift, const lg_graph *graph,
                       const lg__policy *policy, const lg_monitor *monitor,
                       lg_error *err);
void lg__lift_free(lg__lift *lift);

#endif

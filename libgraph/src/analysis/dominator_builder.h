/**
 * The work of an analysis: from the policy graph to a dominator tree.
 *
 * dominator_builder.c finds what the super-root reaches, the components, and an
 * order in which every referrer of a node comes before the node, unless both
 * are in one component. It takes the nodes in that order: the immediate
 * dominator of a node is the nearest common ancestor of its referrers. It
 * solves a component as a whole, also one that has a loop with several entries.
 *
 * Nothing recurses.
 */
#ifndef LEAKGRAPH_DOMINATOR_BUILDER_H
#define LEAKGRAPH_DOMINATOR_BUILDER_H

#include "analysis/policy.h"
#include "graph/graph_private.h"

/** Nodes from this depth on have a jump. */
enum { LG__BRANCH_DEEP = 32 };

/** What only deep nodes have. */
typedef struct lg__deep_branch {
    uint32_t jump; /**< a further ancestor */
    uint32_t depth;
} lg__deep_branch;

/** A tree that grows from its root. */
typedef struct lg__branches {
    lg__compact parents; /**< which has them, not compact yet */
    uint32_t *parent; /**< the nearest common dominator of the referrers seen so
                           far, then the immediate dominator; while a component
                           is solved as a whole, the index of a member that is
                           not settled */
    uint8_t *depth;   /**< below the super-root; 0: not settled, or a root;
                           LG__BRANCH_DEEP: that or more */
    lg__deep_branch *deep; /**< few pages of it are written */
} lg__branches;

/** A component: nodes that all reach each other, or one that refers to itself.
 *  An *entry* is a member that something outside refers to. */
typedef struct lg__component_span {
    uint32_t begin; /**< begin and end of its members in the order */
    uint32_t end;
    bool early; /**< an early node refers to it: see LG__MARK_EARLY */
} lg__component_span;

typedef struct lg__dominator_builder {
    const lg_graph *graph;
    const lg_monitor *monitor;
    const lg__policy *policy;
    uint8_t *mark;
    uint32_t *order; /**< [node_count] dominators first; the members of a
                        component stand together */
    uint32_t *place; /**< [node_count] what the walk knows of them; NULL once
                        it has ended */
    lg__branches branches; /**< [node_count + 2]; the last two are the
                              super-root and the root of garbage; empty once the
                              analysis has the parents */
    lg__vector components; /**< lg__component_span, from the end of the order to
                              its beginning */
    uint32_t *part; /**< [node_count] 0, or the number of a component and 1: see
                       component_list.c; few pages of it are written */
    lg__branches component; /**< [components + 1] each below the one that
                               dominates it collectively; the last means none */
} lg__dominator_builder;

/** Asks the monitor now and then. Returns false and sets the error if the
 *  monitor says stop. */
static inline bool
lg__dominators_goes_on(const lg__dominator_builder *building, const char *phase,
                       uint32_t done, uint32_t all, lg_error *err)
{
    const uint32_t often = (1 << 14) - 1;
    return (done & often) != often ||
           lg__monitor_goes_on(building->monitor, phase, (double)done / all,
                               err);
}

/** Returns the number of the super-root. */
static inline uint32_t
lg__dominators_root(const lg__dominator_builder *building)
{
    return building->graph->columns.node_count;
}

/** Returns marks that exclude targets: the policy graph has no edge from
 *  `source` to a node with one of them. Implicit roots have only the
 *  super-root's edge, and garbage that refers to live objects does not change
 *  their dominators. */
static inline unsigned
lg__dominators_barred(const lg__dominator_builder *building, uint32_t source)
{
    unsigned implicit_root = LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE;
    return building->mark[source] & LG__MARK_LIVE
               ? implicit_root
               : implicit_root | LG__MARK_LIVE;
}

/** Makes a tree of that many nodes, none of which is settled. Its parents are
 *  any. Returns false when memory ran out. Free it all the same. */
bool lg__branches_open(size_t count, lg__branches *out);
void lg__branches_free(lg__branches *branches);

/** Returns the depth of a settled node. */
static inline uint32_t
lg__branch_depth(const lg__branches *branches, uint32_t node)
{
    return branches->depth[node] < LG__BRANCH_DEEP ? branches->depth[node]
                                                   : branches->deep[node].depth;
}

/** Returns the nearest common ancestor of two settled nodes. O(log nodes). */
uint32_t lg__branch_meet(const lg__branches *branches, uint32_t a, uint32_t b);
/** Returns the ancestor of a settled node at a depth that is at most the
 *  node's. O(log nodes). */
uint32_t lg__branch_ancestor(const lg__branches *branches, uint32_t node,
                             uint32_t depth);
/** Sets depth and jump of a node whose parent is settled. */
void lg__branch_settle(lg__branches *branches, uint32_t node);

/** Runs all steps. Afterwards, the parent of each branch is its immediate
 *  dominator. Free with lg__dominators_free, also on failure. */
lg_status lg__dominators_run(lg__dominator_builder *building,
                             const lg_graph *graph, const lg__policy *policy,
                             const lg_monitor *monitor, lg_error *err);
void lg__dominators_free(lg__dominator_builder *building);

#endif

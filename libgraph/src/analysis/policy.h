/**
 * The policy graph: the strong edges of a snapshot, as an analysis sees them.
 *
 * A super-root refers to every root and every implicit root. The policy graph
 * has no other edge to an implicit root, so classes and modules are charged to
 * nobody and tie nothing together. A module and its namespace count as one: the
 * namespace's only in-edge is the module's, and the module refers to what the
 * namespace refers to.
 */
#ifndef LEAKGRAPH_POLICY_H
#define LEAKGRAPH_POLICY_H

#include "graph/graph_private.h"

/** Marks that an analysis puts on a node, in one byte. */
enum {
    LG__MARK_IMPLICIT_ROOT = 1 << 0, /**< only the super-root refers to it */
    LG__MARK_NAMESPACE = 1 << 1,     /**< a module root's dict: only its module
                                          refers to it */
    LG__MARK_ENTRY = 1 << 2, /**< the super-root and other nodes refer to it
                              */
    LG__MARK_LIVE = 1 << 3,  /**< the super-root reaches it */
    LG__MARK_SELF = 1 << 4,  /**< it refers to itself */
    LG__MARK_INNER =
        1 << 5, /**< no node outside of its component refers to it */
    LG__MARK_EARLY =
        1
        << 6, /**< an early node or a root refers to it; members of components
                 with several entries are late, and so is all that they hold */
    LG__MARK_MANY =
        1 << 7, /**< it belongs to a component with several entries */
    // These reuse bits while the nodes are walked, and while components are
    // contracted.
    LG__MARK_BOUND =
        LG__MARK_MANY, /**< it refers to a node that the walk met earlier */
    LG__MARK_TOP =
        LG__MARK_SELF, /**< it dominates a component with several entries */
    LG__MARK_CANDIDATE =
        LG__MARK_INNER, /**< a component may dominate it collectively */
    LG__MARK_POLICY =
        LG__MARK_IMPLICIT_ROOT | LG__MARK_NAMESPACE | LG__MARK_ENTRY,
};

/** A module root and its namespace. */
typedef struct lg__module {
    uint32_t dict;
    uint32_t module;
} lg__module;

typedef struct lg__policy {
    uint8_t *mark;       /**< [node_count] */
    lg__module *modules; /**< ascending by dict */
    uint32_t module_count;
    lg_allocator allocator; /**< has the memory of both arrays */
    size_t mark_size;
    size_t module_room; /**< modules for which there is memory */
} lg__policy;

/** Computes the LG__MARK_POLICY bits of every node. `allocator` must outlive
 *  the policy; NULL: blocks of lg__alloc. O(nodes), plus what the modules
 *  and named classes refer to. */
lg_status lg__policy_new(const lg_graph *graph, const lg_allocator *allocator,
                         lg__policy *out, lg_error *err);
void lg__policy_free(lg__policy *policy);

/** Returns the module that owns a namespace. */
uint32_t lg__policy_module(const lg__policy *policy, uint32_t dict);

#endif

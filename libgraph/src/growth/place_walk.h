/** What the parts of the walk share that puts every node into a place. */
#ifndef LEAKGRAPH_PLACE_WALK_H
#define LEAKGRAPH_PLACE_WALK_H

#include "growth/labels.h"

// Marks of a node, besides the number of its place.

/** The node is a part of a definition, such as a code object or the bases of a
 *  class, and so is everything below it. */
#define LG__PLACE_DEFINITION (UINT32_C(1) << 31)
/** The node is a part of a member, or another member of its place dominates it.
 */
#define LG__PLACE_INNER (UINT32_C(1) << 30)
/** The step to the node, or one above it, leads back to a place above, so
 *  another member of the node's place may dominate the node. */
#define LG__PLACE_BACK (UINT32_C(1) << 29)
/** The node is a function, a class or a module, or a part of one. */
#define LG__PLACE_DEFINED (UINT32_C(1) << 28)
/** The node is a function. */
#define LG__PLACE_FUNCTION (UINT32_C(1) << 27)
/** The node is a class, or a part of one. */
#define LG__PLACE_CLASS (UINT32_C(1) << 26)
#define LG__PLACE_MARKS                                                        \
    (LG__PLACE_DEFINITION | LG__PLACE_INNER | LG__PLACE_BACK |                 \
     LG__PLACE_DEFINED | LG__PLACE_FUNCTION | LG__PLACE_CLASS)
/** A walk has no more places than that. */
#define LG__PLACES_MOST LG__PLACE_CLASS

/** A type, as the walk sees it. */
typedef struct lg__place_walk_type {
    uint32_t name;   /**< number of its name in the table */
    uint32_t top;    /**< place of its nodes that have no name, and that nothing
                          but the super-root dominates; LG_NONE: not found yet */
    uint32_t marks;  /**< of its nodes: LG__PLACE_DEFINITION,
                          LG__PLACE_DEFINED ... */
    uint32_t within; /**< its nodes belong to the definition of what has one of
                          these marks: LG__PLACE_FUNCTION, LG__PLACE_CLASS */
    bool code;       /**< it is the type of code objects */
    bool may_fold;   /**< its nodes may be parts of others */
    bool space;      /**< its nodes that are parts are namespaces, or its nodes
                          have the values of context variables */
    bool titled;     /**< its nodes have names of their own */
    bool plain;      /**< these names are their labels, as they are */
    bool by_module;  /**< a module may name its nodes */
    bool native;     /**< its nodes are native memory */
    bool piece;      /**< its nodes are parts of the buffer, or of the context's
                          mapping, that holds them */
} lg__place_walk_type;

/** Where the references are that a dominator has outside of itself. */
typedef struct lg__known_space {
    uint32_t above;
    uint32_t source;
} lg__known_space;

/** A step below a place leads to one place. The walk remembers some of these,
 *  because objects of one class take the same few steps. */
typedef struct lg__taken_step {
    uint64_t from;  /**< the parent; below it, the step, the payload of the
                         reference, or the string of the label */
    uint32_t by;    /**< bits 6 to 31: number of the type's name; bits 0 to 5: 0
                         for a named step, else the step, or LG__STEP_KIND plus
                         its lg_place_kind */
    uint32_t place; /**< LG_NONE: empty */
} lg__taken_step;

/** The last place that a path below a turn visited first. The visits before it
 *  have the others. */
typedef struct lg__place_visit {
    uint32_t before; /**< LG_NONE: the path visited this place, and those above
                          it, before its first turn */
    uint32_t place;
    uint32_t highest; /**< the highest number of all places visited */
} lg__place_visit;

/** Where a step to a place leads from a visit. */
typedef struct lg__visit_step {
    uint32_t from;
    uint32_t place;
    uint32_t to; /**< 1 + the number of a visit; 0: this slot is free */
} lg__visit_step;

/** What is known of the step to a node before it has a place. From
 * LG__STEP_NAMES on, it is an attribute, whose name is a string of the graph.
 */
enum {
    LG__STEP_NONE = 0, /**< no reference, or none of its dominator's */
    LG__STEP_KIND,     /**< from here on: a reference of that lg_edge_kind */
    LG__STEP_LOOK = LG__STEP_KIND + LG_EDGE_ATTRIBUTE, /**< look at the
                                                            reference */
    LG__STEPS = LG__STEP_KIND + LG_EDGE_KIND_COUNT,
    LG__STEP_NAMES = 64,
};

/** Strings with higher numbers are looked up by the reference. */
#define LG__STEP_NAMES_MOST (UINT32_MAX - LG__STEP_NAMES)

enum { LG__SPACES_KNOWN = 256 };
/** The bits of a reference's number that a place keeps. */
#define LG__REFERENCE_MASK ((UINT64_C(1) << 40) - 1)
enum { LG__TAKEN_BITS = 11, LG__TAKEN = 1 << LG__TAKEN_BITS };

typedef struct lg__place_walk {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_places *places;
    lg__labels labels;
    lg__place_walk_type *types;
    uint32_t *place;      /**< [node] first the step to it; for nodes that only
                               the super-root dominates, 0 or 1 + an index into
                               `names`; later its marks and its place */
    uint32_t *reference;  /**< [node] the lower bits of the number of the
                         reference by which its dominator holds it, if the
                         step has one; see places_add_up */
    lg__vector names;     /**< lg__module_name */
    uint64_t *early;      /**< a bit per node: it got its place before its
                               turn */
    uint32_t *visited;    /**< [node] its last visit, if it is marked with
                               LG__PLACE_BACK */
    lg__vector visits;    /**< lg__place_visit */
    lg__visit_step *step; /**< [step_mask + 1] open addressing */
    uint32_t step_mask;
    uint32_t step_count;
    lg__taken_step taken[LG__TAKEN];          /**< indexed by hash */
    lg__known_space spaces[LG__SPACES_KNOWN]; /**< indexed by the lower bits
                                                   of `above` */
} lg__place_walk;

/** Chooses the references by which dominators hold nodes, and the names of
 *  nodes that only the super-root dominates. Returns false when memory ran
 *  out. */
bool lg__dominator_labels_choose(lg__place_walk *walk);
/** Like lg__dominator_reference, for a node to which `above` itself does not
 * refer. */
lg__reference lg__dominator_reference_search(lg__place_walk *walk,
                                             uint32_t node, uint32_t above);

/** Makes the memory of a walk of an analysis and its graph, begins its places
 *  and labels, and looks at all types. lg__places_of_free frees the memory. */
lg_status lg__place_walk_begin(lg__place_walk *walk, lg_error *err);
/** Leaves the numbers out of the names of types that have no name of a module
 *  or a class, because a program made them: `app.Model7` becomes `app.Model*`.
 *  Call it after lg__dominator_labels_choose. Returns false when memory ran
 *  out. */
bool lg__place_walk_types_merge(lg__place_walk *walk);

/** Returns whether the node has a reference to `target` whose number ends with
 *  these bits. */
static inline bool
lg__has_reference(const lg_columns *columns, uint32_t node, uint32_t bits,
                  uint32_t target, lg__reference *out)
{
    uint64_t begin = lg_columns_first_edge(columns, node);
    uint64_t edge = begin + (uint32_t)(bits - (uint32_t)begin);
    if (edge >= lg_columns_first_edge(columns, node + 1) ||
        (columns->edge_count > LG_NONE &&
         lg_columns_target(columns, edge) != target))
        return false;
    *out = (lg__reference){node, edge};
    return true;
}

/** Returns the reference by which the dominator `above` holds the node, if one
 *  was chosen. */
static inline lg__reference
lg__dominator_reference(lg__place_walk *walk, uint32_t node, uint32_t above)
{
    lg__reference reference;
    if (lg__has_reference(&walk->graph->columns, above, walk->reference[node],
                          node, &reference))
        return reference;
    return lg__dominator_reference_search(walk, node, above);
}

#endif

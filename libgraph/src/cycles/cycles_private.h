/**
 * The shortest cycle through a component, the hop to cut, and why the collector
 * would not free what no root holds.
 */
#ifndef LEAKGRAPH_CYCLES_PRIVATE_H
#define LEAKGRAPH_CYCLES_PRIVATE_H

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/columns.h>

#include "paths/paths_private.h"

// The shortest cycle through a component, in hops, and its hop to cut.

/** What searches in components note about the graph. */
typedef struct lg__cycle_notes {
    uint8_t *gone;  /**< [edge / 8] a bit per edge: 1 means removed */
    uint32_t *rank; /**< [node] index of a member; undefined for other nodes */
    uint8_t *promise; /**< [node] 1 + how little a start there says; 0: unknown
                         yet */
} lg__cycle_notes;

/** Returns false when memory ran out. Release with lg__cycle_notes_free in any
 *  case. */
bool lg__cycle_notes_new(const lg_graph *graph, lg__cycle_notes *out);
void lg__cycle_notes_free(lg__cycle_notes *notes);

/** Nodes of a component, in order of rank. */
typedef struct lg__members {
    const uint32_t *nodes; /**< ascending */
    uint32_t count;
    const lg__cycle_notes *notes;
} lg__members;

/** Returns whether an edge is strong and not removed. */
bool lg__members_edge(const lg__members *members, const lg_graph *graph,
                      uint64_t edge);

/** Returns the rank of a node among the members, or LG_NONE. */
static inline uint32_t
lg__members_find(const lg__members *members, uint32_t node)
{
    uint32_t rank = members->notes->rank[node];
    return rank < members->count && members->nodes[rank] == node ? rank
                                                                 : LG_NONE;
}

/** How hard a search may try, and how hard it has tried. */
typedef struct lg__effort {
    uint32_t visits; /**< limit on visited members, all starts together; a
                        search tries a few starts in any case */
    uint64_t hops;   /**< hops looked at so far; a search adds its own */
} lg__effort;

/**
 * Finds a short cycle through the component that tells much: through an object
 * of the program, and by objects rather than classes, if possible. In a small
 * component it is the shortest such cycle; in a large one, the shortest through
 * an object with many references. It is empty if the folded component has no
 * cycle. The walk needs the folds and the reverse index.
 */
lg_status lg__shortest_cycle_find(const lg__hop_walk *walk,
                                  const lg__members *members,
                                  lg__effort *effort, lg_hops *out,
                                  lg_error *err);

/** Reports show only the ends of longer cycles. lg__cycle_cut moves the cut
 *  there. */
#define LG__CYCLE_SHOWN 10

/** The hop of a cycle to cut. */
typedef struct lg__choice {
    size_t hop;           /**< the count of hops if nothing can be cut */
    lg_cut_reason reason; /**< why this hop, or why none */
} lg__choice;

/** Chooses the hop to cut in a component. In a small component, prefers a hop
 *  whose cut leaves no cycle. Returns false when memory ran out. */
bool lg__choose_cut(const lg__hop_walk *walk, const lg__members *members,
                    const lg_hops *round_trip, lg__choice *out);

// What is left of a component after some of its edges are cut.

/** Strongly connected components with an edge inside, one after the other. */
typedef struct lg__splits {
    uint32_t *nodes; /**< ascending within each part */
    uint32_t *end;   /**< [count] the end of each part */
    uint32_t count;
} lg__splits;

/** Sets the shortest cycle of `cycle`, the references to cut, and what is left
 *  then. The walk needs the folds and the reverse index. The notes must have no
 *  removed edges; they have none afterwards either. What it sets is freed with
 *  the cycle, also on failure. */
lg_status lg__cycle_cut(const lg__hop_walk *walk, const lg_component *component,
                        lg__cycle_notes *notes, lg_cycle *cycle, lg_error *err);

// What CPython's collector does.

/** Returns whether the collector visits the node. */
static inline bool
lg__is_visited(const lg_columns *columns, uint32_t node)
{
    const unsigned both = LG_NODE_TRACKED | LG_NODE_FROZEN;
    return (lg_columns_flags(columns, node) & both) == LG_NODE_TRACKED;
}

/** Returns whether the reference count says something. One that is immortal or
 *  beyond the column never falls to zero. */
static inline bool
lg__is_counted(const lg_columns *columns, uint32_t node)
{
    return !(lg_columns_flags(columns, node) & LG_NODE_IMMORTAL) &&
           lg_columns_refcount(columns, node) != UINT32_MAX;
}

/** States of a node in a search. */
enum {
    LG__REACHED = 1,
    LG__BLOCKED = 2, /**< the search must not enter it */
};

/** Marks as reached every node that a reached node leads to, along edges whose
 *  kind has this value under the mask, through nodes in state 0. Returns false
 *  when memory ran out. O(nodes + edges). */
bool lg__reach(const lg_columns *columns, unsigned mask, unsigned value,
               uint8_t *state);

/** The same as lg_graph_collectable; release *flags with lg__free. */
lg_status lg__graph_collectable(const lg_graph *graph, uint8_t **flags,
                                lg_error *err);

// Which objects a root holds, and why the collector would not free the others.

typedef struct lg__uncollectable {
    uint8_t *state;    /**< [node] 0: a non-native root reaches it, or nobody
                            has asked; else 1 + lg_cycle_reason */
    uint32_t *culprit; /**< [node] what the reason is about, if there is one */
} lg__uncollectable;

/** Finds the reasons of all nodes. O(nodes + edges). */
lg_status lg__uncollectable_new(const lg_graph *graph, lg__uncollectable *out,
                                lg_error *err);
/** Makes one that knows of no node yet. */
lg_status lg__uncollectable_begin(const lg_graph *graph, lg__uncollectable *out,
                                  lg_error *err);
/** Finds the reasons of some nodes, which ascend. No root holds them, and they
 *  include everything that refers to them strongly. O(their edges). */
lg_status lg__uncollectable_find(const lg_graph *graph,
                                 const lg__gathered *nodes,
                                 lg__uncollectable *known, lg_error *err);
/** Returns why the collector does not free a node that no root holds. For
 *  LG_REASON_NONE, it does, or a root holds the node. */
static inline lg_cycle_reason
lg__uncollectable_reason(const lg__uncollectable *known, uint32_t node)
{
    uint8_t state = known->state[node];
    return state == 0 ? LG_REASON_NONE : (lg_cycle_reason)(state - 1);
}
/** Returns what the reason is about, or LG_NONE. */
static inline uint32_t
lg__uncollectable_culprit(const lg__uncollectable *known, uint32_t node)
{
    return lg__uncollectable_reason(known, node) == LG_REASON_NONE
               ? LG_NONE
               : known->culprit[node];
}
void lg__uncollectable_free(lg__uncollectable *uncollectable);

/** Returns whether the collector could not free the component even if nothing
 *  else held it, because it does not see all references inside. O(edges of the
 *  component). */
bool lg__component_is_stuck(const lg_analysis *analysis, uint32_t component);

// Which components retain an instance of certain types.

/** Sets one byte per component: 1 if it retains an instance of a type that the
 *  options name, or, if they name none, a tensor or figure. LG_ENOTFOUND, with
 *  a suggestion, if a name is no type. Release *out with lg__free.
 *  O(nodes). */
lg_status lg__cycles_holding(const lg_analysis *analysis,
                             const lg_cycle_options *options, uint8_t **out,
                             lg_error *err);

/** Returns whether one of these nodes, which ascend, is the program's, or has
 * an attribute of the program's that leads to another. */
bool lg__cycle_has_program(const lg_graph *graph, const uint32_t *nodes,
                           uint32_t count);

#endif

/**
 * The shortest cycle through a component, its hop to cut, and why the collector
 * would not free what no root holds.
 */
#ifndef LG_CYCLES_PRIVATE_H
#define LG_CYCLES_PRIVATE_H

#include <leakgraph/cycles.h>

#include "analysis/analysis_private.h"

// The shortest cycle through a component, in hops, and its hop to cut.

/** What searches in components note about the graph. */
typedef struct lg__cycle_notes {
    uint8_t *gone;    /**< [edge / 8] a bit per edge: 1 means removed */
    uint32_t *rank;   /**< [node] of a member its index; of others, anything */
    uint8_t *promise; /**< [node] 1 + how little a start there says; 0: not
                           known yet */
} lg__cycle_notes;

/** False: memory ran out. Release with lg__cycle_notes_free in any case. */
bool lg__cycle_notes_new(const lg_graph *graph, lg__cycle_notes *out);
void lg__cycle_notes_free(lg__cycle_notes *notes);

/** Nodes of a component, in order of their ranks. */
typedef struct lg__members {
    const uint32_t *nodes; /**< ascending */
    uint32_t count;
    const lg__cycle_notes *notes;
} lg__members;

/** Whether an edge is strong and not removed. */
bool lg__members_edge(const lg__members *members, const lg_graph *graph,
                      uint64_t edge);

/** The rank of a node among the members, or LG_NONE. */
static inline uint32_t
lg__members_find(const lg__members *members, uint32_t node)
{
    uint32_t rank = members->notes->rank[node];
    return rank < members->count && members->nodes[rank] == node ? rank
                                                                 : LG_NONE;
}
/** Whether every edge of the hop exists and stays within the component. */
bool lg__members_hold(const lg__members *members, const lg_graph *graph,
                      const lg_hop *hop);

/** How hard to search, and how hard it was. */
typedef struct lg__effort {
    uint32_t visits; /**< of members, from all starts together; a search tries
                          a few starts in any case */
    uint64_t hops;   /**< looked at so far: a search adds its own */
} lg__effort;

/**
 * Finds a telling short cycle through the component: through an object of the
 * program, and by objects rather than classes, if possible. In a small
 * component it is the shortest such cycle; in a large one, the shortest through
 * an object with many references. Empty if the folded component has no cycle.
 * The walk needs the folds and the reverse index.
 */
lg_status lg__shortest_cycle_find(const lg__walk *walk,
                                  const lg__members *members,
                                  lg__effort *effort, lg_hops *out,
                                  lg_error *err);

/** Reports show only the ends of longer cycles; lg__shortest_cycle_turn puts
 *  the cut there. */
#define LG__CYCLE_SHOWN 10

/** Turns a cycle so that it begins with a member, of the program's if it can;
 *  a hop to cut comes late (`cut`: its index, which is kept up; the count of
 *  hops: there is none). */
void lg__shortest_cycle_turn(const lg_graph *graph,
                             const lg_component *component, lg_hops *round_trip,
                             size_t *cut);

/** The hop of a cycle to cut. */
typedef struct lg__choice {
    size_t hop;         /**< the count of hops: nothing can be cut */
    const char *reason; /**< why it, or why nothing; static */
} lg__choice;

/** Chooses the hop to cut in a component; of small ones, one that leaves no
 *  cycle if there is such a hop. False: memory ran out. */
bool lg__choose_cut(const lg__walk *walk, const lg__members *members,
                    const lg_hops *round_trip, lg__choice *out);

/** Whether one more reference is of the same name as a hop's last, between
 *  things of the same categories. */
typedef struct lg__likeness {
    const lg__walk *walk;
    uint32_t source; /**< of the last edge of the hop */
    uint64_t cut;    /**< that edge */
} lg__likeness;

lg__likeness lg__likeness_of(const lg__walk *walk, const lg_hop *hop);
bool lg__is_like(const lg__likeness *likeness, uint32_t source, uint64_t edge);
/** Whether it is the same reference, stored twice as some versions of CPython
 *  do: in the object and in its namespace. */
bool lg__is_same(const lg__likeness *likeness, uint32_t source, uint64_t edge);

// What is left of a component after some edges of it are cut.

/** Strongly connected components with an edge inside, one after the other. */
typedef struct lg__splits {
    uint32_t *nodes; /**< ascending in each part */
    uint32_t *end;   /**< [count] where a part ends */
    uint32_t count;
} lg__splits;

/** Splits what the members are without their edges that are gone. False: memory
 *  ran out. O(edges + members log members). Free with lg__splits_free. */
bool lg__members_split(const lg_graph *graph, const lg__members *members,
                       lg__splits *out);
void lg__splits_free(lg__splits *parts);
/** Edges that lead back to where a search from `start`, depth first, comes
 *  from; as many as *count. NULL: memory ran out. Released with free(). */
uint64_t *lg__members_back_edges(const lg_graph *graph,
                                 const lg__members *members, uint32_t start,
                                 size_t *count);

/** Sets the shortest cycle of `cycle`, the references to cut, and what is left
 *  after that. The walk has the folds and the reverse index; no edge is gone in
 *  the notes, neither before nor afterwards. What it sets is freed with the
 *  cycle, also on failure. */
lg_status lg__cycle_cut(const lg__walk *walk, const lg_component *component,
                        lg__cycle_notes *notes, lg_cycle *cycle, lg_error *err);

/** What a search knows of a node. */
enum {
    LG__REACHED = 1,
    LG__BLOCKED = 2, /**< not to be looked at */
};

/** Marks as reached what leads there from a reached node by edges whose kind
 *  has this value under the mask, past nodes that are neither reached nor
 *  blocked, whose state is 0. False: memory ran out. O(nodes + edges). */
bool lg__reach(const lg_columns *columns, unsigned mask, unsigned value,
               uint8_t *state);

// Which objects a root holds, and why the collector would not free the others.

typedef struct lg__uncollectable {
    uint8_t *held;     /**< [node] a root other than a native one reaches it */
    uint8_t *reason;   /**< [node] lg_cycle_reason; of a node that is not held:
                            LG_REASON_NONE if nothing keeps the collector from
                            it */
    uint32_t *culprit; /**< [node] that the reason is about, or LG_NONE */
} lg__uncollectable;

/** O(nodes + edges). */
lg_status lg__uncollectable_new(const lg_graph *graph, lg__uncollectable *out,
                                lg_error *err);
void lg__uncollectable_free(lg__uncollectable *uncollectable);

/** Whether the collector could not free the component if nothing else held it:
 *  it does not see all references inside. O(edges of the component). */
bool lg__component_is_stuck(const lg_analysis *analysis, uint32_t component);

// Which components retain an instance of certain types.

/** One byte per component: 1 where the component retains an instance of a type
 *  that the options ask for; of a tensor or figure if they ask for none.
 *  LG_ENOTFOUND, with a suggestion, of a name that is no type. O(nodes). *out
 * is released with free(). */
lg_status lg__cycles_holding(const lg_analysis *analysis,
                             const lg_cycle_options *options, uint8_t **out,
                             lg_error *err);

#endif

/**
 * The shortest cycle through a component, the hop of it to cut, and why the
 * collector would not free what no root holds.
 */
#ifndef LG_CYCLES_PRIVATE_H
#define LG_CYCLES_PRIVATE_H

#include <leakgraph/cycles.h>

#include "graph/graph_private.h"

// The shortest cycle through a component, in hops, and the hop of it to cut.

/** Nodes of a component, looked up by bisection. */
typedef struct lg__members {
    const uint32_t *nodes; /**< ascending */
    uint32_t count;
} lg__members;

/** The rank of a node among the members, or LG_NONE. */
uint32_t lg__members_find(const lg__members *members, uint32_t node);
/** Whether every edge of the hop stays within the component. */
bool lg__members_hold(const lg__members *members, const lg_graph *graph,
                      const lg_hop *hop);

/**
 * A short cycle through the component that says the most: by way of the objects
 * of the user rather than through classes, if there is such a way. The shortest
 * one of small components; of large ones the shortest through an object that
 * many ways cross. Empty if the folded component has no cycle. The walk has the
 * folds and the reverse index.
 */
lg_status lg__shortest_cycle_find(const lg__walk *walk,
                                  const lg__members *members, lg_hops *out,
                                  lg_error *err);

/** Longer cycles are shown by their ends; those of lg__shortest_cycle_cut have
 * the cut there. */
#define LG__CYCLE_SHOWN 10

/** Chooses the hop to cut, of a cycle that has one, and turns the cycle so that
 *  it begins with an object of the user's; *alike as in lg_cycle. Returns the
 *  reason, a static string; NULL when memory ran out. */
const char *lg__shortest_cycle_cut(const lg__walk *walk,
                                   const lg__members *members,
                                   lg_hops *round_trip, size_t *cut,
                                   size_t *alike);

// Which objects a root holds, and why the collector would not free those that
// none does.

typedef struct lg__uncollectable {
    uint8_t *held;     /**< [node] a root that is not a native one reaches it */
    uint8_t *reason;   /**< [node] lg_cycle_reason; of a node that is not held:
                            LG_REASON_NONE if nothing keeps the collector from
                            it */
    uint32_t *culprit; /**< [node] that the reason is about, or LG_NONE */
} lg__uncollectable;

/** O(nodes + edges). */
lg_status lg__uncollectable_new(const lg_graph *graph, lg__uncollectable *out,
                                lg_error *err);
void lg__uncollectable_free(lg__uncollectable *uncollectable);

// Which components retain an instance of certain types.

/** One byte per component: 1 where the component retains an instance of a type
 * for which wanted[type] is set. O(nodes). *out is released with free(). */
lg_status lg__components_holding(const lg_analysis *analysis,
                                 const bool *wanted, uint8_t **out,
                                 lg_error *err);

/** The types that the options ask for, as one bool per type id; all tensors and
 *  figures if they ask for none. *out is released with free(). */
lg_status lg__holding_types(const lg_graph *graph,
                            const lg_cycle_options *options, bool **out,
                            lg_error *err);

#endif

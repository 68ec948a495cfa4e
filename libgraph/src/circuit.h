/**
 * The shortest cycle through a knot, in hops, and the hop of it to cut.
 */
#ifndef LG_CIRCUIT_H
#define LG_CIRCUIT_H

#include <leakgraph/analysis.h>

#include "hop.h"

/** Nodes of a knot, looked up by bisection. */
typedef struct lg__members {
    const uint32_t *nodes; /**< ascending */
    uint32_t count;
} lg__members;

/** The rank of a node among the members, or LG_NONE. */
uint32_t lg__members_find(const lg__members *members, uint32_t node);
/** Whether every edge of the hop stays within the knot. */
bool lg__members_hold(const lg__members *members, const lg_graph *graph,
                      const lg_hop *hop);

/**
 * A short cycle through the knot that says the most: by way of the objects of
 * the user rather than through classes, if there is such a way. The shortest
 * one of small knots; of large ones the shortest through an object that many
 * ways cross. Empty if the folded knot has no cycle. The walk has the folds and
 * the reverse index.
 */
lg_status lg__circuit_find(const lg__walk *walk, const lg__members *members,
                           lg_hops *out, lg_error *err);

/** Chooses the hop to cut, of a cycle that has one, and turns the cycle so that
 *  it begins with an object of the user's; *alike as in lg_cycle. Returns the
 *  reason, a static string; NULL when memory ran out. */
const char *lg__circuit_cut(const lg__walk *walk, const lg__members *members,
                            lg_hops *circuit, size_t *cut, size_t *alike);

#endif

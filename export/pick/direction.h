/** Visits the hops of one node, one at a time, in the direction of a view. */
#ifndef LEAKGRAPH_DIRECTION_H
#define LEAKGRAPH_DIRECTION_H

#include <leakgraph/view.h>

/** Returns false to stop the visit. */
typedef bool (*lg__picked_visit)(void *context, const lg_hop *hop);

lg_status lg__hops_each(const lg_graph *graph, uint32_t node,
                        lg_direction direction, lg__picked_visit visit,
                        void *context, lg_error *err);

#endif

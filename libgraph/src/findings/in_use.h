/** What running code may still use. */
#ifndef LEAKGRAPH_IN_USE_H
#define LEAKGRAPH_IN_USE_H

#include "findings/context.h"

static inline uint64_t
lg__detection_edge_in(const lg__detection *detection, uint64_t index)
{
    return lg__in_number(&detection->walk.reverse, index);
}

/** Returns whether programs keep things by such an edge: under a name, or in a
 *  container. */
bool lg__detection_is_storing(const lg__detection *detection, uint32_t source,
                              uint64_t edge);
/** Returns whether only variables of running code hold the node, and attributes
 *  that a running function names of objects in its local variables, such as
 *  `self`. */
bool lg__detection_is_in_use(const lg__detection *detection, uint32_t node);
/** Returns whether a function, running or not, that calls backward() names a
 *  variable or attribute that has the node. Code with `retain_graph` does not
 *  count: it keeps what it has used. */
bool lg__detection_is_for_backward(const lg__detection *detection,
                                   uint32_t node);

#endif

/** What holds a node: what programs store it in, and running code that may
 * still use it. */
#ifndef LEAKGRAPH_IN_USE_H
#define LEAKGRAPH_IN_USE_H

#include "findings/context.h"

/** Returns whether a thread runs the frame, or a generator waits in it. */
bool lg__detection_is_running(const lg__detection *detection, uint32_t frame);
/** Returns whether something of a program stores the node, apart from sources
 *  of types with these bits. */
bool lg__detection_is_stored_outside(const lg__detection *detection,
                                     uint32_t node, unsigned type_bits);
/** Returns whether anything other than a local of a frame holds the node. */
bool lg__detection_is_stored(const lg__detection *detection, uint32_t node);
/** Returns whether a code object names a variable; `key` is its name's node. */
bool lg__detection_names(const lg__detection *detection, uint32_t code,
                         uint32_t key);
/** Returns whether only variables of running code hold the node: its locals,
 * and the globals that it names. */
bool lg__detection_is_variable(const lg__detection *detection, uint32_t node);
/** Returns whether only local variables of running functions hold the node. */
bool lg__detection_is_local(const lg__detection *detection, uint32_t node);
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

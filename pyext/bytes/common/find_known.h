/** Finds the types with a known layout. */
#ifndef LEAKGRAPH_FIND_KNOWN_H
#define LEAKGRAPH_FIND_KNOWN_H

#include "capture/common/capture_common.h"

/** Looks in the loaded modules; imports none. Call it with the GIL and before a
 *  walk, because it makes an object or two, and drops them. */
void lg__known_find(lg__known *out);

#endif

/** What adapters share. */
#ifndef LEAKGRAPH_BYTES_COMMON_H
#define LEAKGRAPH_BYTES_COMMON_H

#include "bytes/common/adapters.h"
#include "bytes/common/ask.h"
#include "bytes/common/device_array.h"
#include "bytes/common/exporter.h"
#include "bytes/common/frames.h"
#include "bytes/common/maps.h"
#include "bytes/common/numpy_array.h"
#include "bytes/common/target_memory.h"

/** Looks in the loaded modules; imports none. Call it with the GIL and before a
 *  walk, because it makes an object or two, and drops them. */
void lg__known_find(lg__known *out);

#endif

/** The adapters of all libraries. */
#ifndef LEAKGRAPH_BYTES_H
#define LEAKGRAPH_BYTES_H

#include "capture/adapters/capture_adapters.h"

/** Ends with NULL; at most LG__ADAPTERS_MAX. The first adapter that wants a
 *  type gets it. */
extern const lg__adapter *const lg__adapters[];

#endif

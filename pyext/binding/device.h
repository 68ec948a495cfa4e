/** Devices by name: "host", "cuda:0" ... */
#ifndef LEAKGRAPH_DEVICE_H
#define LEAKGRAPH_DEVICE_H

#include "state.h"
#include <leakgraph/leakgraph.h>

/** The number of the device of that name (a str). ArgumentError names those
 *  that the graph has. */
bool device_named(core_state *state, const lg_graph *graph, PyObject *name,
                  uint32_t *device);

#endif

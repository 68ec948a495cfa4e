/** Devices by name: "host", "cuda:0" ... */
#ifndef LEAKGRAPH_DEVICE_H
#define LEAKGRAPH_DEVICE_H

#include "binding/support/state.h"
#include <leakgraph/leakgraph.h>

/** The number of the device of that name (a str). ArgumentError names those
 *  that the graph has. */
bool device_named(core_state *state, const lg_graph *graph, PyObject *name,
                  uint32_t *device);

/** Whether `by` is None, 'retained', 'host' or 'device:NAME'. */
bool by_check(core_state *state, PyObject *by);

/** What it stands for in this graph: 0, or a device and 1. */
bool by_find(core_state *state, const lg_graph *graph, PyObject *by,
             uint32_t *out);

#endif

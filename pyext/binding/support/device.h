/** Devices by name: "host", "cuda:0" ... */
#ifndef LEAKGRAPH_DEVICE_H
#define LEAKGRAPH_DEVICE_H

#include "binding/support/state.h"
#include <leakgraph/base.h>

/** The number of the device with that name (a str). ArgumentError lists the
 *  graph's devices. */
bool lg__device_named(lg__core_state *state, const lg_graph *graph,
                      PyObject *name, uint32_t *device);

/** Whether `by` is None or a str. */
bool lg__by_check(lg__core_state *state, PyObject *by);

/** The device of `by` in this graph: LG_NONE for None and 'retained', and
 *  otherwise the one with that name, as in lg__device_named(). */
bool lg__by_device(lg__core_state *state, const lg_graph *graph, PyObject *by,
                   uint32_t *out);

#endif

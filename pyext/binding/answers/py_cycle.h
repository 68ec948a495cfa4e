/** Cycle: a row of Cycles, with what only its snapshot can say. */
#ifndef LEAKGRAPH_PY_CYCLE_H
#define LEAKGRAPH_PY_CYCLE_H

#include "binding/support/binding_support.h"
#include <stdbool.h>

/** Gives the type of named tuples what is not a field: nodes, edges, types,
 *  cut, cut_edges, path, drawing, and its texts. -1 with an exception. */
int lg__cycle_type_finish(PyTypeObject *type);

/** Lets each Cycle of the tuple keep what it shows: its types and, for the
 *  first 20, its path and picture, because the snapshot goes with the call.
 *  False with an exception. */
bool lg__cycles_keep(PyObject *rows);

#endif

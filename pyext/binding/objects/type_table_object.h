/** TypeTable: how many objects of which type, and their bytes. */
#ifndef LEAKGRAPH_TYPE_TABLE_OBJECT_H
#define LEAKGRAPH_TYPE_TABLE_OBJECT_H

#include "binding/support/state.h"
#include <leakgraph/leakgraph.h>

extern PyType_Spec table_spec;

/** A tuple of TypeRow for these nodes alone, most bytes first. */
PyObject *type_rows_of(core_state *state, const lg_graph *graph,
                       const uint32_t *nodes, size_t count);

#endif

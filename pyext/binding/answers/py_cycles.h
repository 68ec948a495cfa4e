/** Cycles: what cycles() found, as a result whose rows are Cycle. */
#ifndef LEAKGRAPH_PY_CYCLES_H
#define LEAKGRAPH_PY_CYCLES_H

#include "binding/objects/py_snapshot.h"
#include <leakgraph/table.h>

extern PyType_Spec cycles_spec;

/** Takes over the table, on failure too. */
PyObject *cycles_new(snapshot_object *snapshot, lg_table *table);

#endif

/** Cycles: what cycles() found, as a result whose rows are Cycle. */
#ifndef LEAKGRAPH_PY_CYCLES_H
#define LEAKGRAPH_PY_CYCLES_H

#include "binding/objects/binding_objects.h"
#include <leakgraph/table.h>

extern PyType_Spec lg__cycles_spec;

/** Takes over the table, on failure too. */
PyObject *lg__cycles_new(lg__snapshot_object *snapshot, lg_table *table);

#endif

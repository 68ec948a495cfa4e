/** Cycles: what cycles() found, as a sequence of Cycle. */
#ifndef LEAKGRAPH_PY_CYCLES_H
#define LEAKGRAPH_PY_CYCLES_H

#include "binding/objects/py_snapshot.h"

#include <leakgraph/cycles.h>

typedef struct cycles_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    lg_cycles found;
} cycles_object;

extern PyType_Spec cycles_spec;

/** Takes over `found`, also on failure. */
PyObject *cycles_new(snapshot_object *snapshot, lg_cycles *found);

#endif

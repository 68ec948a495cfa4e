/** Edge: one reference of a Snapshot, seen from one of its ends. */
#ifndef LEAKGRAPH_PY_EDGE_H
#define LEAKGRAPH_PY_EDGE_H

#include "binding/objects/py_snapshot.h"

typedef struct edge_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    uint64_t index;
    bool backward; /* seen from its target: `.node` is its source */
} edge_object;

extern PyType_Spec edge_spec;

PyObject *edge_new(core_state *state, snapshot_object *snapshot, uint64_t index,
                   bool backward);

#endif

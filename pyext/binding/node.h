/** Node: an index into a Snapshot. Light: three words and its header. */
#ifndef LEAKGRAPH_NODE_H
#define LEAKGRAPH_NODE_H

#include "snapshot.h"

typedef struct node_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    uint32_t index;
} node_object;

extern PyType_Spec node_spec;

/** `index` must be in range. */
PyObject *node_new(core_state *state, snapshot_object *snapshot,
                   uint32_t index);

#endif

/** Path: the hops from a root, or from a node, to a node. */
#ifndef LEAKGRAPH_PATH_H
#define LEAKGRAPH_PATH_H

#include "snapshot.h"

extern PyType_Spec path_spec;

/** A Hop(label, source, target, reason). */
PyObject *hop_object(core_state *state, snapshot_object *snapshot,
                     const lg_hop *hop, const char *reason);

/** A tuple of Hop. */
PyObject *hop_tuple(core_state *state, snapshot_object *snapshot,
                    const lg_hop *hops, size_t count);

/** A Path; without a root when path->root.node is LG_NONE. */
PyObject *path_new(core_state *state, snapshot_object *snapshot,
                   const lg_path *path);

/** A shortest strong path from a root; None when no root reaches the node. */
PyObject *path_to(snapshot_object *snapshot, uint32_t node);

#endif

/** Path: the hops from a root, or from a node, to a node. */
#ifndef LEAKGRAPH_PY_PATH_H
#define LEAKGRAPH_PY_PATH_H

#include "binding/objects/py_snapshot.h"

#include <leakgraph/path.h>

extern PyType_Spec lg__path_spec;

/** _core._path(root, hops, start, text), for pickles. */
PyObject *lg__core_path(PyObject *module, PyObject *args);

extern const char lg__core_path_doc[];

/** A Hop(label, source, target, reason). */
PyObject *lg__hop_object(lg__core_state *state, lg__snapshot_object *snapshot,
                         const lg_hop *hop, const char *reason);

/** A Path. Its root is None if it begins at a dominator. */
PyObject *lg__path_new(lg__core_state *state, lg__snapshot_object *snapshot,
                       const lg_path *path);

/** A shortest strong path from a root; None when no root reaches the node. */
PyObject *lg__path_to(lg__snapshot_object *snapshot, uint32_t node);

#endif

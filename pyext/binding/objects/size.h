/**
 * Size: bytes by device. It is an int, the total, and a mapping from names of
 * devices to ints. 'host' is always the first; then come all devices of the
 * snapshot.
 */
#ifndef LEAKGRAPH_SIZE_H
#define LEAKGRAPH_SIZE_H

#include "binding/objects/py_snapshot.h"

#define LG__SIZE_BASE ((PyObject *)&PyLong_Type)

extern PyType_Spec lg__size_spec;

/** A Size of bytes by device, [lg_graph_device_count + 1]. */
PyObject *lg__size_new(lg__snapshot_object *snapshot, const uint64_t *bytes);

/** The bytes of item `which` on one device. */
typedef uint64_t lg__size_on(const void *context, uint32_t which,
                             uint32_t device);

/** A Size of a mapping from names of devices to ints. */
PyObject *lg__size_from(PyTypeObject *type, PyObject *mapping);

/** What a node retains. */
PyObject *lg__size_retained(lg__snapshot_object *snapshot,
                            const lg_analysis *analysis, uint32_t node);

#endif

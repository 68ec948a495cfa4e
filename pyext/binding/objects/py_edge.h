/** Edge: one reference of a Snapshot, seen from one of its ends. */
#ifndef LEAKGRAPH_PY_EDGE_H
#define LEAKGRAPH_PY_EDGE_H

#include "binding/objects/handle.h"

extern PyType_Spec lg__edge_spec;

/** _core._edge(snapshot, index, backward), for pickles. */
PyObject *lg__core_edge(PyObject *module, PyObject *args);

extern const char lg__core_edge_doc[];

#endif

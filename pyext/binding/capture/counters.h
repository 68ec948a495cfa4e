/** The memory of this process, cheap enough to read again and again. */
#ifndef LEAKGRAPH_COUNTERS_H
#define LEAKGRAPH_COUNTERS_H

#include "binding/support/shim.h"

PyObject *core_resident_bytes(PyObject *module, PyObject *unused);
PyObject *core_malloc_bytes(PyObject *module, PyObject *unused);

PyObject *core_children(PyObject *module, PyObject *unused);

extern const char core_resident_bytes_doc[];
extern const char core_malloc_bytes_doc[];
extern const char core_children_doc[];

#endif

/** Where an object was allocated, if tracemalloc knows. */
#ifndef LEAKGRAPH_ALLOCATION_H
#define LEAKGRAPH_ALLOCATION_H

#include "binding/support/shim.h"

/** Writes "allocated at a.py:3, called from b.py:7". Writes nothing unless
 *  tracemalloc is imported, traces, and did so then. */
PyObject *lg__allocation_note(PyObject *object);

PyObject *lg__core_object_traceback(PyObject *module, PyObject *object);

extern const char lg__core_object_traceback_doc[];

#endif

/** Where tracemalloc saw the allocation of an object. */
#ifndef LEAKGRAPH_TRACEBACK_H
#define LEAKGRAPH_TRACEBACK_H

#include <Python.h>

/** A tracemalloc.Traceback or None; NULL with an exception. `tracemalloc` is
 *  the module. */
PyObject *lg__object_traceback(PyObject *tracemalloc, PyObject *object);

#endif

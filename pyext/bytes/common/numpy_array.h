/**
 * The part of numpy's array that adapters read. It is the same in numpy 1 and 2
 * (ndarraytypes.h, PyArrayObject_fields).
 */
#ifndef LEAKGRAPH_NUMPY_ARRAY_H
#define LEAKGRAPH_NUMPY_ARRAY_H

#include "capture/adapters/capture_adapters.h"

typedef struct lg__numpy_array {
    PyObject_HEAD
    char *data;
    int dimension_count;
    Py_ssize_t *dimensions;
    Py_ssize_t *strides;
    PyObject *base;
    PyObject *descriptor;
    int flags;
} lg__numpy_array;

enum { LG__ARRAY_IN_ORDER = 0x1, LG__ARRAY_OWNS_DATA = 0x4 };

#endif

/** The tables that Python hands to libraries of data frames. */
#ifndef LEAKGRAPH_ARROW_TABLES_H
#define LEAKGRAPH_ARROW_TABLES_H

#include "binding/support/state.h"

PyObject *nodes_arrow(PyObject *self, PyObject *args);
PyObject *edges_arrow(PyObject *self, PyObject *args);
PyObject *result_arrow(PyObject *self, PyObject *args);

#define ARROW_METHOD(function)                                                 \
    {                                                                          \
        "__arrow_c_stream__", function, METH_VARARGS,                          \
            "__arrow_c_stream__($self, requested_schema=None, /)\n--\n\n"      \
            "The rows for Arrow's C data interface: a capsule."                \
    }

#endif

/** The tables that Python gives to libraries of data frames. */
#ifndef LEAKGRAPH_ARROW_TABLES_H
#define LEAKGRAPH_ARROW_TABLES_H

#include "binding/support/binding_support.h"

/** Methods of Nodes and Edges. */
PyObject *lg__sequence_arrow(PyObject *self, PyObject *args);
PyObject *lg__sequence_schema(PyObject *self, PyObject *unused);
/** A method of Result. */
PyObject *lg__result_arrow(PyObject *self, PyObject *args);
/** A method of Snapshot: a table of what each node retains, from the
 *  analysis. */
PyObject *lg__snapshot_retained_arrow(PyObject *self, PyObject *unused);

#define LG__ARROW_METHOD(function)                                             \
    {                                                                          \
        "__arrow_c_stream__", function, METH_VARARGS,                          \
            "__arrow_c_stream__($self, requested_schema=None, /)\n--\n\n"      \
            "The rows for Arrow's C data interface: a capsule."                \
    }

#define LG__ARROW_SCHEMA_METHOD(function)                                      \
    {                                                                          \
        "__arrow_c_schema__", function, METH_NOARGS,                           \
            "__arrow_c_schema__($self, /)\n--\n\n"                             \
            "The columns for Arrow's C data interface: a capsule."             \
    }

#endif

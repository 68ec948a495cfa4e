/** Accounting: where the bytes are, of the host and of each device. */
#ifndef LEAKGRAPH_PY_MEMORY_H
#define LEAKGRAPH_PY_MEMORY_H

#include "binding/support/shim.h"

extern PyType_Spec accounting_spec;

PyObject *core_memory(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames);
PyObject *core_attribute(PyObject *module, PyObject *const *args,
                         Py_ssize_t nargs);

extern const char core_memory_doc[];
extern const char core_attribute_doc[];

#endif

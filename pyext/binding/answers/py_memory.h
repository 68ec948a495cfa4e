/** Accounting: where the bytes are, of the host and of each device. */
#ifndef LEAKGRAPH_PY_MEMORY_H
#define LEAKGRAPH_PY_MEMORY_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__accounting_spec;

PyObject *lg__core_memory(PyObject *module, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_attribute(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs);

extern const char lg__core_memory_doc[];
extern const char lg__core_attribute_doc[];

#endif

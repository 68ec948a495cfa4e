/** Accounts of a recorded state of PyTorch's allocator. */
#ifndef LEAKGRAPH_PY_MEMORY_H
#define LEAKGRAPH_PY_MEMORY_H

#include "binding/support/binding_support.h"

PyObject *lg__core_attribute(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs);

extern const char lg__core_attribute_doc[];

#endif

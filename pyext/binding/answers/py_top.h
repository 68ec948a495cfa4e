/** Top: the biggest objects, types or modules by what they retain. */
#ifndef LEAKGRAPH_PY_TOP_H
#define LEAKGRAPH_PY_TOP_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__top_spec;

PyObject *lg__core_top(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_top_doc[];

#endif

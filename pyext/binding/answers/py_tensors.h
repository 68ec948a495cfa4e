/** Tensors: every storage once, with who holds it; or sums of them. */
#ifndef LEAKGRAPH_PY_TENSORS_H
#define LEAKGRAPH_PY_TENSORS_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__tensors_spec;
extern PyType_Spec lg__tensor_groups_spec;

PyObject *lg__core_tensors(PyObject *module, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_tensors_doc[];

#endif

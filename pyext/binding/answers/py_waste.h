/** Waste: memory that could be saved. */
#ifndef LEAKGRAPH_PY_WASTE_H
#define LEAKGRAPH_PY_WASTE_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__waste_spec;

PyObject *lg__core_waste(PyObject *module, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_waste_doc[];

#endif

/** Waste: memory that could be saved. */
#ifndef LEAKGRAPH_PY_WASTE_H
#define LEAKGRAPH_PY_WASTE_H

#include "binding/support/shim.h"

extern PyType_Spec waste_spec;

PyObject *core_waste(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames);

extern const char core_waste_doc[];

#endif

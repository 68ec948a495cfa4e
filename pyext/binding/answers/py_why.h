/** Why: what keeps one object alive. */
#ifndef LEAKGRAPH_PY_WHY_H
#define LEAKGRAPH_PY_WHY_H

#include "binding/support/shim.h"

extern PyType_Spec why_spec;

PyObject *core_why(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames);

extern const char core_why_doc[];

#endif

/** Why: what keeps one object alive. */
#ifndef LEAKGRAPH_PY_WHY_H
#define LEAKGRAPH_PY_WHY_H

#include "binding/objects/binding_objects.h"

extern PyType_Spec lg__why_spec;

PyObject *lg__core_why(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_why_doc[];

#endif

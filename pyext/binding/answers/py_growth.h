/** Growth: what several snapshots have more and more of. */
#ifndef LEAKGRAPH_PY_GROWTH_H
#define LEAKGRAPH_PY_GROWTH_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__growth_spec;

PyObject *lg__core_diff(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_diff_doc[];

#endif

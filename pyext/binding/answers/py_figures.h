/** Figures: matplotlib's figures, with their bytes and holders. */
#ifndef LEAKGRAPH_PY_FIGURES_H
#define LEAKGRAPH_PY_FIGURES_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__figures_spec;

PyObject *lg__core_figures(PyObject *module, PyObject *const *args,
                           Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_figures_doc[];

#endif

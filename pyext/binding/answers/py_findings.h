/** Findings: known mistakes that a snapshot shows. */
#ifndef LEAKGRAPH_PY_FINDINGS_H
#define LEAKGRAPH_PY_FINDINGS_H

#include "binding/support/shim.h"

extern PyType_Spec findings_spec;

PyObject *core_findings(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);

extern const char core_findings_doc[];

#endif

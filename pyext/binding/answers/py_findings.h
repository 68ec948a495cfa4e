/** Findings: known mistakes that a snapshot shows. */
#ifndef LEAKGRAPH_PY_FINDINGS_H
#define LEAKGRAPH_PY_FINDINGS_H

#include "binding/objects/binding_objects.h"

extern PyType_Spec lg__findings_spec;

PyObject *lg__core_findings(PyObject *module, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_findings_doc[];

/** Gives a result the findings among the facts of its table, which are about
 *  its rows. On failure returns NULL and releases the result. */
PyObject *lg__findings_attach(lg__snapshot_object *snapshot, PyObject *result);

#endif

/** Findings: known mistakes that a snapshot shows. */
#ifndef LEAKGRAPH_PY_FINDINGS_H
#define LEAKGRAPH_PY_FINDINGS_H

#include "binding/objects/binding_objects.h"

extern PyType_Spec lg__findings_spec;

PyObject *lg__core_findings(PyObject *module, PyObject *const *args,
                            Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_findings_doc[];

/** Makes the rows of a fact that lists findings: a tuple of Finding; empty if
 *  there is no such fact. */
PyObject *lg__findings_rows(lg__snapshot_object *snapshot,
                            const lg_table *table, const char *fact);

#endif

/** Snapshots of other processes: _attach(), for leakgraph.attach(). */
#ifndef LEAKGRAPH_ATTACHING_H
#define LEAKGRAPH_ATTACHING_H

#include "binding/support/binding_support.h"

PyObject *lg__core_attach(PyObject *module, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_attach_version(PyObject *module, PyObject *args);

extern const char lg__core_attach_doc[];
extern const char lg__core_attach_version_doc[];

#endif

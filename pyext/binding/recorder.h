/** Captures as Python asks for them: snapshot() and save_snapshot(). */
#ifndef LEAKGRAPH_RECORDER_H
#define LEAKGRAPH_RECORDER_H

#include "shim.h"

PyObject *core_snapshot(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);
PyObject *core_save_snapshot(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);

extern const char core_snapshot_doc[];
extern const char core_save_snapshot_doc[];

#endif

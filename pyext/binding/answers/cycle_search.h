/** cycles() of this process. That of a Snapshot is declared in snapshot.h. */
#ifndef LEAKGRAPH_CYCLE_SEARCH_H
#define LEAKGRAPH_CYCLE_SEARCH_H

#include "binding/support/binding_support.h"

PyObject *lg__core_cycles(PyObject *module, PyObject *const *args,
                          Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_cycles_doc[];

#endif

/** show_refs(), show_backrefs() and show_path() of live objects. py_snapshot.h
 *  declares those of a Snapshot. */
#ifndef LEAKGRAPH_SHOW_H
#define LEAKGRAPH_SHOW_H

#include "binding/support/binding_support.h"

PyObject *lg__core_show_refs(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_show_backrefs(PyObject *module, PyObject *const *args,
                                 Py_ssize_t nargs, PyObject *kwnames);
PyObject *lg__core_show_path(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_show_refs_doc[];
extern const char lg__core_show_backrefs_doc[];
extern const char lg__core_show_path_doc[];

#endif

/** What other rooms may use of pictures. */
#ifndef LEAKGRAPH_BINDING_PICTURES_H
#define LEAKGRAPH_BINDING_PICTURES_H

#include "binding/pictures/drawing.h"
#include "binding/support/binding_support.h"

/* show_refs(), show_backrefs() and show_path() of live objects. py_snapshot.h
   declares those of a Snapshot. */

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

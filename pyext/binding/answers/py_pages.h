/** Memory of a process and its children, by the places of its objects. */
#ifndef LEAKGRAPH_PY_PAGES_H
#define LEAKGRAPH_PY_PAGES_H

#include "binding/support/binding_support.h"

PyObject *lg__core_copied_pages(PyObject *module, PyObject *args);
PyObject *lg__core_held_in(PyObject *module, PyObject *args);

extern const char lg__core_copied_pages_doc[], lg__core_held_in_doc[];

#endif

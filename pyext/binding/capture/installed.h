/** Whether a file is a library's. */
#ifndef LEAKGRAPH_INSTALLED_H
#define LEAKGRAPH_INSTALLED_H

#include "binding/support/binding_support.h"

PyObject *lg__core_is_installed(PyObject *module, PyObject *path);

extern const char lg__core_is_installed_doc[];

#endif

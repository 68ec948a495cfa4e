/** Whether noisy numbers rise. */
#ifndef LEAKGRAPH_PY_LINE_H
#define LEAKGRAPH_PY_LINE_H

#include "binding/support/binding_support.h"

PyObject *lg__core_line(PyObject *module, PyObject *args);

extern const char lg__core_line_doc[];

#endif

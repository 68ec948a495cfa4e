/** Whether noisy numbers rise. */
#ifndef LEAKGRAPH_PY_LINE_H
#define LEAKGRAPH_PY_LINE_H

#include "binding/support/shim.h"

PyObject *core_line(PyObject *module, PyObject *args);

extern const char core_line_doc[];

#endif

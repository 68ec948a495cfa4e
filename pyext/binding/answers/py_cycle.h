/** Cycle: one of Cycles. */
#ifndef LEAKGRAPH_PY_CYCLE_H
#define LEAKGRAPH_PY_CYCLE_H

#include "binding/answers/py_cycles.h"

extern PyType_Spec cycle_spec;

PyObject *cycle_new(cycles_object *cycles, size_t index);

#endif

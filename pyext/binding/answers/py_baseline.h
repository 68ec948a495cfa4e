/** Baselines for the package's own Python code. */
#ifndef LEAKGRAPH_PY_BASELINE_H
#define LEAKGRAPH_PY_BASELINE_H

#include "binding/support/state.h"
#include <leakgraph/baseline.h>

/** Reads the file that a path-like object names. NULL with an exception. */
lg_baseline *baseline_load(core_state *state, PyObject *path,
                           bool may_be_missing);
/** Writes it. False with an exception. */
bool baseline_save(core_state *state, const lg_baseline *baseline,
                   PyObject *path);

PyObject *core_baseline(PyObject *module, PyObject *args);
extern const char core_baseline_doc[];
PyObject *core_extend_baseline(PyObject *module, PyObject *args);
extern const char core_extend_baseline_doc[];

#endif

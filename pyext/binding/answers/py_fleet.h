/** Summaries as bytes: sums of them, and their places. */
#ifndef LEAKGRAPH_PY_FLEET_H
#define LEAKGRAPH_PY_FLEET_H

#include "binding/support/shim.h"

PyObject *core_merge_summaries(PyObject *module, PyObject *args);
PyObject *core_summary_places(PyObject *module, PyObject *summary);

extern const char core_merge_summaries_doc[], core_summary_places_doc[];

#endif

/** Summaries: one of a snapshot in a file; of several as bytes, their sum and
 * its places. */
#ifndef LEAKGRAPH_PY_SUMMARY_H
#define LEAKGRAPH_PY_SUMMARY_H

#include "binding/support/binding_support.h"

PyObject *lg__core_merge_summaries(PyObject *module, PyObject *args);
PyObject *lg__core_summary_places(PyObject *module, PyObject *summary);

extern const char lg__core_merge_summaries_doc[], lg__core_summary_places_doc[];

#endif

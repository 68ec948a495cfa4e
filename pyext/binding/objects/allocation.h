/** Where an object was allocated, if tracemalloc knows. */
#ifndef LEAKGRAPH_ALLOCATION_H
#define LEAKGRAPH_ALLOCATION_H

#include "binding/support/binding_support.h"

#include <leakgraph/graph.h>
#include <stdbool.h>

/** Writes "allocated at a.py:3, called from b.py:7". Writes nothing unless
 *  tracemalloc is imported, traces, and did so then. */
PyObject *lg__allocation_note(PyObject *object);

/** The same of a node's object, if the graph is of this process, and an object
 *  of that type is still at that address. Looks through all objects that the
 *  collector tracks. */
PyObject *lg__allocation_note_of(const lg_graph *graph, uint32_t node);
/** The same, also if only the interpreter's own option started it, which does
 *  not import the module. Imports its C part, which is built in. */
bool lg__tracemalloc_runs(void);

PyObject *lg__core_object_traceback(PyObject *module, PyObject *object);

extern const char lg__core_object_traceback_doc[];

#endif

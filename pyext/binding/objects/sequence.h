/** Nodes, Edges and Roots: sequences that make their items on demand. */
#ifndef LEAKGRAPH_SEQUENCE_H
#define LEAKGRAPH_SEQUENCE_H

#include "binding/objects/handle.h"

extern PyType_Spec nodes_spec, edges_spec, roots_spec;

extern const char nodes_biggest_doc[];
PyObject *nodes_biggest(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                        PyObject *kwnames);

#endif

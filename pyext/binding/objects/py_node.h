/** Node: an object of a Snapshot. */
#ifndef LEAKGRAPH_PY_NODE_H
#define LEAKGRAPH_PY_NODE_H

#include "binding/objects/handle.h"

extern PyType_Spec node_spec;

/** What the node dominates (LG_NONE: the roots together), biggest first.
 *  Lists what a namespace that folds into the node dominates, but not the
 *  namespace. */
PyObject *nodes_dominated(snapshot_object *snapshot,
                          const lg_analysis *analysis, uint32_t node);

/** Attributes that need the analysis (retention.c). */
PyObject *node_dominator(node_object *self, void *closure);
PyObject *node_dominated(node_object *self, void *closure);
PyObject *node_retained(node_object *self, void *closure);
PyObject *node_is_reachable(node_object *self, void *closure);

/** Attributes beyond the columns of the graph (py_fact.c). */
PyObject *node_facts(node_object *self, void *closure);
PyObject *node_device(node_object *self, void *closure);

#endif

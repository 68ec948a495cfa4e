/** Node: an object of a Snapshot. */
#ifndef LEAKGRAPH_PY_NODE_H
#define LEAKGRAPH_PY_NODE_H

#include "binding/objects/handle.h"

extern PyType_Spec lg__node_spec;

/** What the node dominates (NULL: the roots together), biggest first.
 *  Lists what a namespace that folds into the node dominates, but not the
 *  namespace. */
PyObject *lg__nodes_dominated(lg__snapshot_object *snapshot,
                              const lg_analysis *analysis, const lg_node *node);

/** What the node retains: a Size. */
PyObject *lg__node_retained(lg__node_object *self, void *closure);

#endif

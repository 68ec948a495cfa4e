/**
 * What an answer keeps of the snapshot that was taken for it alone: facts of
 * the nodes that it shows, and of their dominators. The graph goes with the
 * call, so that a notebook may hold any number of answers.
 */
#ifndef LEAKGRAPH_KEPT_H
#define LEAKGRAPH_KEPT_H

#include "binding/objects/handle.h"

/** The answer (or NULL) to a question that `snapshot` was taken for, from
 *  snapshot_now(): keeps what it shows, and frees the graph. Takes over the
 *  reference to the snapshot, which may be NULL. NULL with an exception. */
PyObject *kept_answer(snapshot_object *snapshot, PyObject *answer);

/** An attribute of a node whose graph is gone; NULL without an exception if it
 *  is none that was kept, else with one. */
PyObject *kept_attribute(const node_object *node, PyObject *name);

/** The text of repr() of such a node. */
PyObject *kept_repr(const node_object *node);

/** Whether such a snapshot knows the node. */
bool kept_has(const snapshot_object *snapshot, uint32_t index);

/** _core._recalled(records): a snapshot of what a pickle holds of one. */
PyObject *core_recalled(PyObject *module, PyObject *records);

extern const char core_recalled_doc[];

#endif

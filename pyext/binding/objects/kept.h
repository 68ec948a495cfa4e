/**
 * What an answer keeps of the snapshot that was taken for it alone: facts of
 * the nodes that it shows, and of their dominators. The graph goes with the
 * call, so that a notebook may hold any number of answers.
 */
#ifndef LEAKGRAPH_KEPT_H
#define LEAKGRAPH_KEPT_H

#include "binding/objects/handle.h"

/** Keeps the facts that the answer shows, frees the graph of `snapshot`, and
 *  returns the answer. snapshot_now() took the snapshot for the question. Takes
 *  over both references, which may be NULL. NULL with an exception. */
PyObject *kept_answer(snapshot_object *snapshot, PyObject *answer);

/** An attribute of a node whose graph is gone. NULL without an exception if no
 *  such attribute is ever kept, and otherwise with one. */
PyObject *kept_attribute(const node_object *node, PyObject *name);

/** The text of repr() of such a node. */
PyObject *kept_repr(const node_object *node);

/** Whether such a snapshot has kept the node. */
bool kept_has(const snapshot_object *snapshot, uint32_t index);

/** _core._recalled(records): a Snapshot without a graph, from the records in a
 *  pickle. */
PyObject *core_recalled(PyObject *module, PyObject *records);

extern const char core_recalled_doc[];

#endif

/**
 * What an answer keeps of the snapshot that was taken for it alone: facts of
 * the nodes that it shows, and of their dominators. The graph goes with the
 * call, so that a notebook may hold any number of answers.
 */
#ifndef LEAKGRAPH_KEPT_H
#define LEAKGRAPH_KEPT_H

#include "binding/objects/handle.h"

/** Keeps the facts that the answer shows, frees the graph of `snapshot`, and
 *  returns the answer. lg__snapshot_now() took the snapshot for the question.
 * Takes over both references, which may be NULL. NULL with an exception. */
PyObject *lg__kept_answer(lg__snapshot_object *snapshot, PyObject *answer);

/** An attribute of a node whose graph is gone. NULL without an exception if no
 *  such attribute is ever kept, and otherwise with one. */
PyObject *lg__kept_attribute(const lg__node_object *node, PyObject *name);

/** The text of repr() of such a node. */
PyObject *lg__kept_repr(const lg__node_object *node);

/** Whether such a snapshot has kept the node. */
bool lg__kept_has(const lg__snapshot_object *snapshot, uint32_t index);

/** _core._recalled(records): a Snapshot without a graph, from the records in a
 *  pickle. */
PyObject *lg__core_recalled(PyObject *module, PyObject *records);

extern const char lg__core_recalled_doc[];

#endif

/** What a caller points at, as nodes of a Snapshot. */
#ifndef LEAKGRAPH_TARGET_H
#define LEAKGRAPH_TARGET_H

#include "binding/objects/py_snapshot.h"

/** The node of a live object; LG_NONE when it has none, or when another type
 *  was at its address. False with an exception on another process's graph. */
bool target_find(snapshot_object *snapshot, PyObject *object, uint32_t *node);

/** The nodes that a selector names. */
bool target_select(snapshot_object *snapshot, PyObject *selector,
                   lg_nodes *nodes);

/** A str is a selector, a Node a node, anything else an object to find; it is
 *  an error when that finds nothing. */
bool target_resolve(snapshot_object *snapshot, PyObject *target,
                    lg_nodes *nodes);

/** Whether it is neither a str nor a Node nor several of them. */
bool target_is_live(core_state *state, PyObject *target);

/** Whether what is asked about is an object. A str that reads as a selector
 *  raises ArgumentError: only snapshots take them. */
bool target_is_object(core_state *state, const char *function,
                      PyObject *object);

/** The same, and of a Nodes or a list of Node each. */
bool target_resolve_set(snapshot_object *snapshot, PyObject *target,
                        lg_nodes *nodes);

/** The objects' nodes in a graph of this process that was just captured. */
bool target_locate(core_state *state, lg_graph *graph, PyObject *const *objects,
                   size_t count, lg_nodes *nodes);

/** Appends `more` to `nodes`. */
bool nodes_extend(lg_nodes *nodes, const uint32_t *more, size_t count);

#endif

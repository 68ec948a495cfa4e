/**
 * Handles: Node, Edge, Root and sequences of them are numbers in a Snapshot, to
 * which they hold a reference. This file makes all of them, because each type
 * makes instances of others.
 */
#ifndef LEAKGRAPH_HANDLE_H
#define LEAKGRAPH_HANDLE_H

#include "binding/objects/py_snapshot.h"

/** Small, because programs hold many. */
typedef struct lg__node_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    uint32_t index;
} lg__node_object;

typedef struct lg__edge_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    uint64_t index;
    bool backward; /* seen from its target: `.node` is its source */
} lg__edge_object;

/** The numbers start, start + step, ... */
typedef struct lg__sequence_range {
    uint64_t start;
    Py_ssize_t step;
    Py_ssize_t length;
} lg__sequence_range;

/** Makes its items when they are asked for, so that a sequence of millions
 *  costs nothing to hold. */
typedef struct lg__sequence_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    lg__core_type item; /* LG__TYPE_NODE, LG__TYPE_EDGE or LG__TYPE_ROOT */
    bool backward;      /* edges as their targets see them */
    lg_nodes nodes;     /* owned; none: `edges` or `range` has the numbers */
    uint64_t *edges;    /* from malloc(); NULL: none is listed */
    lg__sequence_range range;
} lg__sequence_object;

/** The number of an item. */
static inline uint64_t
lg__sequence_number(const lg__sequence_object *self, Py_ssize_t i)
{
    if (self->nodes.count != 0)
        return self->nodes.items[i];
    if (self->edges != NULL)
        return self->edges[i];
    return self->range.start + (uint64_t)(i * self->range.step);
}

/** Compares handles by their snapshots and numbers, as tp_richcompare does. */
PyObject *lg__handle_compare(const lg__snapshot_object *one, uint64_t index,
                             const lg__snapshot_object *two, uint64_t other,
                             int operation);

/** Hashes a number without its snapshot, because two snapshots may turn out to
 *  be the same. */
Py_hash_t lg__handle_hash(uint64_t index);

/** Returns where a pickle finds the snapshot again: the path of its file or, if
 *  the graph is gone, what answers keep. A borrowed reference; NULL with an
 *  exception that calls the handle `what`. */
PyObject *lg__handle_path(const lg__snapshot_object *snapshot,
                          const char *what);

/** Returns the handle itself, because it never changes: __copy__, and with a
 *  memo __deepcopy__. */
PyObject *lg__handle_copy(PyObject *self, PyObject *memo);

/** `index` must be in range. */
PyObject *lg__node_new(lg__core_state *state, lg__snapshot_object *snapshot,
                       uint32_t index);

/** Whether an object is a Node. Does not go by the name of its type. */
bool lg__node_check(PyObject *object);

PyObject *lg__edge_new(lg__core_state *state, lg__snapshot_object *snapshot,
                       uint64_t index, bool backward);

/** A Root(node, kind, name). */
PyObject *lg__root_object(lg__core_state *state, lg__snapshot_object *snapshot,
                          const lg_root *root);

/** `type` is LG__TYPE_NODES, LG__TYPE_EDGES or LG__TYPE_ROOTS. */
PyObject *lg__sequence_new(lg__core_state *state, lg__core_type type,
                           lg__snapshot_object *snapshot,
                           lg__sequence_range range);

/** Edges as their targets see them. Takes over `edges`, from malloc(). */
PyObject *lg__sequence_of_referrers(lg__core_state *state,
                                    lg__snapshot_object *snapshot,
                                    uint64_t *edges, Py_ssize_t count);

/** The listed edges as their sources see them. Takes over `edges`. */
PyObject *lg__sequence_of_edges(lg__core_state *state,
                                lg__snapshot_object *snapshot, uint64_t *edges,
                                Py_ssize_t count);

/** The listed nodes, copied. */
PyObject *lg__sequence_of_nodes(lg__core_state *state,
                                lg__snapshot_object *snapshot,
                                const lg_nodes *nodes);

#endif

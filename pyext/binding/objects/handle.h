/**
 * Handles: Node, Edge, Root and sequences of them are numbers in a Snapshot, to
 * which they hold a reference. This file makes all of them, because each type
 * makes instances of others.
 */
#ifndef LEAKGRAPH_HANDLE_H
#define LEAKGRAPH_HANDLE_H

#include "binding/objects/py_snapshot.h"

/** Small, because programs hold many. */
typedef struct node_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    uint32_t index;
} node_object;

typedef struct edge_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    uint64_t index;
    bool backward; /* seen from its target: `.node` is its source */
} edge_object;

/** The numbers start, start + step, ... */
typedef struct sequence_range {
    uint64_t start;
    Py_ssize_t step;
    Py_ssize_t length;
} sequence_range;

/** Makes its items when they are asked for, so that a sequence of millions
 *  costs nothing to hold. */
typedef struct sequence_object {
    PyObject_HEAD
    snapshot_object *snapshot;
    core_type item;  /* TYPE_NODE, TYPE_EDGE or TYPE_ROOT */
    bool backward;   /* edges as their targets see them */
    uint64_t *items; /* from malloc(); NULL: `range` has the numbers */
    sequence_range range;
} sequence_object;

/** The number of an item. */
uint64_t sequence_number(const sequence_object *self, Py_ssize_t i);

/** `index` must be in range. */
PyObject *node_new(core_state *state, snapshot_object *snapshot,
                   uint32_t index);

/** Whether an object is a Node. Does not go by the name of its type. */
bool node_check(PyObject *object);

PyObject *edge_new(core_state *state, snapshot_object *snapshot, uint64_t index,
                   bool backward);

/** A Root(node, kind, name). */
PyObject *root_object(core_state *state, snapshot_object *snapshot,
                      const lg_root *root);

/** `type` is TYPE_NODES, TYPE_EDGES or TYPE_ROOTS. */
PyObject *sequence_new(core_state *state, core_type type,
                       snapshot_object *snapshot, sequence_range range);

/** Edges as their targets see them. Takes over `edges`, from malloc(). */
PyObject *sequence_of_referrers(core_state *state, snapshot_object *snapshot,
                                uint64_t *edges, Py_ssize_t count);

/** The listed edges as their sources see them. Takes over `edges`. */
PyObject *sequence_of_edges(core_state *state, snapshot_object *snapshot,
                            uint64_t *edges, Py_ssize_t count);

/** The listed nodes, copied. */
PyObject *sequence_of_nodes(core_state *state, snapshot_object *snapshot,
                            const lg_nodes *nodes);

#endif

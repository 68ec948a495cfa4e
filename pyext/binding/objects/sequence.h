/**
 * Nodes, Edges and Roots: sequences that make their items when asked, so that
 * a snapshot of millions costs nothing to hold.
 */
#ifndef LEAKGRAPH_SEQUENCE_H
#define LEAKGRAPH_SEQUENCE_H

#include "binding/objects/py_snapshot.h"

/** The numbers start, start + step, ... */
typedef struct sequence_range {
    uint64_t start;
    Py_ssize_t step;
    Py_ssize_t length;
} sequence_range;

extern PyType_Spec nodes_spec, edges_spec, roots_spec;

/** `type` is TYPE_NODES, TYPE_EDGES or TYPE_ROOTS. */
PyObject *sequence_new(core_state *state, core_type type,
                       snapshot_object *snapshot, sequence_range range);

/** Edges as their targets see them. Takes over `edges`, from malloc(). */
PyObject *sequence_of_referrers(core_state *state, snapshot_object *snapshot,
                                uint64_t *edges, Py_ssize_t count);

/** The listed edges as their sources see them. Takes over `edges`. */
PyObject *sequence_of_edges(core_state *state, snapshot_object *snapshot,
                            uint64_t *edges, Py_ssize_t count);

/** A Root(node, kind, name). */
PyObject *root_object(core_state *state, snapshot_object *snapshot,
                      const lg_root *root);

/** The listed nodes, copied. */
PyObject *sequence_of_nodes(core_state *state, snapshot_object *snapshot,
                            const lg_nodes *nodes);

#endif

/**
 * What other rooms may use of Snapshot, Node and the objects that belong to
 * them.
 */
#ifndef LEAKGRAPH_BINDING_OBJECTS_H
#define LEAKGRAPH_BINDING_OBJECTS_H

#include "binding/objects/allocation.h"
#include "binding/objects/arrow_tables.h"
#include "binding/objects/handle.h"
#include "binding/objects/kept.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/py_node.h"
#include "binding/objects/py_path.h"
#include "binding/objects/py_snapshot.h"
#include "binding/objects/result.h"
#include "binding/objects/rows.h"
#include "binding/objects/size.h"
#include "binding/objects/target.h"

/** Edge: one reference of a Snapshot, seen from one of its ends. */
extern PyType_Spec lg__edge_spec;
/** _core._edge(snapshot, index, backward), for pickles. */
PyObject *lg__core_edge(PyObject *module, PyObject *args);
extern const char lg__core_edge_doc[];

/** Nodes, Edges and Roots: sequences that make their items on demand. */
extern PyType_Spec lg__nodes_spec, lg__edges_spec, lg__roots_spec;
extern const char lg__nodes_biggest_doc[];

/** A column of a graph as a read-only buffer. */
extern PyType_Spec lg__column_spec;

#endif

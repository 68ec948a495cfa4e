/** Nodes, Edges and Roots: sequences that make their items on demand. */
#ifndef LEAKGRAPH_SEQUENCE_H
#define LEAKGRAPH_SEQUENCE_H

#include "binding/objects/handle.h"

extern PyType_Spec lg__nodes_spec, lg__edges_spec, lg__roots_spec;

extern const char lg__nodes_biggest_doc[];

#endif

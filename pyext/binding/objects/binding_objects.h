/**
 * What other rooms may use of Snapshot, Node and the objects that belong to
 * them.
 */
#ifndef LEAKGRAPH_BINDING_OBJECTS_H
#define LEAKGRAPH_BINDING_OBJECTS_H

#include "binding/objects/allocation.h"
#include "binding/objects/arrow_tables.h"
#include "binding/objects/column.h"
#include "binding/objects/handle.h"
#include "binding/objects/kept.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/py_edge.h"
#include "binding/objects/py_node.h"
#include "binding/objects/py_path.h"
#include "binding/objects/py_snapshot.h"
#include "binding/objects/result.h"
#include "binding/objects/rows.h"
#include "binding/objects/chosen.h"
#include "binding/objects/sequence.h"
#include "binding/objects/size.h"
#include "binding/objects/target.h"

#endif

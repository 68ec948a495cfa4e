/** A column of a graph as a read-only buffer. */
#ifndef LEAKGRAPH_COLUMN_H
#define LEAKGRAPH_COLUMN_H

#include "binding/objects/py_snapshot.h"

extern PyType_Spec lg__column_spec;

#endif

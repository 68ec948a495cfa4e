/** Dominators: the top of a Snapshot's dominator tree. */
#ifndef LEAKGRAPH_DOMINATORS_H
#define LEAKGRAPH_DOMINATORS_H

#include "shim.h"

extern PyType_Spec dominators_spec;

#endif

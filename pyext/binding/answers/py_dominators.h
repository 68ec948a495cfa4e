/** Dominators: the top of a Snapshot's dominator tree. */
#ifndef LEAKGRAPH_PY_DOMINATORS_H
#define LEAKGRAPH_PY_DOMINATORS_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__dominators_spec;

#endif

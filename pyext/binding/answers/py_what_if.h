/** WhatIf: what would die if you cut references. */
#ifndef LEAKGRAPH_PY_WHAT_IF_H
#define LEAKGRAPH_PY_WHAT_IF_H

#include "binding/objects/binding_objects.h"

extern PyType_Spec lg__what_if_spec;

#endif

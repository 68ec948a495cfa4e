/** The types of rows: named tuples that can be pickled. */
#ifndef LEAKGRAPH_NAMED_TUPLES_H
#define LEAKGRAPH_NAMED_TUPLES_H

#include "binding/support/binding_support.h"

/** Makes each type and adds it to the module; -1 with an exception. */
int lg__named_tuples_add(PyObject *module);

#endif

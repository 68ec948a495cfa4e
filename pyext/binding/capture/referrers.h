/** The live objects that refer to other live objects. */
#ifndef LEAKGRAPH_REFERRERS_H
#define LEAKGRAPH_REFERRERS_H

#include "binding/support/binding_support.h"

/** Visits each object of a list once, however many targets there are. */
PyObject *lg__core_referrers(PyObject *module, PyObject *args);

extern const char lg__core_referrers_doc[];

#endif

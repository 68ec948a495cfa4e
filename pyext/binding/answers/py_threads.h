/** Threads: what each thread was doing, and the suspended frames. */
#ifndef LEAKGRAPH_PY_THREADS_H
#define LEAKGRAPH_PY_THREADS_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__threads_spec;

#endif

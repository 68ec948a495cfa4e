/** How much memory of closed snapshots the process keeps for later captures. */
#ifndef LEAKGRAPH_KEEP_MEMORY_H
#define LEAKGRAPH_KEEP_MEMORY_H

#include "binding/support/binding_support.h"

PyObject *lg__core_keep_memory(PyObject *module, PyObject *most);

extern const char lg__core_keep_memory_doc[];

#endif

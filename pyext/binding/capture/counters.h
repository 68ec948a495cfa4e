/** The memory of this process, cheap enough to read again and again, and what
 * it keeps for later captures. */
#ifndef LEAKGRAPH_COUNTERS_H
#define LEAKGRAPH_COUNTERS_H

#include "binding/support/binding_support.h"

PyObject *lg__core_resident_bytes(PyObject *module, PyObject *unused);
PyObject *lg__core_malloc_bytes(PyObject *module, PyObject *unused);

PyObject *lg__core_children(PyObject *module, PyObject *unused);

extern const char lg__core_resident_bytes_doc[];
extern const char lg__core_malloc_bytes_doc[];
extern const char lg__core_children_doc[];

PyObject *lg__core_keep_memory(PyObject *module, PyObject *most);

extern const char lg__core_keep_memory_doc[];

#endif

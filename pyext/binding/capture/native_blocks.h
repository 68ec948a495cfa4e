/** Native blocks for the tests of what lists them. */
#ifndef LEAKGRAPH_NATIVE_BLOCKS_H
#define LEAKGRAPH_NATIVE_BLOCKS_H

#include <Python.h>

extern const char lg__core_native_blocks_doc[];
PyObject *lg__core_native_blocks(PyObject *module, PyObject *unused);

#endif

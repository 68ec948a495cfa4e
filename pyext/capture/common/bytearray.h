/** The memory of a bytearray, whatever the version of CPython. */
#ifndef LEAKGRAPH_BYTEARRAY_H
#define LEAKGRAPH_BYTEARRAY_H

#include <Python.h>
#include <stdint.h>

/** The block that has the bytes, and its size; NULL: none. */
const void *lg__bytearray_memory(const PyObject *array, uint64_t *bytes);

#endif

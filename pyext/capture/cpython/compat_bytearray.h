/**
 * Where a bytearray keeps its bytes, per version. A part of compat.h.
 *
 * From 3.15 on they are in a bytes object that nothing else refers to, unless
 * the array is empty. Before, they are in a block of their own.
 */
#ifndef LEAKGRAPH_COMPAT_BYTEARRAY_H
#define LEAKGRAPH_COMPAT_BYTEARRAY_H

#include "capture/cpython/compat.h"

/** The block that has the bytes, with the head of the object if it is one. */
static inline const void *
lg__bytearray_block(const PyByteArrayObject *array, uint64_t *bytes)
{
    *bytes = (uint64_t)array->ob_alloc;
#if PY_VERSION_HEX >= 0x030F0000
    PyObject *object = array->ob_bytes_object;
    if (object == NULL || lg__is_immortal(object)) {
        *bytes = 0;
        return NULL;
    }
    *bytes = offsetof(PyBytesObject, ob_sval) + (uint64_t)Py_SIZE(object) + 1;
    return object;
#else
    return array->ob_bytes;
#endif
}

#endif

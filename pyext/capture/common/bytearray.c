#include "capture/common/bytearray.h"
#include "capture/cpython/capture_cpython.h"

const void *
lg__bytearray_memory(const PyObject *array, uint64_t *bytes)
{
    return lg__bytearray_block((const PyByteArrayObject *)array, bytes);
}

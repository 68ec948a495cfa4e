/**
 * What the files of Size share: the devices of one, and its bytes on each.
 */
#ifndef LEAKGRAPH_SIZE_PARTS_H
#define LEAKGRAPH_SIZE_PARTS_H

#include "binding/objects/size.h"

/** The names of its devices, 'host' first: a tuple that sizes share. */
PyObject *lg__size_devices(PyObject *size);

/** The bytes on the device of that index in lg__size_devices(). */
uint64_t lg__size_bytes(PyObject *size, Py_ssize_t device);

#endif

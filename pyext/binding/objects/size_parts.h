/**
 * What the files of Size share: its layout, and the functions for its type.
 */
#ifndef LEAKGRAPH_SIZE_PARTS_H
#define LEAKGRAPH_SIZE_PARTS_H

#include "binding/objects/size.h"

typedef struct size_object {
    PyObject_VAR_HEAD PyObject
        *devices;     /* names, 'host' first: a tuple that sizes share */
    uint64_t bytes[]; /* [ob_size] */
} size_object;

size_object *size_alloc(PyTypeObject *type, PyObject *devices);
Py_ssize_t size_find(const size_object *self, PyObject *name);
PyObject *size_get_sum(size_object *self, void *first);
PyObject *size_get_host(size_object *self, void *Py_UNUSED(closure));
PyObject *size_add(PyObject *left, PyObject *right);
int size_bool(size_object *self);
PyObject *size_richcompare(size_object *self, PyObject *other, int operation);
Py_hash_t size_hash(size_object *self);

PyObject *size_names_of(PyObject *mapping);

#endif

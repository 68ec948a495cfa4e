/**
 * What the files of Size share: its layout, and the functions for its type.
 */
#ifndef LEAKGRAPH_SIZE_PARTS_H
#define LEAKGRAPH_SIZE_PARTS_H

#include "binding/objects/size.h"

typedef struct lg__size_object {
    PyObject_VAR_HEAD PyObject
        *devices;     /* names, 'host' first: a tuple that sizes share */
    uint64_t bytes[]; /* [ob_size] */
} lg__size_object;

lg__size_object *lg__size_alloc(PyTypeObject *type, PyObject *devices);
Py_ssize_t lg__size_find(const lg__size_object *self, PyObject *name);
PyObject *lg__size_get_sum(lg__size_object *self, void *first);
PyObject *lg__size_get_host(lg__size_object *self, void *Py_UNUSED(closure));
bool lg__size_check(PyObject *object);
PyObject *lg__size_add(PyObject *left, PyObject *right);
PyObject *lg__size_subtract(PyObject *left, PyObject *right);
PyObject *lg__size_multiply(PyObject *left, PyObject *right);
PyObject *lg__size_divide(PyObject *left, PyObject *right);
PyObject *lg__size_floor_divide(PyObject *left, PyObject *right);
PyObject *lg__size_remainder(PyObject *left, PyObject *right);
PyObject *lg__size_divmod(PyObject *left, PyObject *right);
PyObject *lg__size_shift_right(PyObject *left, PyObject *right);
PyObject *lg__size_power(PyObject *base, PyObject *exponent, PyObject *modulus);
PyObject *lg__size_negative(PyObject *self);
PyObject *lg__size_int(PyObject *self);
PyObject *lg__size_float(PyObject *self);
PyObject *lg__size_round(PyObject *self, PyObject *args);
PyObject *lg__size_ratio(PyObject *self, PyObject *Py_UNUSED(unused));
PyObject *lg__size_array_interface(lg__size_object *self,
                                   void *Py_UNUSED(closure));
int lg__size_bool(lg__size_object *self);
PyObject *lg__size_richcompare(lg__size_object *self, PyObject *other,
                               int operation);
Py_hash_t lg__size_hash(lg__size_object *self);

PyObject *lg__size_names_of(PyObject *mapping);

#endif

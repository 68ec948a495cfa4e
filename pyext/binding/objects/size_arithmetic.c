#include "binding/objects/size_parts.h"

/* Adds the bytes from device `first` on. A sum beyond 64 bits is UINT64_MAX. */
static uint64_t
sum_from(const lg__size_object *self, Py_ssize_t first)
{
    uint64_t sum = 0;
    for (Py_ssize_t i = first; i < Py_SIZE(self); i++)
        sum = sum + self->bytes[i] < sum ? UINT64_MAX : sum + self->bytes[i];
    return sum;
}

PyObject *
lg__size_get_sum(lg__size_object *self, void *first)
{
    return PyLong_FromUnsignedLongLong(sum_from(self, (Py_ssize_t)first));
}

PyObject *
lg__size_get_host(lg__size_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->bytes[0]);
}

static bool
add_to(lg__size_object *sum, const lg__size_object *part)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(part); i++) {
        Py_ssize_t at = lg__size_find(sum, PyTuple_GET_ITEM(part->devices, i));
        if (at < 0)
            return false;
        if (__builtin_add_overflow(sum->bytes[at], part->bytes[i],
                                   &sum->bytes[at])) {
            PyErr_SetString(PyExc_OverflowError,
                            "The sum of these sizes exceeds 64 bits.");
            return false;
        }
    }
    return true;
}

static PyObject *
all_devices(const lg__size_object *left, const lg__size_object *right)
{
    PyObject *both = PySequence_Concat(left->devices, right->devices);
    PyObject *names = both ? lg__size_names_of(both) : NULL;
    Py_XDECREF(both);
    return names;
}

/* sum() begins with the int 0, so add that, too. */
PyObject *
lg__size_add(PyObject *left, PyObject *right)
{
    if (PyLong_CheckExact(left) && PyObject_Not(left) == 1) {
        Py_INCREF(right);
        return right;
    }
    if (Py_TYPE(left) != Py_TYPE(right))
        Py_RETURN_NOTIMPLEMENTED;
    lg__size_object *a = (lg__size_object *)left, *b = (lg__size_object *)right;
    PyObject *names = all_devices(a, b);
    lg__size_object *sum = names ? lg__size_alloc(Py_TYPE(left), names) : NULL;
    Py_XDECREF(names);
    if (sum != NULL && (!add_to(sum, a) || !add_to(sum, b)))
        Py_CLEAR(sum);
    return (PyObject *)sum;
}

int
lg__size_bool(lg__size_object *self)
{
    return sum_from(self, 0) > 0;
}

/* Compares by device, where a missing device has 0 bytes: 1, 0, or -1 with an
   exception. */
static int
covers(const lg__size_object *self, const lg__size_object *other)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(other); i++) {
        Py_ssize_t at =
            lg__size_find(self, PyTuple_GET_ITEM(other->devices, i));
        if (at < 0 && PyErr_Occurred())
            return -1;
        if (other->bytes[i] != (at < 0 ? 0 : self->bytes[at]))
            return 0;
    }
    return 1;
}

static PyObject *
compare_equal(lg__size_object *self, PyObject *other, int operation)
{
    PyObject *size = other;
    Py_INCREF(size);
    if (PyDict_Check(other)) {
        Py_DECREF(size);
        size = lg__size_from(Py_TYPE((PyObject *)self), other);
    }
    if (size == NULL) {
        PyErr_Clear();
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = covers(self, (lg__size_object *)size);
    if (equal == 1)
        equal = covers((lg__size_object *)size, self);
    Py_DECREF(size);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

/* Sizes are equal if each device is. Order is that of the totals, also against
   numbers. */
PyObject *
lg__size_richcompare(lg__size_object *self, PyObject *other, int operation)
{
    bool size = Py_TYPE(other) == Py_TYPE((PyObject *)self);
    if (operation == Py_EQ || operation == Py_NE) {
        if (size || PyDict_Check(other))
            return compare_equal(self, other, operation);
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (!size && !PyLong_Check(other) && !PyFloat_Check(other))
        Py_RETURN_NOTIMPLEMENTED;
    PyObject *mine = lg__size_get_sum(self, (void *)0);
    PyObject *theirs = other;
    if (size)
        theirs = lg__size_get_sum((lg__size_object *)other, (void *)0);
    PyObject *result =
        mine && theirs ? PyObject_RichCompare(mine, theirs, operation) : NULL;
    Py_XDECREF(mine);
    if (size)
        Py_XDECREF(theirs);
    return result;
}

Py_hash_t
lg__size_hash(lg__size_object *self)
{
    uint64_t mixed = 0x9E3779B97F4A7C15u;
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_hash_t name = PyObject_Hash(PyTuple_GET_ITEM(self->devices, i));
        if (self->bytes[i] > 0)
            mixed ^= ((uint64_t)name + self->bytes[i]) * 0xBF58476D1CE4E5B9u;
    }
    return (Py_hash_t)(mixed >> 1);
}

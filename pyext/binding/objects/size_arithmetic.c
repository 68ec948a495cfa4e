#include "binding/objects/size_parts.h"
#include "capture/common/capture_common.h"

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

static PyObject *
new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

/* No class can derive from Size, so its own addition tells it. */
bool
lg__size_check(PyObject *object)
{
    const PyNumberMethods *number = Py_TYPE(object)->tp_as_number;
    return number != NULL && number->nb_add == lg__size_add;
}

/* The total of a Size; a number itself. Without an exception, NULL: something
   else, with which no Size calculates. */
static PyObject *
number_of(PyObject *operand)
{
    if (lg__size_check(operand))
        return lg__size_get_sum((lg__size_object *)operand, (void *)0);
    if (!PyNumber_Check(operand))
        return NULL;
    return new_reference(operand);
}

/* What the operation makes of the totals. */
static PyObject *
calculate(PyObject *left, PyObject *right, binaryfunc operation)
{
    PyObject *a = number_of(left), *b = number_of(right), *result = NULL;
    if (a != NULL && b != NULL)
        result = operation(a, b);
    else if (!PyErr_Occurred())
        result = new_reference(Py_NotImplemented);
    Py_XDECREF(a);
    Py_XDECREF(b);
    return result;
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

static PyObject *
add_sizes(lg__size_object *a, lg__size_object *b)
{
    PyObject *names = all_devices(a, b);
    lg__size_object *sum =
        names ? lg__size_alloc(Py_TYPE((PyObject *)a), names) : NULL;
    Py_XDECREF(names);
    if (sum != NULL && (!add_to(sum, a) || !add_to(sum, b)))
        Py_CLEAR(sum);
    return (PyObject *)sum;
}

static bool
is_zero(PyObject *operand)
{
    return PyLong_CheckExact(operand) && PyObject_Not(operand) == 1;
}

/* Sizes add up device by device. So that sum() does, too, which begins with the
   int 0, a Size and 0 are the Size. */
PyObject *
lg__size_add(PyObject *left, PyObject *right)
{
    bool both = lg__size_check(left) && lg__size_check(right);
    if (both)
        return add_sizes((lg__size_object *)left, (lg__size_object *)right);
    if (is_zero(left) || is_zero(right))
        return new_reference(is_zero(left) ? right : left);
    return calculate(left, right, PyNumber_Add);
}

PyObject *
lg__size_subtract(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Subtract);
}

PyObject *
lg__size_multiply(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Multiply);
}

PyObject *
lg__size_divide(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_TrueDivide);
}

PyObject *
lg__size_floor_divide(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_FloorDivide);
}

PyObject *
lg__size_remainder(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Remainder);
}

PyObject *
lg__size_divmod(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Divmod);
}

PyObject *
lg__size_shift_right(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Rshift);
}

static PyObject *
power(PyObject *base, PyObject *exponent)
{
    return PyNumber_Power(base, exponent, Py_None);
}

PyObject *
lg__size_power(PyObject *base, PyObject *exponent, PyObject *modulus)
{
    if (modulus != Py_None)
        return new_reference(Py_NotImplemented);
    return calculate(base, exponent, power);
}

static PyObject *
change(PyObject *size, unaryfunc operation)
{
    PyObject *total = number_of(size);
    PyObject *result = total ? operation(total) : NULL;
    Py_XDECREF(total);
    return result;
}

PyObject *
lg__size_negative(PyObject *self)
{
    return change(self, PyNumber_Negative);
}

PyObject *
lg__size_int(PyObject *self)
{
    return number_of(self);
}

PyObject *
lg__size_float(PyObject *self)
{
    return change(self, PyNumber_Float);
}

PyObject *
lg__size_round(PyObject *self, PyObject *args)
{
    PyObject *total = number_of(self);
    PyObject *round = total ? lg__attribute_get(total, "__round__") : NULL;
    PyObject *rounded = round ? PyObject_CallObject(round, args) : NULL;
    Py_XDECREF(round);
    Py_XDECREF(total);
    return rounded;
}

PyObject *
lg__size_ratio(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *total = number_of(self);
    return total ? Py_BuildValue("(Ni)", total, 1) : NULL;
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
compare_devices(lg__size_object *self, PyObject *dict, int operation)
{
    lg__size_object *size =
        (lg__size_object *)lg__size_from(Py_TYPE((PyObject *)self), dict);
    if (size == NULL) {
        PyErr_Clear();
        return new_reference(Py_NotImplemented);
    }
    int equal = covers(self, size);
    if (equal == 1)
        equal = covers(size, self);
    Py_DECREF(size);
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

/* The bytes that a text such as '1 MiB' stands for. A text that stands for none
   equals no Size; to order it raises ArgumentError. */
static PyObject *
text_number(PyObject *text, bool for_equality)
{
    uint64_t bytes;
    if (lg__arg_bytes("A size to compare with", text, 0, &bytes))
        return PyLong_FromUnsignedLongLong(bytes);
    if (for_equality && PyErr_ExceptionMatches(PyExc_ValueError))
        PyErr_Clear();
    return NULL;
}

/* Sizes compare by their totals, with numbers and with texts, too; so those
   that are neither less nor more are equal, and have one hash. With a dict, a
   Size compares device by device, as mappings do. */
PyObject *
lg__size_richcompare(lg__size_object *self, PyObject *other, int operation)
{
    bool for_equality = operation == Py_EQ || operation == Py_NE;
    if (for_equality && PyDict_Check(other))
        return compare_devices(self, other, operation);
    PyObject *theirs = PyUnicode_Check(other) ? text_number(other, for_equality)
                                              : number_of(other);
    if (theirs == NULL)
        return PyErr_Occurred() ? NULL : new_reference(Py_NotImplemented);
    PyObject *mine = lg__size_get_sum(self, (void *)0);
    PyObject *result =
        mine ? PyObject_RichCompare(mine, theirs, operation) : NULL;
    Py_XDECREF(mine);
    Py_DECREF(theirs);
    return result;
}

Py_hash_t
lg__size_hash(lg__size_object *self)
{
    PyObject *total = lg__size_get_sum(self, (void *)0);
    Py_hash_t hash = total ? PyObject_Hash(total) : -1;
    Py_XDECREF(total);
    return hash;
}

/* By this numpy takes a Size for a number, not for an object: numpy's
   documents, "The array interface protocol". Both machines that leakgraph runs
   on are little-endian. */
PyObject *
lg__size_array_interface(lg__size_object *self, void *Py_UNUSED(closure))
{
    uint64_t total = sum_from(self, 0);
    PyObject *data =
        PyBytes_FromStringAndSize((const char *)&total, sizeof total);
    if (data == NULL)
        return NULL;
    return Py_BuildValue("{s:(),s:s,s:N,s:i}", "shape", "typestr",
                         total > INT64_MAX ? "<u8" : "<i8", "data", data,
                         "version", 3);
}

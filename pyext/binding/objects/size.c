#include "binding/objects/size_parts.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <leakgraph/analysis.h>
#include <stdlib.h>

static PyObject *size_add(PyObject *left, PyObject *right);

/* Adds the bytes from device `first` on. A sum beyond 64 bits is UINT64_MAX. */
static uint64_t
sum_from(const lg__size_object *self, Py_ssize_t first)
{
    uint64_t sum = 0;
    for (Py_ssize_t i = first; i < Py_SIZE(self); i++)
        sum = sum + self->bytes[i] < sum ? UINT64_MAX : sum + self->bytes[i];
    return sum;
}

static PyObject *
size_get_sum(lg__size_object *self, void *first)
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
static bool
size_check(PyObject *object)
{
    const PyNumberMethods *number = Py_TYPE(object)->tp_as_number;
    return number != NULL && number->nb_add == size_add;
}

/* The total of a Size; a number itself. Without an exception, NULL: something
   else, with which no Size calculates. */
static PyObject *
number_of(PyObject *operand)
{
    if (size_check(operand))
        return size_get_sum((lg__size_object *)operand, (void *)0);
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

static PyObject *
size_get_host(lg__size_object *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(self->bytes[0]);
}

/* The index of a device, or -1 without an exception if it is missing. */
static Py_ssize_t
size_find(const lg__size_object *self, PyObject *name)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        int same = PyObject_RichCompareBool(PyTuple_GET_ITEM(self->devices, i),
                                            name, Py_EQ);
        if (same != 0)
            return same > 0 ? i : -1;
    }
    return -1;
}

static bool
add_to(lg__size_object *sum, const lg__size_object *part)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(part); i++) {
        Py_ssize_t at = size_find(sum, PyTuple_GET_ITEM(part->devices, i));
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

/* 'host' and the names in the order of the mapping. */
static PyObject *
size_names_of(PyObject *mapping)
{
    PyObject *names = Py_BuildValue("[s]", "host");
    PyObject *iterator = names ? PyObject_GetIter(mapping) : NULL;
    PyObject *name;
    int known = iterator ? 0 : -1;
    while (known >= 0 && (name = PyIter_Next(iterator)) != NULL) {
        known = PyUnicode_Check(name) ? PySequence_Contains(names, name) : -1;
        if (!PyUnicode_Check(name))
            PyErr_Format(PyExc_TypeError, "A device is a str, not %.100s.",
                         Py_TYPE(name)->tp_name);
        if (known == 0)
            known = PyList_Append(names, name);
        Py_DECREF(name);
    }
    Py_XDECREF(iterator);
    PyObject *tuple =
        names && !PyErr_Occurred() ? PySequence_Tuple(names) : NULL;
    Py_XDECREF(names);
    return tuple;
}

static PyObject *
all_devices(const lg__size_object *left, const lg__size_object *right)
{
    PyObject *both = PySequence_Concat(left->devices, right->devices);
    PyObject *names = both ? size_names_of(both) : NULL;
    Py_XDECREF(both);
    return names;
}

/* Makes a Size of 0 bytes; keeps a reference to the tuple. */
static lg__size_object *
size_alloc(PyTypeObject *type, PyObject *devices)
{
    Py_ssize_t count = PyTuple_GET_SIZE(devices);
    lg__size_object *self = (lg__size_object *)type->tp_alloc(type, count);
    if (self != NULL) {
        Py_INCREF(devices);
        self->devices = devices;
    }
    return self;
}

static PyObject *
add_sizes(lg__size_object *a, lg__size_object *b)
{
    PyObject *names = all_devices(a, b);
    lg__size_object *sum =
        names ? size_alloc(Py_TYPE((PyObject *)a), names) : NULL;
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
static PyObject *
size_add(PyObject *left, PyObject *right)
{
    bool both = size_check(left) && size_check(right);
    if (both)
        return add_sizes((lg__size_object *)left, (lg__size_object *)right);
    if (is_zero(left) || is_zero(right))
        return new_reference(is_zero(left) ? right : left);
    return calculate(left, right, PyNumber_Add);
}

static PyObject *
size_subtract(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Subtract);
}

static PyObject *
size_multiply(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Multiply);
}

static PyObject *
size_divide(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_TrueDivide);
}

static PyObject *
size_floor_divide(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_FloorDivide);
}

static PyObject *
size_remainder(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Remainder);
}

static PyObject *
size_divmod(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Divmod);
}

static PyObject *
size_shift_right(PyObject *left, PyObject *right)
{
    return calculate(left, right, PyNumber_Rshift);
}

static PyObject *
power(PyObject *base, PyObject *exponent)
{
    return PyNumber_Power(base, exponent, Py_None);
}

static PyObject *
size_power(PyObject *base, PyObject *exponent, PyObject *modulus)
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

static PyObject *
size_negative(PyObject *self)
{
    return change(self, PyNumber_Negative);
}

static PyObject *
size_int(PyObject *self)
{
    return number_of(self);
}

static PyObject *
size_float(PyObject *self)
{
    return change(self, PyNumber_Float);
}

static PyObject *
size_round(PyObject *self, PyObject *args)
{
    PyObject *total = number_of(self);
    PyObject *round = total ? lg__attribute_get(total, "__round__") : NULL;
    PyObject *rounded = round ? PyObject_CallObject(round, args) : NULL;
    Py_XDECREF(round);
    Py_XDECREF(total);
    return rounded;
}

static PyObject *
size_ratio(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *total = number_of(self);
    return total ? Py_BuildValue("(Ni)", total, 1) : NULL;
}

static int
size_bool(lg__size_object *self)
{
    return sum_from(self, 0) > 0;
}

/* Compares by device, where a missing device has 0 bytes: 1, 0, or -1 with an
   exception. */
static int
covers(const lg__size_object *self, const lg__size_object *other)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(other); i++) {
        Py_ssize_t at = size_find(self, PyTuple_GET_ITEM(other->devices, i));
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
static PyObject *
size_richcompare(lg__size_object *self, PyObject *other, int operation)
{
    bool for_equality = operation == Py_EQ || operation == Py_NE;
    if (for_equality && PyDict_Check(other))
        return compare_devices(self, other, operation);
    PyObject *theirs = PyUnicode_Check(other) ? text_number(other, for_equality)
                                              : number_of(other);
    if (theirs == NULL)
        return PyErr_Occurred() ? NULL : new_reference(Py_NotImplemented);
    PyObject *mine = size_get_sum(self, (void *)0);
    PyObject *result =
        mine ? PyObject_RichCompare(mine, theirs, operation) : NULL;
    Py_XDECREF(mine);
    Py_DECREF(theirs);
    return result;
}

static Py_hash_t
size_hash(lg__size_object *self)
{
    PyObject *total = size_get_sum(self, (void *)0);
    Py_hash_t hash = total ? PyObject_Hash(total) : -1;
    Py_XDECREF(total);
    return hash;
}

/* By this numpy takes a Size for a number, not for an object: numpy's
   documents, "The array interface protocol". Both machines that leakgraph runs
   on are little-endian. */
static PyObject *
size_array_interface(lg__size_object *self, void *Py_UNUSED(closure))
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

/** Makes a Size of the bytes that `on` gives for each device. */
static PyObject *
size_of(lg__snapshot_object *snapshot, lg__size_on *on, const void *context,
        uint32_t which)
{
    lg__size_object *self = size_alloc(
        lg__object_state(snapshot)->types[LG__TYPE_SIZE], snapshot->devices);
    for (Py_ssize_t i = 0; self != NULL && i < Py_SIZE(self); i++)
        self->bytes[i] = on(context, which, (uint32_t)i);
    return (PyObject *)self;
}

static uint64_t
item_on(const void *context, uint32_t Py_UNUSED(which), uint32_t device)
{
    return ((const uint64_t *)context)[device];
}

PyObject *
lg__size_new(lg__snapshot_object *snapshot, const uint64_t *bytes)
{
    return size_of(snapshot, item_on, bytes, 0);
}

static uint64_t
retained_on(const void *analysis, uint32_t node, uint32_t device)
{
    return lg_node_retained_on(analysis, node, device);
}

PyObject *
lg__size_retained(lg__snapshot_object *snapshot, const lg_analysis *analysis,
                  uint32_t node)
{
    return size_of(snapshot, retained_on, analysis, node);
}

static bool
read_bytes(PyObject *mapping, PyObject *name, uint64_t *bytes)
{
    PyObject *value = PyObject_GetItem(mapping, name);
    if (value == NULL) {
        /* Only the host may be missing. */
        bool absent = PyErr_ExceptionMatches(PyExc_KeyError);
        if (absent)
            PyErr_Clear();
        return absent;
    }
    PyObject *number = PyNumber_Index(value);
    Py_DECREF(value);
    if (number == NULL)
        return false;
    *bytes = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
    return !PyErr_Occurred();
}

PyObject *
lg__size_from(PyTypeObject *type, PyObject *mapping)
{
    PyObject *names = size_names_of(mapping);
    lg__size_object *self = names ? size_alloc(type, names) : NULL;
    Py_XDECREF(names);
    for (Py_ssize_t i = 0; self != NULL && i < Py_SIZE(self); i++)
        if (!read_bytes(mapping, PyTuple_GET_ITEM(self->devices, i),
                        &self->bytes[i]))
            Py_CLEAR(self);
    return (PyObject *)self;
}

/* A fraction is what statistics.mean() makes of the totals: a number. */
static bool
is_fraction(PyObject *value)
{
    return PyFloat_Check(value) == 0 && PyLong_Check(value) == 0 &&
           PyObject_HasAttrString(value, "numerator");
}

static PyObject *
size_make(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *mapping = NULL;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0) {
        PyErr_SetString(PyExc_TypeError, "Size() takes a mapping only.");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "|O:Size", &mapping))
        return NULL;
    if (mapping != NULL && is_fraction(mapping))
        return PyNumber_Float(mapping);
    if (mapping != NULL)
        return lg__size_from(type, mapping);
    PyObject *none = PyDict_New();
    PyObject *self = none ? lg__size_from(type, none) : NULL;
    Py_XDECREF(none);
    return self;
}

static void
size_dealloc(lg__size_object *self)
{
    Py_XDECREF(self->devices);
    lg__object_free(self);
}

static PyObject *
size_subscript(lg__size_object *self, PyObject *name)
{
    Py_ssize_t at = size_find(self, name);
    if (at >= 0)
        return PyLong_FromUnsignedLongLong(self->bytes[at]);
    if (!PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, name);
    return NULL;
}

static int
size_contains(lg__size_object *self, PyObject *name)
{
    bool found = size_find(self, name) >= 0;
    return PyErr_Occurred() ? -1 : found;
}

static Py_ssize_t
size_length(lg__size_object *self)
{
    return Py_SIZE(self);
}

static PyObject *
size_iter(lg__size_object *self)
{
    return PyObject_GetIter(self->devices);
}

/* dict(size) calls this, even while the interpreter ends. */
static PyObject *
size_keys(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (Py_IsFinalizing())
        return PySequence_Tuple(self);
    return lg__python_call(lg__object_state(self), "_collections_abc",
                           "KeysView", self);
}

static PyObject *
size_values(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "_collections_abc",
                           "ValuesView", self);
}

static PyObject *
size_items(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return lg__python_call(lg__object_state(self), "_collections_abc",
                           "ItemsView", self);
}

static PyObject *
size_get(lg__size_object *self, PyObject *args)
{
    PyObject *name, *otherwise = Py_None;
    if (!PyArg_ParseTuple(args, "O|O:get", &name, &otherwise))
        return NULL;
    Py_ssize_t at = size_find(self, name);
    if (at >= 0)
        return PyLong_FromUnsignedLongLong(self->bytes[at]);
    if (PyErr_Occurred())
        return NULL;
    Py_INCREF(otherwise);
    return otherwise;
}

static PyObject *
as_dict(lg__size_object *self)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < Py_SIZE(self); i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(self->bytes[i]);
        if (number == NULL ||
            PyDict_SetItem(dict, PyTuple_GET_ITEM(self->devices, i), number) <
                0)
            Py_CLEAR(dict);
        Py_XDECREF(number);
    }
    return dict;
}

static PyObject *
size_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *dict = as_dict((lg__size_object *)self);
    return dict ? Py_BuildValue("(O(N))", (PyObject *)Py_TYPE(self), dict)
                : NULL;
}

static PyObject *
size_repr(lg__size_object *self)
{
    PyObject *dict = as_dict(self);
    PyObject *text = dict ? PyUnicode_FromFormat("Size(%R)", dict) : NULL;
    Py_XDECREF(dict);
    return text;
}

static PyObject *
size_str(lg__size_object *self)
{
    size_t count = (size_t)Py_SIZE(self);
    lg_string *names = malloc(count * sizeof *names);
    if (names == NULL)
        return PyErr_NoMemory();
    bool whole = true;
    for (size_t i = 0; i < count; i++) {
        Py_ssize_t length;
        names[i].data = PyUnicode_AsUTF8AndSize(
            PyTuple_GET_ITEM(self->devices, (Py_ssize_t)i), &length);
        names[i].length = (uint32_t)length;
        whole = whole && names[i].data != NULL;
    }
    lg_text text = {0};
    if (whole)
        lg_text_add_sizes(&text, names, self->bytes, count);
    free(names);
    return whole ? lg__text_object(&text) : NULL;
}

/* The Size as people read it or, with a format, its total in that format. */
static PyObject *
size_format(lg__size_object *self, PyObject *format)
{
    if (PyUnicode_Check(format) && PyUnicode_GET_LENGTH(format) == 0)
        return size_str(self);
    PyObject *total = size_get_sum(self, (void *)0);
    PyObject *text = total ? PyObject_Format(total, format) : NULL;
    Py_XDECREF(total);
    return text;
}

static PyObject *
size_total(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return size_int(self);
}

static PyGetSetDef size_getset[] = {
    {"host", (getter)size_get_host, NULL, "Bytes of host memory.", NULL},
    {"total", (getter)size_get_sum, NULL, "Bytes of the host and all devices.",
     (void *)0},
    {"__array_interface__", (getter)size_array_interface, NULL,
     "The total, for numpy.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef size_methods[] = {
    {"keys", size_keys, METH_NOARGS,
     "keys($self, /)\n--\n\nNames of devices, 'host' first."},
    {"values", size_values, METH_NOARGS,
     "values($self, /)\n--\n\nBytes, in the order of keys()."},
    {"items", size_items, METH_NOARGS,
     "items($self, /)\n--\n\nPairs of a device's name and bytes."},
    {"get", (PyCFunction)size_get, METH_VARARGS,
     "get($self, key, default=None, /)\n--\n\nBytes on that device, or the "
     "default if it is not there."},
    {"__format__", (PyCFunction)size_format, METH_O,
     "__format__($self, format, /)\n--\n\nThe text; with a format, the total "
     "in that format."},
    {"__reduce__", size_reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\n"},
    {"__round__", size_round, METH_VARARGS,
     "__round__($self, digits=None, /)\n--\n\nThe total, rounded as an int."},
    {"__trunc__", size_total, METH_NOARGS,
     "__trunc__($self, /)\n--\n\nThe total."},
    {"__floor__", size_total, METH_NOARGS,
     "__floor__($self, /)\n--\n\nThe total."},
    {"__ceil__", size_total, METH_NOARGS,
     "__ceil__($self, /)\n--\n\nThe total."},
    {"as_integer_ratio", size_ratio, METH_NOARGS,
     "as_integer_ratio($self, /)\n--\n\nThe total and 1, as of an int."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot size_slots[] = {
    LG__SLOT(Py_tp_new, size_make),
    LG__SLOT(Py_tp_dealloc, size_dealloc),
    LG__SLOT(Py_tp_repr, size_repr),
    LG__SLOT(Py_tp_str, size_str),
    LG__SLOT(Py_tp_hash, size_hash),
    LG__SLOT(Py_tp_richcompare, size_richcompare),
    LG__SLOT(Py_tp_iter, size_iter),
    LG__SLOT(Py_sq_contains, size_contains),
    LG__SLOT(Py_mp_length, size_length),
    LG__SLOT(Py_mp_subscript, size_subscript),
    LG__SLOT(Py_nb_add, size_add),
    LG__SLOT(Py_nb_subtract, size_subtract),
    LG__SLOT(Py_nb_multiply, size_multiply),
    LG__SLOT(Py_nb_true_divide, size_divide),
    LG__SLOT(Py_nb_floor_divide, size_floor_divide),
    LG__SLOT(Py_nb_remainder, size_remainder),
    LG__SLOT(Py_nb_divmod, size_divmod),
    LG__SLOT(Py_nb_power, size_power),
    LG__SLOT(Py_nb_rshift, size_shift_right),
    LG__SLOT(Py_nb_negative, size_negative),
    LG__SLOT(Py_nb_positive, size_int),
    LG__SLOT(Py_nb_absolute, size_int),
    LG__SLOT(Py_nb_int, size_int),
    LG__SLOT(Py_nb_index, size_int),
    LG__SLOT(Py_nb_float, size_float),
    LG__SLOT(Py_nb_bool, size_bool),
    {Py_tp_getset, size_getset},
    {Py_tp_methods, size_methods},
    {Py_tp_doc,
     "Size(mapping={}, /)\n--\n\nBytes by device: a mapping from 'host', "
     "'cuda:0' ... to ints that never changes.\n\nstr() is as the reports "
     "write it. Sizes add up, device by device. Anything else\ncalculates with "
     "the total, and gives a number: size / 2**20, after - before,\nint(size). "
     "Sizes compare by their totals, with numbers and with texts such\nas "
     "'1 MiB', too; with a dict, device by device."},
    {0, NULL},
};

PyType_Spec lg__size_spec = {
    .name = "leakgraph.Size",
    .basicsize = offsetof(lg__size_object, bytes),
    .itemsize = sizeof(uint64_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_MAPPING,
    .slots = size_slots,
};

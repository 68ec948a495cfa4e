#include "binding/objects/size.h"
#include "binding/support/binding_support.h"
#include "capture/common/capture_common.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/writing.h>
#include <stdlib.h>
#include <string.h>

/* A Size is an int with a tail: CPython's int keeps its digits at the end of
   the object, and no total has more than DIGIT_BYTES of them. */
enum { DIGIT_BYTES = 16 };

typedef struct size_tail {
    PyObject *devices; /* names, 'host' first: a tuple that sizes share */
    uint64_t *bytes;   /* of each; NULL: the host alone has the total */
} size_tail;

static size_tail *
tail_of(PyObject *size)
{
    return (size_tail *)((char *)size + PyLong_Type.tp_basicsize + DIGIT_BYTES);
}

static PyObject *
size_alloc(PyTypeObject *type, Py_ssize_t Py_UNUSED(digits))
{
    size_t room = DIGIT_BYTES + sizeof(size_tail);
    return PyType_GenericAlloc(type, (Py_ssize_t)room / type->tp_itemsize);
}

static void
size_dealloc(PyObject *self)
{
    Py_XDECREF(tail_of(self)->devices);
    free(tail_of(self)->bytes);
    lg__object_free(self);
}

static PyObject *
devices_of(PyObject *size)
{
    return tail_of(size)->devices;
}

static Py_ssize_t
device_count(PyObject *size)
{
    return PyTuple_GET_SIZE(devices_of(size));
}

static PyObject *
device_name(PyObject *size, Py_ssize_t device)
{
    return PyTuple_GET_ITEM(devices_of(size), device);
}

static uint64_t
bytes_on(PyObject *size, Py_ssize_t device)
{
    const uint64_t *bytes = tail_of(size)->bytes;
    return bytes ? bytes[device] : PyLong_AsUnsignedLongLong(size);
}

/* A sum beyond 64 bits is UINT64_MAX. */
static uint64_t
sum_of(const uint64_t *bytes, Py_ssize_t count)
{
    uint64_t sum = 0;
    for (Py_ssize_t i = 0; i < count; i++)
        sum = sum + bytes[i] < sum ? UINT64_MAX : sum + bytes[i];
    return sum;
}

/* Makes a Size with a tail that is empty. */
static PyObject *
size_with_total(PyTypeObject *type, uint64_t total)
{
    PyObject *number = PyLong_FromUnsignedLongLong(total);
    PyObject *args = number ? PyTuple_Pack(1, number) : NULL;
    PyObject *self = args ? PyLong_Type.tp_new(type, args, NULL) : NULL;
    Py_XDECREF(args);
    Py_XDECREF(number);
    return self;
}

/* Makes a Size of the bytes on each device; keeps a reference to the tuple. */
static PyObject *
size_new(PyTypeObject *type, PyObject *devices, const uint64_t *bytes)
{
    size_t count = (size_t)PyTuple_GET_SIZE(devices);
    PyObject *self =
        size_with_total(type, sum_of(bytes, PyTuple_GET_SIZE(devices)));
    if (self == NULL)
        return NULL;
    Py_INCREF(devices);
    tail_of(self)->devices = devices;
    if (count == 1)
        return self;
    tail_of(self)->bytes = malloc(count * sizeof *bytes);
    if (tail_of(self)->bytes == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    memcpy(tail_of(self)->bytes, bytes, count * sizeof *bytes);
    return self;
}

static PyObject *
new_reference(PyObject *object)
{
    Py_INCREF(object);
    return object;
}

static PyObject *
size_get_total(PyObject *self, void *Py_UNUSED(closure))
{
    return PyNumber_Long(self);
}

static PyObject *
size_get_host(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(bytes_on(self, 0));
}

/* The index of a device, or -1 without an exception if it is missing. */
static Py_ssize_t
size_find(PyObject *self, PyObject *name)
{
    for (Py_ssize_t i = 0; i < device_count(self); i++) {
        int same = PyObject_RichCompareBool(device_name(self, i), name, Py_EQ);
        if (same != 0)
            return same > 0 ? i : -1;
    }
    return -1;
}

static bool
add_to(PyObject *devices, uint64_t *sums, PyObject *part)
{
    for (Py_ssize_t i = 0; i < device_count(part); i++) {
        Py_ssize_t at = PySequence_Index(devices, device_name(part, i));
        if (at < 0)
            return false;
        if (__builtin_add_overflow(sums[at], bytes_on(part, i), &sums[at])) {
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
all_devices(PyObject *left, PyObject *right)
{
    PyObject *both = PySequence_Concat(devices_of(left), devices_of(right));
    PyObject *names = both ? size_names_of(both) : NULL;
    Py_XDECREF(both);
    return names;
}

static PyObject *
add_sizes(PyObject *a, PyObject *b)
{
    PyObject *names = all_devices(a, b);
    uint64_t *sums =
        names ? calloc((size_t)PyTuple_GET_SIZE(names), sizeof *sums) : NULL;
    PyObject *sum = NULL;
    if (sums != NULL && add_to(names, sums, a) && add_to(names, sums, b))
        sum = size_new(Py_TYPE(a), names, sums);
    else if (!PyErr_Occurred())
        PyErr_NoMemory();
    free(sums);
    Py_XDECREF(names);
    return sum;
}

static bool
is_zero(PyObject *operand)
{
    return PyLong_CheckExact(operand) && PyObject_Not(operand) == 1;
}

/* Sizes add up device by device. So that sum() does, too, which begins with the
   int 0, a Size and 0 are the Size. No class can derive from Size. */
static PyObject *
size_add(PyObject *left, PyObject *right)
{
    if (Py_TYPE(left) == Py_TYPE(right))
        return add_sizes(left, right);
    if (is_zero(left) || is_zero(right))
        return new_reference(is_zero(left) ? right : left);
    return PyLong_Type.tp_as_number->nb_add(left, right);
}

/* Compares by device, where a missing device has 0 bytes: 1, 0, or -1 with an
   exception. */
static int
covers(PyObject *self, PyObject *other)
{
    for (Py_ssize_t i = 0; i < device_count(other); i++) {
        Py_ssize_t at = size_find(self, device_name(other, i));
        if (at < 0 && PyErr_Occurred())
            return -1;
        if (bytes_on(other, i) != (at < 0 ? 0 : bytes_on(self, at)))
            return 0;
    }
    return 1;
}

static PyObject *
compare_devices(PyObject *self, PyObject *dict, int operation)
{
    PyObject *size = lg__size_from(Py_TYPE(self), dict);
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
    if (for_equality && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        return new_reference(Py_None);
    }
    return NULL;
}

/* Sizes compare by their totals, with numbers and with texts, too. With a dict,
   a Size compares device by device, as mappings do. */
static PyObject *
size_richcompare(PyObject *self, PyObject *other, int operation)
{
    bool for_equality = operation == Py_EQ || operation == Py_NE;
    if (for_equality && PyDict_Check(other))
        return compare_devices(self, other, operation);
    if (!PyUnicode_Check(other))
        return PyLong_Type.tp_richcompare(self, other, operation);
    PyObject *theirs = text_number(other, for_equality);
    PyObject *result =
        theirs ? PyLong_Type.tp_richcompare(self, theirs, operation) : NULL;
    Py_XDECREF(theirs);
    return result;
}

static Py_hash_t
size_hash(PyObject *self)
{
    return PyLong_Type.tp_hash(self);
}

/* By this numpy takes a Size for a number, not for a sequence: numpy's
   documents, "The array interface protocol". Both machines that leakgraph runs
   on are little-endian. */
static PyObject *
size_array_interface(PyObject *self, void *Py_UNUSED(closure))
{
    uint64_t total = PyLong_AsUnsignedLongLong(self);
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
    Py_ssize_t count = PyTuple_GET_SIZE(snapshot->devices);
    uint64_t *bytes = malloc((size_t)count * sizeof *bytes);
    if (bytes == NULL)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        bytes[i] = on(context, which, (uint32_t)i);
    PyObject *self = size_new(lg__object_state(snapshot)->types[LG__TYPE_SIZE],
                              snapshot->devices, bytes);
    free(bytes);
    return self;
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

/* Makes a Size of the bytes that the mapping has for each of the names. */
static PyObject *
size_named(PyTypeObject *type, PyObject *names, PyObject *mapping)
{
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    uint64_t *bytes = calloc((size_t)count, sizeof *bytes);
    if (bytes == NULL)
        return PyErr_NoMemory();
    bool whole = true;
    for (Py_ssize_t i = 0; whole && i < count; i++)
        whole = read_bytes(mapping, PyTuple_GET_ITEM(names, i), &bytes[i]);
    PyObject *self = whole ? size_new(type, names, bytes) : NULL;
    free(bytes);
    return self;
}

PyObject *
lg__size_from(PyTypeObject *type, PyObject *mapping)
{
    PyObject *names = size_names_of(mapping);
    PyObject *self = names ? size_named(type, names, mapping) : NULL;
    Py_XDECREF(names);
    return self;
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

static PyObject *
size_subscript(PyObject *self, PyObject *name)
{
    Py_ssize_t at = size_find(self, name);
    if (at >= 0)
        return PyLong_FromUnsignedLongLong(bytes_on(self, at));
    if (!PyErr_Occurred())
        PyErr_SetObject(PyExc_KeyError, name);
    return NULL;
}

static int
size_contains(PyObject *self, PyObject *name)
{
    bool found = size_find(self, name) >= 0;
    return PyErr_Occurred() ? -1 : found;
}

static Py_ssize_t
size_length(PyObject *self)
{
    return device_count(self);
}

static PyObject *
size_iter(PyObject *self)
{
    return PyObject_GetIter(devices_of(self));
}

/* dict(size) calls this, even while the interpreter ends. */
static PyObject *
size_keys(PyObject *self, PyObject *Py_UNUSED(unused))
{
    if (Py_IsFinalizing())
        return PySequence_Tuple(devices_of(self));
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
size_get(PyObject *self, PyObject *args)
{
    PyObject *name, *otherwise = Py_None;
    if (!PyArg_ParseTuple(args, "O|O:get", &name, &otherwise))
        return NULL;
    Py_ssize_t at = size_find(self, name);
    if (at >= 0)
        return PyLong_FromUnsignedLongLong(bytes_on(self, at));
    if (PyErr_Occurred())
        return NULL;
    Py_INCREF(otherwise);
    return otherwise;
}

static PyObject *
as_dict(PyObject *self)
{
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < device_count(self); i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(bytes_on(self, i));
        if (number == NULL ||
            PyDict_SetItem(dict, device_name(self, i), number) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(number);
    }
    return dict;
}

static PyObject *
size_reduce(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *dict = as_dict(self);
    return dict ? Py_BuildValue("(O(N))", (PyObject *)Py_TYPE(self), dict)
                : NULL;
}

static PyObject *
size_repr(PyObject *self)
{
    PyObject *dict = as_dict(self);
    PyObject *text = dict ? PyUnicode_FromFormat("Size(%R)", dict) : NULL;
    Py_XDECREF(dict);
    return text;
}

static PyObject *
size_str(PyObject *self)
{
    size_t count = (size_t)device_count(self);
    lg_string *names = malloc(count * sizeof *names);
    uint64_t *bytes = malloc(count * sizeof *bytes);
    bool whole = names != NULL && bytes != NULL;
    if (!whole)
        PyErr_NoMemory();
    for (size_t i = 0; whole && i < count; i++) {
        Py_ssize_t length;
        names[i].data =
            PyUnicode_AsUTF8AndSize(device_name(self, (Py_ssize_t)i), &length);
        names[i].length = (uint32_t)length;
        bytes[i] = bytes_on(self, (Py_ssize_t)i);
        whole = names[i].data != NULL;
    }
    lg_text text = {0};
    if (whole)
        lg_text_add_sizes(&text, names, bytes, count);
    free(names);
    free(bytes);
    return whole ? lg__text_object(&text) : NULL;
}

/* The Size as people read it or, with a format, its total in that format. */
static PyObject *
size_format(PyObject *self, PyObject *format)
{
    if (PyUnicode_Check(format) && PyUnicode_GET_LENGTH(format) == 0)
        return size_str(self);
    PyObject *total = PyNumber_Long(self);
    PyObject *text = total ? PyObject_Format(total, format) : NULL;
    Py_XDECREF(total);
    return text;
}

static PyGetSetDef size_getset[] = {
    {"host", size_get_host, NULL, "Bytes of host memory.", NULL},
    {"total", size_get_total, NULL, "Bytes of the host and all devices.", NULL},
    {"__array_interface__", size_array_interface, NULL, "The total, for numpy.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef size_methods[] = {
    {"keys", size_keys, METH_NOARGS,
     "keys($self, /)\n--\n\nNames of devices, 'host' first."},
    {"values", size_values, METH_NOARGS,
     "values($self, /)\n--\n\nBytes, in the order of keys()."},
    {"items", size_items, METH_NOARGS,
     "items($self, /)\n--\n\nPairs of a device's name and bytes."},
    {"get", size_get, METH_VARARGS,
     "get($self, key, default=None, /)\n--\n\nBytes on that device, or the "
     "default if it is not there."},
    {"__format__", size_format, METH_O,
     "__format__($self, format, /)\n--\n\nThe text; with a format, the total "
     "in that format."},
    {"__reduce__", size_reduce, METH_NOARGS, "__reduce__($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot size_slots[] = {
    LG__SLOT(Py_tp_new, size_make),
    LG__SLOT(Py_tp_alloc, size_alloc),
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
    {Py_tp_getset, size_getset},
    {Py_tp_methods, size_methods},
    {Py_tp_doc,
     "Size(mapping={}, /)\n--\n\nBytes by device: an int, the total, and a "
     "mapping from 'host', 'cuda:0' ...\nto ints.\n\n"
     "str() is as the reports write it. Sizes add up, device by device. "
     "Anything else\ntakes the total: size / 2**20, after - before, "
     "json.dumps(size). Sizes compare by\ntheir totals, with numbers and with "
     "texts such as '1 MiB', too; with a dict,\ndevice by device."},
    {0, NULL},
};

PyType_Spec lg__size_spec = {
    .name = "leakgraph.Size",
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_MAPPING,
    .slots = size_slots,
};

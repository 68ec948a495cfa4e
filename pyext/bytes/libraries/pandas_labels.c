/**
 * The length and the labels of an Index or a column of pandas. It reads them
 * from memory, because the methods may belong to a user's subclass.
 */
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/numpy.h"
#include "bytes/libraries/pandas.h"

#include <string.h>

/** How many arrays wrapped in arrays to follow. */
enum { NESTED_MAX = 4, LABEL_MAX = 60 };

/** Objects/rangeobject.c: rangeobject. */
typedef struct range_layout {
    PyObject_HEAD
    PyObject *start;
    PyObject *stop;
    PyObject *step;
    PyObject *length;
} range_layout;

/** A whole number that fits, read without running __index__. */
static bool
number_of(PyObject *object, Py_ssize_t *out)
{
    int overflow = 1;
    long long value = object != NULL && PyLong_CheckExact(object)
                          ? PyLong_AsLongLongAndOverflow(object, &overflow)
                          : 0;
    *out = (Py_ssize_t)value;
    return overflow == 0;
}

/** The object that holds the elements of an Index or an array of pandas: a
 *  range, an array of numpy, or chunks of pyarrow; borrowed, or NULL. */
static PyObject *
elements_of(lg__adapter_pass *pass, const lg__pandas *pandas, PyObject *object)
{
    static const char *const names[] = {"_range", "_data", "_pa_array"};
    PyTypeObject *backed = pandas->type[LG__PANDAS_BACKED];
    for (int depth = 0; object != NULL && depth < NESTED_MAX; depth++) {
        PyTypeObject *type = Py_TYPE(object);
        PyObject *inner = NULL;
        if (type == &PyRange_Type || type == pandas->array ||
            (type == pandas->chunks && type != NULL))
            return object;
        if (backed != NULL && PyType_IsSubtype(type, backed))
            inner = lg__pandas_field(pandas, LG__PANDAS_BACKED, object, 0);
        for (size_t i = 0; inner == NULL && i < 3; i++)
            inner = lg__pass_attribute(pass, object, names[i]);
        object = inner;
    }
    return NULL;
}

Py_ssize_t
lg__pandas_length(lg__adapter_pass *pass, const lg__pandas *pandas,
                  PyObject *object)
{
    Py_ssize_t length = -1;
    PyObject *elements = elements_of(pass, pandas, object);
    PyObject *codes =
        elements == NULL ? lg__pass_attribute(pass, object, "_codes") : NULL;
    /* A MultiIndex has an array of numbers for each level. */
    if (codes != NULL && PyList_Check(codes) && PyList_GET_SIZE(codes) > 0)
        elements = elements_of(pass, pandas, PyList_GET_ITEM(codes, 0));
    if (elements == NULL)
        return -1;
    const lg__numpy_array *array = (lg__numpy_array *)elements;
    if (Py_TYPE(elements) == &PyRange_Type)
        return number_of(((range_layout *)elements)->length, &length) ? length
                                                                      : -1;
    if (Py_TYPE(elements) == pandas->array)
        return array->dimension_count > 0
                   ? array->dimensions[array->dimension_count - 1]
                   : -1;
    length = PyObject_Length(elements);
    PyErr_Clear();
    return length;
}

static void
format_object(PyObject *label, lg_text *out)
{
    Py_ssize_t number;
    if (label != NULL && PyUnicode_CheckExact(label))
        lg__pass_add_text(out, label, LABEL_MAX);
    else if (number_of(label, &number))
        lg_text_addf(out, "%zd", number);
    else
        lg_text_add(out, "?");
}

static void
format_range_item(const range_layout *range, Py_ssize_t i, lg_text *out)
{
    Py_ssize_t start, step, length;
    if (number_of(range->start, &start) && number_of(range->step, &step) &&
        number_of(range->length, &length) && i < length)
        lg_text_addf(out, "%zd", start + i * step);
    else
        lg_text_add(out, "?");
}

static void
format_array_item(const lg__numpy_array *array, Py_ssize_t i, lg_text *out)
{
    if (array->dimension_count != 1 || i >= array->dimensions[0]) {
        lg_text_add(out, "?");
        return;
    }
    const char *item = array->data + i * array->strides[0];
    lg__descriptor kind =
        lg__descriptor_read(array->descriptor, lg__numpy_generation() == 2);
    PyObject *object;
    int64_t number;
    if (kind.is_object && kind.item_size == sizeof object) {
        memcpy(&object, item, sizeof object);
        format_object(object, out);
    } else if (kind.kind == 'i' && kind.item_size == sizeof number) {
        memcpy(&number, item, sizeof number);
        lg_text_addf(out, "%lld", (long long)number);
    } else {
        lg_text_add(out, "?");
    }
}

/** Only for pandas' own arrays of strings: code of a user's type might make an
 *  element of another type. */
static void
format_chunk_item(const lg__pandas *pandas, PyObject *values, PyObject *chunks,
                  Py_ssize_t i, lg_text *out)
{
    PyObject *scalar = values != NULL && Py_TYPE(values) == pandas->strings
                           ? PySequence_GetItem(chunks, i)
                           : NULL;
    PyObject *label = scalar != NULL ? lg__ask_method(scalar, "as_py") : NULL;
    PyErr_Clear();
    format_object(label, out);
    Py_XDECREF(label);
    Py_XDECREF(scalar);
}

void
lg__pandas_add_label(lg__adapter_pass *pass, const lg__pandas *pandas,
                     PyObject *index, Py_ssize_t i, lg_text *out)
{
    PyObject *elements = elements_of(pass, pandas, index);
    if (elements == NULL || i < 0)
        lg_text_add(out, "?");
    else if (Py_TYPE(elements) == &PyRange_Type)
        format_range_item((range_layout *)elements, i, out);
    else if (Py_TYPE(elements) == pandas->array)
        format_array_item((lg__numpy_array *)elements, i, out);
    else
        format_chunk_item(pandas, lg__pass_attribute(pass, index, "_data"),
                          elements, i, out);
}

/** Element `row` of a slice; false beyond the last. */
static bool
slice_at(const PySliceObject *slice, Py_ssize_t row, Py_ssize_t *out)
{
    Py_ssize_t start, stop, step = 1;
    if (!number_of(slice->start, &start) || !number_of(slice->stop, &stop) ||
        (slice->step != Py_None && !number_of(slice->step, &step)))
        return false;
    *out = start + row * step;
    return step > 0 ? *out < stop : *out > stop;
}

bool
lg__pandas_column(const lg__pandas *pandas, PyObject *place, Py_ssize_t row,
                  Py_ssize_t *out)
{
    PyObject *slice = lg__pandas_field(pandas, LG__PANDAS_PLACEMENT, place, 0);
    PyObject *numbers =
        lg__pandas_field(pandas, LG__PANDAS_PLACEMENT, place, 1);
    const lg__numpy_array *array = (lg__numpy_array *)numbers;
    if (slice != NULL && PySlice_Check(slice))
        return slice_at((PySliceObject *)slice, row, out);
    if (numbers == NULL || Py_TYPE(numbers) != pandas->array ||
        array->dimension_count != 1 || row >= array->dimensions[0])
        return false;
    memcpy(out, array->data + row * array->strides[0], sizeof *out);
    return true;
}

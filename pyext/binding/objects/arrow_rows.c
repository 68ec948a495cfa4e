#include "binding/objects/arrow_rows.h"
#include "binding/objects/handle.h"
#include "binding/objects/size_parts.h"
#include "capture/common/capture_common.h"

#include <leakgraph/bytes.h>
#include <string.h>

typedef const char *name_of(uint32_t which);

static lg_string
string_of(const char *name)
{
    return (lg_string){name, (uint32_t)strlen(name)};
}

static PyObject *
value_at(const lg__result_object *result, Py_ssize_t row, Py_ssize_t field)
{
    return PyTuple_GET_ITEM(PyTuple_GET_ITEM(result->rows, row), field);
}

static void
add_text(lg__arrow_batch *batch, PyObject *value)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(value, &length);
    if (text != NULL) {
        lg__arrow_add_text(batch, (lg_string){text, (uint32_t)length});
        return;
    }
    PyErr_Clear();
    lg__arrow_add_null(batch);
}

static void
add_value(lg__arrow_batch *batch, char letter, PyObject *value)
{
    if (value == Py_None)
        lg__arrow_add_null(batch);
    else if (letter == 'u')
        add_text(batch, value);
    else if (letter == 'b')
        lg__arrow_add_value(batch, value == Py_True);
    else if (letter == 'N')
        lg__arrow_add_value(batch, ((lg__node_object *)value)->index);
    else
        lg__arrow_add_value(batch, PyLong_AsUnsignedLongLongMask(value));
}

static lg_string
field_name(const lg__result_object *result, Py_ssize_t field)
{
    PyMemberDef member = {0};
    lg__member_at(result->row, (size_t)field, &member);
    return string_of(member.name);
}

static void
add_plain(lg__arrow_batch *batch, const lg__result_object *result,
          Py_ssize_t field)
{
    char letter = result->arrow[field];
    const char format[] = {letter == 'N' ? 'l' : letter, '\0'};
    lg__arrow_open(batch, field_name(result, field), format);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result->rows); i++)
        add_value(batch, letter, value_at(result, i, field));
}

/* All sizes of a snapshot have the same devices, so the first size tells them.
   NULL: there is no size. */
static PyObject *
devices_of(const lg__result_object *result, Py_ssize_t field)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result->rows); i++) {
        PyObject *size = value_at(result, i, field);
        if (size != Py_None)
            return ((lg__size_object *)size)->devices;
    }
    return NULL;
}

static void
add_bytes(lg__arrow_batch *batch, const lg__result_object *result,
          Py_ssize_t field, Py_ssize_t device)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result->rows); i++) {
        PyObject *size = value_at(result, i, field);
        if (size == Py_None)
            lg__arrow_add_null(batch);
        else
            lg__arrow_add_value(batch,
                                ((lg__size_object *)size)->bytes[device]);
    }
}

static void
add_sizes(lg__arrow_batch *batch, const lg__result_object *result,
          Py_ssize_t field)
{
    PyObject *devices = devices_of(result, field);
    Py_ssize_t count = devices ? PyTuple_GET_SIZE(devices) : 1;
    for (Py_ssize_t device = 0; device < count; device++) {
        const char *name =
            devices ? PyUnicode_AsUTF8(PyTuple_GET_ITEM(devices, device))
                    : "host";
        PyErr_Clear();
        lg__arrow_open(batch, string_of(name ? name : "?"), "l");
        add_bytes(batch, result, field, device);
    }
}

static const char *
kind_name(uint32_t which)
{
    return lg_tensor_kind_name((lg_tensor_kind)which);
}

static const char *
evidence_name(uint32_t which)
{
    return lg_evidence_name((lg_evidence)which);
}

/* The bytes of a key, 0 if it is missing. If the value is a tuple, they are its
   first number. */
static uint64_t
bytes_in(PyObject *dict, const char *key)
{
    PyObject *value = PyDict_GetItemString(dict, key);
    if (value != NULL && PyTuple_Check(value))
        value = PyTuple_GET_ITEM(value, 0);
    return value ? PyLong_AsUnsignedLongLongMask(value) : 0;
}

static void
add_named(lg__arrow_batch *batch, const lg__result_object *result,
          Py_ssize_t field, name_of *name, uint32_t count)
{
    for (uint32_t which = 0; which < count; which++) {
        lg__arrow_open(batch, string_of(name(which)), "l");
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(result->rows); i++)
            lg__arrow_add_value(
                batch, bytes_in(value_at(result, i, field), name(which)));
    }
}

static void
add_record(lg__arrow_batch *batch, const lg__result_object *result,
           Py_ssize_t field)
{
    char letter = result->arrow[field];
    lg__arrow_open(batch, field_name(result, field), "+s");
    if (letter == 'S')
        add_sizes(batch, result, field);
    else if (letter == 'K')
        add_named(batch, result, field, kind_name, LG_TENSOR_KIND_COUNT);
    else
        add_named(batch, result, field, evidence_name, LG_EVIDENCE_COUNT);
    lg__arrow_end(batch);
}

PyObject *
lg__rows_arrow(const lg__result_object *result)
{
    lg__arrow_batch *batch =
        lg__arrow_batch_new((size_t)PyTuple_GET_SIZE(result->rows));
    for (Py_ssize_t i = 0; result->arrow[i] != '\0'; i++)
        if (strchr("SKE", result->arrow[i]) != NULL)
            add_record(batch, result, i);
        else
            add_plain(batch, result, i);
    return lg__arrow_stream(batch);
}

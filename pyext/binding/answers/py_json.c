// Writes with the writer of all reports, so that all JSON reads alike.
#include "binding/answers/binding_answers.h"

#include <leakgraph/internal/json.h>
#include <stdbool.h>

static bool write_value(lg_json *json, PyObject *value);

/* Texts that are no UTF-8, such as names of files, show replacements. */
static PyObject *
bytes_of(PyObject *text)
{
    return PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
}

static bool
write_text(lg_json *json, PyObject *text)
{
    PyObject *bytes = bytes_of(text);
    if (bytes == NULL)
        return false;
    lg_json_string(json, NULL, PyBytes_AS_STRING(bytes),
                   (size_t)PyBytes_GET_SIZE(bytes));
    Py_DECREF(bytes);
    return true;
}

static bool
write_name(lg_json *json, PyObject *key)
{
    PyObject *text = PyObject_Str(key);
    PyObject *bytes = text ? bytes_of(text) : NULL;
    if (bytes != NULL)
        lg_json_name(json, PyBytes_AS_STRING(bytes),
                     (size_t)PyBytes_GET_SIZE(bytes));
    Py_XDECREF(text);
    Py_XDECREF(bytes);
    return bytes != NULL;
}

/* Whole numbers have up to 64 bits; OverflowError for longer ones. */
static bool
write_whole(lg_json *json, PyObject *number)
{
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow > 0)
        lg_json_count(json, NULL, PyLong_AsUnsignedLongLong(number));
    else if (overflow < 0)
        PyErr_SetString(PyExc_OverflowError, "a number has more than 64 bits");
    else
        lg_json_integer(json, NULL, value);
    return !PyErr_Occurred();
}

static bool
write_dict(lg_json *json, PyObject *dict)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    lg_json_object(json, NULL);
    while (PyDict_Next(dict, &at, &key, &value))
        if (!write_name(json, key) || !write_value(json, value))
            return false;
    lg_json_end(json);
    return true;
}

static bool
write_items(lg_json *json, PyObject *items)
{
    lg_json_array(json, NULL);
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
        if (!write_value(json, PySequence_Fast_GET_ITEM(items, i)))
            return false;
    lg_json_end(json);
    return true;
}

static bool
write_value(lg_json *json, PyObject *value)
{
    if (json->depth == LG_JSON_DEPTH) {
        PyErr_SetString(PyExc_ValueError, "the values lie too deep");
        return false;
    }
    if (PyUnicode_Check(value))
        return write_text(json, value);
    if (PyDict_Check(value))
        return write_dict(json, value);
    if (PyList_Check(value) || PyTuple_Check(value))
        return write_items(json, value);
    if (PyLong_Check(value) && !PyBool_Check(value))
        return write_whole(json, value);
    if (value == Py_None)
        lg_json_null(json, NULL);
    else if (PyBool_Check(value))
        lg_json_bool(json, NULL, value == Py_True);
    else if (PyFloat_Check(value))
        lg_json_number(json, NULL, PyFloat_AS_DOUBLE(value));
    else
        PyErr_Format(PyExc_TypeError, "JSON has no %.100s",
                     Py_TYPE(value)->tp_name);
    return !PyErr_Occurred();
}

const char lg__core_json_doc[] =
    "_json($module, value, /)\n--\n\n"
    "The value as JSON: dicts, lists, tuples, texts, numbers, bools, None.";

PyObject *
lg__core_json(PyObject *module, PyObject *value)
{
    lg_text text = {0};
    lg_json json = {.out = &text};
    lg_error error;
    lg_status status = LG_OK;
    if (write_value(&json, value))
        status = lg_json_finish(&json, &error);
    if (status == LG_OK && !PyErr_Occurred())
        return lg__text_object(&text);
    lg_text_free(&text);
    return status == LG_OK
               ? NULL
               : lg__error_raise(lg__module_state(module), status, &error);
}

/**
 * What the package writes: JSON, with the writer of all reports, so that all
 * JSON reads alike, and texts laid out as a table.
 */
#include "binding/answers/binding_answers.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/cells.h>
#include <leakgraph/internal/json.h>
#include <leakgraph/table.h>

#include <stdbool.h>
#include <stdlib.h>

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

const char lg__core_text_table_doc[] =
    "_text_table($module, headings, rows, right, limit, /)\n--\n\n"
    "Rows of texts as a table: a str.\n\nThe first columns, `right` of them, "
    "are flush right. No more than `limit` rows (0: all)\nare shown, and the "
    "others are counted.";

/* Borrows the texts of a tuple of that many strs. */
static bool
read_row(PyObject *row, size_t columns, lg_string *out)
{
    if (!PyTuple_Check(row) || (size_t)PyTuple_GET_SIZE(row) != columns) {
        PyErr_Format(PyExc_TypeError, "a row is a tuple of %zu str", columns);
        return false;
    }
    for (size_t i = 0; i < columns; i++) {
        Py_ssize_t length;
        out[i].data = PyUnicode_AsUTF8AndSize(
            PyTuple_GET_ITEM(row, (Py_ssize_t)i), &length);
        if (out[i].data == NULL)
            return false;
        out[i].length = (uint32_t)length;
    }
    return true;
}

static PyObject *
lay_out(PyObject *module, const lg_table_texts *texts, size_t limit)
{
    lg_table *table = NULL;
    lg_text text = {0};
    lg_error error;
    lg_status status = lg_table_of_texts(texts, &table, &error);
    if (status == LG_OK)
        status = lg_table_text(table, limit, &text, &error);
    lg_table_free(table);
    if (status == LG_OK)
        return lg__text_object(&text);
    lg_text_free(&text);
    return lg__error_raise(lg__module_state(module), status, &error);
}

PyObject *
lg__core_text_table(PyObject *module, PyObject *args)
{
    PyObject *headings, *rows, *result = NULL;
    Py_ssize_t right, limit;
    if (!PyArg_ParseTuple(args, "O!O!nn:_text_table", &PyTuple_Type, &headings,
                          &PyTuple_Type, &rows, &right, &limit))
        return NULL;
    size_t columns = (size_t)PyTuple_GET_SIZE(headings);
    size_t count = (size_t)PyTuple_GET_SIZE(rows);
    lg_string *cells = calloc((count + 1) * columns + 1, sizeof *cells);
    const char **names = calloc(columns + 1, sizeof *names);
    bool good = cells != NULL && names != NULL;
    if (!good)
        PyErr_NoMemory();
    good = good && read_row(headings, columns, cells);
    for (size_t i = 0; i < columns && good; i++)
        names[i] = cells[i].data;
    for (size_t i = 0; i < count && good; i++)
        good = read_row(PyTuple_GET_ITEM(rows, (Py_ssize_t)i), columns,
                        cells + i * columns);
    if (good)
        result = lay_out(
            module,
            &(lg_table_texts){names, cells, columns, count, (size_t)right},
            (size_t)limit);
    free(names);
    free(cells);
    return result;
}

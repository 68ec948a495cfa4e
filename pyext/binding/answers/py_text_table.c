/** Texts laid out as a table, for the package. */
#include "binding/answers/binding_answers.h"
#include "binding/support/binding_support.h"

#include <leakgraph/table.h>
#include <leakgraph/internal/cells.h>
#include <stdlib.h>

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

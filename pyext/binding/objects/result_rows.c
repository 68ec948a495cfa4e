/**
 * Rows of a table as named tuples.
 */
#include "binding/objects/handle.h"
#include "binding/objects/result.h"
#include "binding/objects/size.h"
#include "binding/support/binding_support.h"
#include <stdlib.h>
#include <string.h>

/* No table has more columns, and no named tuple more fields. */
enum { MOST_FIELDS = 32 };

static PyObject *cell_object(lg__snapshot_object *snapshot,
                             const lg_table *table, size_t row, size_t column);

/* A row of a table within a cell: a tuple of its values, or its only value. */
static PyObject *
inner_row(lg__snapshot_object *snapshot, const lg_table *table, size_t row)
{
    size_t columns = lg_table_column_count(table);
    if (columns == 1)
        return cell_object(snapshot, table, row, 0);
    PyObject *tuple = PyTuple_New((Py_ssize_t)columns);
    for (size_t i = 0; tuple != NULL && i < columns; i++) {
        PyObject *value = cell_object(snapshot, table, row, i);
        if (value == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, value);
    }
    return tuple;
}

static PyObject *
list_object(lg__snapshot_object *snapshot, const lg_table *table)
{
    size_t rows = lg_table_row_count(table);
    PyObject *tuple = PyTuple_New((Py_ssize_t)rows);
    for (size_t i = 0; tuple != NULL && i < rows; i++) {
        PyObject *row = inner_row(snapshot, table, i);
        if (row == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, row);
    }
    return tuple;
}

static PyObject *
numbers_object(const uint64_t *numbers, uint64_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (uint64_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *number = PyLong_FromUnsignedLongLong(numbers[i]);
        if (number == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, number);
    }
    return tuple;
}

/* A dict of the values by the names of their columns. */
static PyObject *
record_object(lg__snapshot_object *snapshot, const lg_table *table)
{
    PyObject *dict = PyDict_New();
    size_t columns =
        lg_table_row_count(table) > 0 ? lg_table_column_count(table) : 0;
    for (size_t i = 0; dict != NULL && i < columns; i++) {
        PyObject *name = lg__string_object(lg_table_column(table, i).name);
        PyObject *value = name ? cell_object(snapshot, table, 0, i) : NULL;
        if (value == NULL || PyDict_SetItem(dict, name, value) < 0)
            Py_CLEAR(dict);
        Py_XDECREF(name);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *
cell_object(lg__snapshot_object *snapshot, const lg_table *table, size_t row,
            size_t column)
{
    lg_cell cell = lg_table_cell(table, row, column);
    if (!cell.present)
        Py_RETURN_NONE;
    switch (lg_table_column(table, column).type) {
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
        return lg__string_object(cell.text);
    case LG_COLUMN_NODE:
        return lg__node_new(lg__object_state(snapshot), snapshot, cell.node);
    case LG_COLUMN_NUMBER:
        return PyLong_FromLongLong(cell.number);
    case LG_COLUMN_SIZE:
        return lg__size_new(snapshot, cell.size);
    case LG_COLUMN_SHARE:
        return PyFloat_FromDouble(cell.share);
    case LG_COLUMN_REAL:
        return PyFloat_FromDouble(cell.real);
    case LG_COLUMN_BOOL:
        return PyBool_FromLong(cell.count != 0);
    case LG_COLUMN_NUMBERS:
        return cell.numbers ? numbers_object(cell.numbers, cell.count)
                            : lg__string_object(cell.text);
    case LG_COLUMN_LIST:
        return list_object(snapshot, cell.table);
    case LG_COLUMN_RECORD:
        return record_object(snapshot, cell.table);
    default:
        return PyLong_FromUnsignedLongLong(cell.count);
    }
}

/* The index of the column, or the number of columns if it is missing. */
static size_t
find_column(const lg_table *table, const char *name)
{
    size_t count = lg_table_column_count(table), at = 0;
    for (; name != NULL && at < count; at++) {
        lg_column column = lg_table_column(table, at);
        if (column.data && column.name.length == strlen(name) &&
            memcmp(column.name.data, name, column.name.length) == 0)
            return at;
    }
    return count;
}

bool
lg__result_fact(const lg_table *table, const char *name, lg_cell *out)
{
    const lg_table *facts = lg_table_facts(table);
    size_t column = facts ? find_column(facts, name) : 0;
    if (facts == NULL || column == lg_table_column_count(facts))
        return false;
    *out = lg_table_cell(facts, 0, column);
    return out->present;
}

PyObject *
lg__result_fact_object(lg__snapshot_object *snapshot, const lg_table *table,
                       const char *name)
{
    const lg_table *facts = lg_table_facts(table);
    size_t column = facts ? find_column(facts, name) : 0;
    if (facts == NULL || column == lg_table_column_count(facts))
        Py_RETURN_NONE;
    return cell_object(snapshot, facts, 0, column);
}

static PyObject *
field_object(lg__snapshot_object *snapshot, const lg_table *table, size_t row,
             const lg__result_field *field, size_t column)
{
    bool there = column < lg_table_column_count(table);
    if (there && field->rows != NULL)
        return lg__result_rows(snapshot, field->rows,
                               lg_table_cell(table, row, column).table);
    if (field->always_text)
        return lg__string_object(there ? lg_table_cell(table, row, column).text
                                       : (lg_string){"", 0});
    if (!there)
        Py_RETURN_NONE;
    return cell_object(snapshot, table, row, column);
}

static PyObject *
row_object(lg__snapshot_object *snapshot, const lg__result_shape *shape,
           const lg_table *table, size_t row, const size_t *columns,
           size_t fields)
{
    PyTypeObject *type = lg__object_state(snapshot)->types[shape->row];
    PyObject *result = PyStructSequence_New(type);
    for (size_t i = 0; result != NULL && i < fields; i++) {
        PyObject *value =
            field_object(snapshot, table, row, &shape->fields[i], columns[i]);
        if (value == NULL)
            Py_CLEAR(result);
        else
            PyStructSequence_SetItem(result, (Py_ssize_t)i, value);
    }
    return result;
}

size_t *
lg__result_row_numbers(const lg_table *table, size_t *count)
{
    size_t rows = lg_table_row_count(table), kept = 0;
    size_t *numbers = malloc((rows + 1) * sizeof *numbers);
    if (numbers == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (size_t i = 0; i < rows; i++)
        if (!lg_table_is_heading(table, i))
            numbers[kept++] = i;
    *count = kept;
    return numbers;
}

PyObject *
lg__result_rows(lg__snapshot_object *snapshot, const lg__result_shape *shape,
                const lg_table *table)
{
    size_t columns[MOST_FIELDS], fields = 0, count;
    for (; shape->fields[fields].column != NULL; fields++)
        columns[fields] = find_column(table, shape->fields[fields].column);
    size_t *numbers = lg__result_row_numbers(table, &count);
    PyObject *tuple = numbers ? PyTuple_New((Py_ssize_t)count) : NULL;
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *row =
            row_object(snapshot, shape, table, numbers[i], columns, fields);
        if (row == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, row);
    }
    free(numbers);
    return tuple;
}

PyObject *
lg__result_fact_rows(lg__snapshot_object *snapshot, const lg_table *table,
                     const char *name, const lg__result_shape *shape)
{
    lg_cell cell = {0};
    return lg__result_fact(table, name, &cell)
               ? lg__result_rows(snapshot, shape, cell.table)
               : PyTuple_New(0);
}

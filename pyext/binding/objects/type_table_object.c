#include "binding/objects/type_table_object.h"
#include "binding/objects/result.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include <leakgraph/report.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a table that is shown without being asked for a number of them. */
#define SHOWN_ROWS 40
#define SUMMARY_ROWS 10

/* --------------------------------------------------------------- table --- */

static PyObject *
row_object(core_state *state, const lg_graph *graph, const lg_type_row *row)
{
    PyObject *result = PyStructSequence_New(state->types[TYPE_TYPE_ROW]);
    if (result == NULL)
        return NULL;
    PyStructSequence_SetItem(
        result, 0, string_object(lg_graph_type(graph, row->type).name));
    PyStructSequence_SetItem(result, 1,
                             PyLong_FromUnsignedLongLong(row->count));
    PyStructSequence_SetItem(result, 2,
                             PyLong_FromUnsignedLongLong(row->bytes));
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

static PyObject *
row_tuple(core_state *state, const lg_graph *graph, const lg_type_row *rows,
          size_t count)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *row = row_object(state, graph, &rows[i]);
        if (row == NULL)
            Py_CLEAR(tuple);
        else
            PyTuple_SET_ITEM(tuple, (Py_ssize_t)i, row);
    }
    return tuple;
}

static int
compare_rows(const void *left, const void *right)
{
    const lg_type_row *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->type < b->type ? -1 : a->type > b->type;
}

PyObject *
type_rows_of(core_state *state, const lg_graph *graph, const uint32_t *nodes,
             size_t count)
{
    size_t types = lg_graph_type_count(graph), used = 0;
    lg_type_row *rows = calloc(types + 1, sizeof *rows);
    if (rows == NULL)
        return PyErr_NoMemory();
    for (size_t i = 0; i < count; i++) {
        uint32_t type = lg_graph_columns(graph)->type[nodes[i]];
        rows[type].type = type;
        rows[type].count++;
        rows[type].bytes += lg_node_size(graph, nodes[i]);
    }
    for (size_t type = 0; type < types; type++)
        if (rows[type].count > 0)
            rows[used++] = rows[type];
    qsort(rows, used, sizeof *rows, compare_rows);
    PyObject *tuple = row_tuple(state, graph, rows, used);
    free(rows);
    return tuple;
}

static const result_field type_fields[] = {
    {"type", FIELD_TEXT},
    {"count", FIELD_VALUE},
    {"bytes", FIELD_VALUE},
    {NULL, FIELD_VALUE},
};

static const result_shape table_shape = {TYPE_TABLE, TYPE_TYPE_ROW, type_fields,
                                         SHOWN_ROWS};

static bool
sort_named(core_state *state, const char *name, lg_sort *sort)
{
    static const char *const names[] = {
        [LG_SORT_BYTES] = "bytes",
        [LG_SORT_COUNT] = "count",
        [LG_SORT_NAME] = "name",
    };
    for (int i = 0; name != NULL && i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *sort = (lg_sort)i;
            return true;
        }
    if (name != NULL)
        PyErr_Format(state->errors[ERROR_ARGUMENT],
                     "sort must be 'bytes', 'count' or 'name', not '%s'.",
                     name);
    return name == NULL;
}

PyObject *
snapshot_types(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    static const char *const names[] = {"sort", "limit", NULL};
    static const arg_list list = {"types", names, 0, 0};
    PyObject *values[2] = {NULL, NULL};
    const char *sort_name;
    lg_sort sort = LG_SORT_BYTES;
    uint64_t limit = 0;
    core_state *state = object_state(self);
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_text("sort", values[0], &sort_name) ||
        !sort_named(state, sort_name, &sort) ||
        !arg_limit("limit", values[1], SIZE_MAX, &limit))
        return NULL;
    lg_graph *graph = snapshot_acquire((snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_table *made = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_tabulate_types(graph, sort, limit, &made, &error);
    Py_END_ALLOW_THREADS
    snapshot_release((snapshot_object *)self);
    return status == LG_OK
               ? result_new((snapshot_object *)self, &table_shape, made)
               : error_raise(state, status, &error);
}

static PyType_Slot table_slots[] = {
    RESULT_SLOTS,
    {Py_tp_doc, "A sequence of TypeRow(name, count, bytes); str() is the table "
                "as text."},
    {0, NULL},
};

PyType_Spec table_spec = {
    .name = "leakgraph.TypeTable",
    .basicsize = sizeof(result_object),
    .flags = FINAL_TYPE,
    .slots = table_slots,
};

/* ------------------------------------------------------------- summary --- */

/* Adds the line above the table. */
static void
add_summary(const lg_graph *graph, lg_text *html)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_string pid = lg_graph_info_find(graph, "pid");
    lg_text_add(html, "<p><b>leakgraph.Snapshot</b> of pid ");
    lg_text_add_html(html, pid.data, pid.length);
    lg_text_add(html, ": ");
    lg_text_add_count(html, columns->node_count);
    lg_text_add(html, " objects, ");
    lg_text_add_count(html, columns->edge_count);
    lg_text_add(html, " references</p>");
}

PyObject *
snapshot_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg_graph *graph = snapshot_acquire((snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_text html = {0};
    lg_table *types = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    add_summary(graph, &html);
    status =
        lg_tabulate_types(graph, LG_SORT_BYTES, SUMMARY_ROWS, &types, &error);
    if (status == LG_OK)
        status = lg_table_html(types, 0, &html, &error);
    Py_END_ALLOW_THREADS
    lg_table_free(types);
    snapshot_release((snapshot_object *)self);
    if (status == LG_OK)
        return text_object(&html);
    lg_text_free(&html);
    return error_raise(object_state(self), status, &error);
}

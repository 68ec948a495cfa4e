#include "binding/objects/type_table_object.h"
#include "binding/objects/py_snapshot.h"
#include "binding/support/args.h"
#include "binding/support/convert.h"
#include "binding/support/errors.h"
#include <leakgraph/report.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a table that is shown without being asked for a number of them. */
#define SHOWN_ROWS 40
#define SUMMARY_ROWS 10

/** Owns all it shows, so that it outlives the snapshot. */
typedef struct table_object {
    PyObject_HEAD
    PyObject *rows; /* tuple of TypeRow */
    PyObject *text;
    PyObject *html;
} table_object;

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

/* What the graph said, before it becomes objects. */
typedef struct table_parts {
    lg_type_row *rows;
    size_t count;
    lg_text text;
    lg_text html;
} table_parts;

static void
parts_free(table_parts *parts)
{
    free(parts->rows);
    lg_text_free(&parts->text);
    lg_text_free(&parts->html);
}

/* The table as `shown` rows of text, if that is wanted, and HTML. */
static lg_status
write_table(const lg_graph *graph, lg_sort sort, size_t shown, lg_text *text,
            lg_text *html, lg_error *error)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_types(graph, sort, shown, &table, error);
    if (status == LG_OK && text != NULL)
        status = lg_table_text(table, 0, text, error);
    if (status == LG_OK)
        status = lg_table_html(table, 0, html, error);
    lg_table_free(table);
    return status;
}

static lg_status
ask_graph(const lg_graph *graph, lg_sort sort, size_t limit, table_parts *parts,
          lg_error *error)
{
    lg_status status =
        lg_graph_type_rows(graph, sort, &parts->rows, &parts->count, error);
    if (status != LG_OK)
        return status;
    if (parts->count > limit)
        parts->count = limit;
    return write_table(graph, sort, limit < SHOWN_ROWS ? limit : SHOWN_ROWS,
                       &parts->text, &parts->html, error);
}

static PyObject *
table_new(core_state *state, const lg_graph *graph, table_parts *parts)
{
    table_object *self = object_new(state, TYPE_TABLE);
    if (self == NULL)
        return NULL;
    self->rows = row_tuple(state, graph, parts->rows, parts->count);
    self->text = text_object(&parts->text);
    self->html = text_object(&parts->html);
    if (self->rows == NULL || self->text == NULL || self->html == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

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
    uint64_t limit = SIZE_MAX;
    core_state *state = object_state(self);
    if (!args_take(&list, args, nargs, kwnames, values) ||
        !arg_text("sort", values[0], &sort_name) ||
        !sort_named(state, sort_name, &sort) ||
        !arg_limit("limit", values[1], SIZE_MAX, &limit))
        return NULL;
    lg_graph *graph = snapshot_acquire((snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    table_parts parts = {0};
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = ask_graph(graph, sort, limit, &parts, &error);
    Py_END_ALLOW_THREADS
    PyObject *table = status == LG_OK ? table_new(state, graph, &parts)
                                      : error_raise(state, status, &error);
    snapshot_release((snapshot_object *)self);
    parts_free(&parts);
    return table;
}

static void
table_dealloc(table_object *self)
{
    Py_XDECREF(self->rows);
    Py_XDECREF(self->text);
    Py_XDECREF(self->html);
    object_free(self);
}

static Py_ssize_t
table_length(table_object *self)
{
    return PyTuple_GET_SIZE(self->rows);
}

static PyObject *
table_subscript(table_object *self, PyObject *key)
{
    return PyObject_GetItem(self->rows, key);
}

static PyObject *
table_iter(table_object *self)
{
    return PyObject_GetIter(self->rows);
}

static PyObject *
table_repr(table_object *self)
{
    Py_INCREF(self->text);
    return self->text;
}

static PyObject *
table_repr_html(table_object *self, PyObject *Py_UNUSED(unused))
{
    Py_INCREF(self->html);
    return self->html;
}

static PyMethodDef table_methods[] = {
    {"_repr_html_", (PyCFunction)table_repr_html, METH_NOARGS,
     "_repr_html_($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot table_slots[] = {
    SLOT(Py_tp_dealloc, table_dealloc),
    SLOT(Py_tp_repr, table_repr),
    SLOT(Py_tp_iter, table_iter),
    SLOT(Py_mp_length, table_length),
    SLOT(Py_mp_subscript, table_subscript),
    {Py_tp_methods, table_methods},
    {Py_tp_doc, "A sequence of TypeRow(name, count, bytes); str() is the table "
                "as text."},
    {0, NULL},
};

PyType_Spec table_spec = {
    .name = "leakgraph.TypeTable",
    .basicsize = sizeof(table_object),
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
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    add_summary(graph, &html);
    status =
        write_table(graph, LG_SORT_BYTES, SUMMARY_ROWS, NULL, &html, &error);
    Py_END_ALLOW_THREADS
    snapshot_release((snapshot_object *)self);
    if (status == LG_OK)
        return text_object(&html);
    lg_text_free(&html);
    return error_raise(object_state(self), status, &error);
}

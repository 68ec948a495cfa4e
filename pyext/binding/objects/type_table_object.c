#include "binding/objects/type_table_object.h"
#include "binding/objects/result.h"
#include "binding/objects/size.h"
#include "binding/support/binding_support.h"
#include <leakgraph/page.h>
#include <leakgraph/report.h>
#include <stdlib.h>
#include <string.h>

/* How many rows a table shows by default. */
#define SHOWN_ROWS 40
#define SUMMARY_ROWS 10

static PyObject *
row_object(lg__snapshot_object *snapshot, const lg_graph *graph,
           const lg_type_row *row, const uint64_t *bytes)
{
    PyObject *result = PyStructSequence_New(
        lg__object_state(snapshot)->types[LG__TYPE_TYPE_ROW]);
    if (result == NULL)
        return NULL;
    PyObject *fields[] = {
        lg__string_object(lg_graph_type(graph, row->type).name),
        PyLong_FromUnsignedLongLong(row->count),
        lg__size_new(snapshot, bytes),
        PyLong_FromUnsignedLongLong(row->spent),
    };
    for (Py_ssize_t i = 0; i < 4; i++)
        PyStructSequence_SetItem(result, i, fields[i]);
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

/* `each` has the bytes of every type of the graph, by device. */
static PyObject *
row_tuple(lg__snapshot_object *snapshot, const lg_graph *graph,
          const lg_type_row *rows, size_t count, const uint64_t *each)
{
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple != NULL && i < count; i++) {
        PyObject *row = row_object(snapshot, graph, &rows[i],
                                   each + rows[i].type * devices);
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

/* Counts the nodes into rows[type] and each[type][device]. Moves the rows of
 * types that have any to the front, the biggest first, and returns how many. */
static size_t
count_types(const lg_graph *graph, const uint32_t *nodes, size_t count,
            lg_type_row *rows, uint64_t *each)
{
    size_t types = lg_graph_type_count(graph), used = 0;
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t type = lg_graph_columns(graph)->type[nodes[i]];
        uint64_t bytes = lg_node_size(graph, nodes[i]);
        rows[type].type = type;
        rows[type].count++;
        uint32_t device = lg_node_device(graph, nodes[i]);
        rows[type].bytes += bytes;
        if (device == 0)
            rows[type].spent += lg_node_spent(graph, nodes[i]);
        each[type * devices + device] += bytes;
    }
    for (size_t type = 0; type < types; type++)
        if (rows[type].count > 0)
            rows[used++] = rows[type];
    qsort(rows, used, sizeof *rows, compare_rows);
    return used;
}

PyObject *
lg__type_rows_of(lg__snapshot_object *snapshot, const uint32_t *nodes,
                 size_t count)
{
    const lg_graph *graph = lg__snapshot_graph(snapshot);
    if (graph == NULL)
        return NULL;
    size_t types = lg_graph_type_count(graph);
    size_t devices = (size_t)lg_graph_device_count(graph) + 1;
    lg_type_row *rows = calloc(types + 1, sizeof *rows);
    uint64_t *each = calloc(types * devices + 1, sizeof *each);
    PyObject *tuple = NULL;
    if (rows == NULL || each == NULL)
        PyErr_NoMemory();
    else
        tuple = row_tuple(snapshot, graph, rows,
                          count_types(graph, nodes, count, rows, each), each);
    free(rows);
    free(each);
    return tuple;
}

static const lg__result_field type_fields[] = {
    {"type", LG__FIELD_TEXT},   {"count", LG__FIELD_VALUE},
    {"bytes", LG__FIELD_VALUE}, {"spent", LG__FIELD_VALUE},
    {NULL, LG__FIELD_VALUE},
};

static const lg__result_shape table_shape = {LG__TYPE_TABLE, LG__TYPE_TYPE_ROW,
                                             type_fields, SHOWN_ROWS};

static bool
sort_named(lg__core_state *state, const char *name, lg_sort *sort)
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
        PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                     "by must be 'bytes', 'count' or 'name', not '%s'.", name);
    return name == NULL;
}

static lg_status
tabulate(const lg_graph *graph, const lg__scope_request *asked, lg_sort sort,
         size_t limit, lg_table **out, lg_error *error)
{
    lg_scope *scope = NULL;
    lg_status status = lg__scope_find(asked, graph, NULL, &scope, error);
    if (status == LG_OK)
        status = lg_tabulate_types(graph, scope, sort, limit, out, error);
    lg_scope_free(scope);
    return status;
}

PyObject *
lg__snapshot_types(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    static const char *const names[] = {"by", "limit", "mine", "module", NULL};
    static const lg__arg_list list = {"types", names, 0, 0};
    PyObject *values[4] = {NULL};
    lg__scope_request asked;
    const char *sort_name;
    lg_sort sort = LG_SORT_BYTES;
    size_t limit = 0;
    lg__core_state *state = lg__object_state(self);
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_text("by", values[0], &sort_name) ||
        !sort_named(state, sort_name, &sort) ||
        !lg__arg_rows(values[1], &limit) ||
        !lg__arg_scope(values[2], values[3], &asked))
        return NULL;
    lg_graph *graph = lg__snapshot_acquire((lg__snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_table *made = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = tabulate(graph, &asked, sort, limit, &made, &error);
    Py_END_ALLOW_THREADS
    lg__snapshot_release((lg__snapshot_object *)self);
    return status == LG_OK
               ? lg__result_new((lg__snapshot_object *)self, &table_shape, made)
               : lg__error_raise(state, status, &error);
}

static PyType_Slot table_slots[] = {
    LG__RESULT_SLOTS,
    {Py_tp_doc,
     "A sequence of TypeRow(name, count, bytes, spent); str() is the "
     "table as text."},
    {0, NULL},
};

PyType_Spec lg__table_spec = {
    .name = "leakgraph.TypeTable",
    .basicsize = sizeof(lg__result_object),
    .flags = LG__FINAL_TYPE,
    .slots = table_slots,
};

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
lg__snapshot_repr_html(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg_graph *graph = lg__snapshot_acquire((lg__snapshot_object *)self);
    if (graph == NULL)
        return NULL;
    lg_text html = {0};
    lg_table *types = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    add_summary(graph, &html);
    status = lg_tabulate_types(graph, NULL, LG_SORT_BYTES, SUMMARY_ROWS, &types,
                               &error);
    if (status == LG_OK)
        status = lg_page_cell(types, 0, &html, &error);
    Py_END_ALLOW_THREADS
    lg_table_free(types);
    lg__snapshot_release((lg__snapshot_object *)self);
    if (status == LG_OK)
        return lg__text_object(&html);
    lg_text_free(&html);
    return lg__error_raise(lg__object_state(self), status, &error);
}

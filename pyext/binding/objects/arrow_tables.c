#include "binding/objects/arrow_tables.h"
#include "binding/objects/arrow.h"
#include "binding/objects/handle.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/result.h"
#include "binding/objects/size_parts.h"
#include "capture/common/capture_common.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/answers.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/columns.h>
#include <stdlib.h>
#include <string.h>

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

static lg_string
text(const char *name)
{
    return (lg_string){name, (uint32_t)strlen(name)};
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
            return lg__size_devices(size);
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
            lg__arrow_add_value(batch, lg__size_bytes(size, device));
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

static void
add_record(lg__arrow_batch *batch, const lg__result_object *result,
           Py_ssize_t field)
{
    lg__arrow_open(batch, field_name(result, field), "+s");
    add_sizes(batch, result, field);
    lg__arrow_end(batch);
}

static PyObject *
rows_arrow(const lg__result_object *result)
{
    lg__arrow_batch *batch =
        lg__arrow_batch_new((size_t)PyTuple_GET_SIZE(result->rows));
    for (Py_ssize_t i = 0; result->arrow[i] != '\0'; i++)
        if (result->arrow[i] == 'S')
            add_record(batch, result, i);
        else
            add_plain(batch, result, i);
    return lg__arrow_stream(batch);
}

static lg_string
text_of(const lg_text *formatted)
{
    return (lg_string){formatted->data ? formatted->data : "",
                       (uint32_t)formatted->length};
}

/* A consumer may request a schema, but nobody has to fulfil the request. */
static bool
takes_schema(PyObject *args)
{
    PyObject *schema;
    return PyArg_UnpackTuple(args, "__arrow_c_stream__", 0, 1, &schema) != 0;
}

static void
add_node_numbers(lg__arrow_batch *batch, const lg_graph *graph,
                 const lg__sequence_object *nodes)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t *number = lg__arrow_numbers(batch, text("node"), "I", 4);
    uint64_t *address = lg__arrow_numbers(batch, text("address"), "L", 8);
    int64_t *size = lg__arrow_numbers(batch, text("size"), "l", 8);
    uint32_t *refcount = lg__arrow_numbers(batch, text("refcount"), "I", 4);
    uint32_t *found = lg__arrow_numbers(batch, text("found"), "I", 4);
    if (!number || !address || !size || !refcount || !found)
        return;
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        uint32_t node = (uint32_t)lg__sequence_number(nodes, i);
        number[i] = node;
        address[i] = lg_columns_address(columns, node);
        size[i] = (int64_t)lg_node_size(graph, node);
        refcount[i] = lg_columns_refcount(columns, node);
        found[i] = lg_columns_found(columns, node);
    }
}

static void
add_node_texts(lg__arrow_batch *batch, const lg_graph *graph,
               const lg__sequence_object *nodes)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg__arrow_open(batch, text("type"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        uint32_t node = (uint32_t)lg__sequence_number(nodes, i);
        lg__arrow_add_text(batch,
                           lg_graph_type(graph, columns->type[node]).name);
    }
    lg__arrow_open(batch, text("text"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        lg_string own =
            lg_node_text(graph, (uint32_t)lg__sequence_number(nodes, i));
        if (own.length > 0)
            lg__arrow_add_text(batch, own);
        else
            lg__arrow_add_null(batch);
    }
    lg__arrow_open(batch, text("device"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        uint32_t node = (uint32_t)lg__sequence_number(nodes, i);
        lg__arrow_add_text(
            batch, lg_graph_device_name(graph, lg_node_device(graph, node)));
    }
}

static lg__arrow_batch *
nodes_batch(const lg_graph *graph, const lg__sequence_object *nodes)
{
    lg__arrow_batch *batch = lg__arrow_batch_new((size_t)nodes->range.length);
    add_node_numbers(batch, graph, nodes);
    add_node_texts(batch, graph, nodes);
    return batch;
}

static void
add_ends(lg__arrow_batch *batch, const lg_graph *graph,
         const lg__sequence_object *edges)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t *source = lg__arrow_numbers(batch, text("source"), "I", 4);
    uint32_t *target = lg__arrow_numbers(batch, text("target"), "I", 4);
    uint32_t last = 0;
    if (!source || !target)
        return;
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        uint64_t edge = lg__sequence_number(edges, i);
        bool near = columns->first_edge[last] <= edge;
        while (near && columns->first_edge[last + 1] <= edge &&
               columns->first_edge[last + 1] + 64 > edge)
            last++;
        if (!near || columns->first_edge[last + 1] <= edge)
            last = lg_edge_source(graph, edge);
        source[i] = last;
        target[i] = columns->edge_target[edge];
    }
}

static void
add_labels(lg__arrow_batch *batch, const lg_graph *graph,
           const lg__sequence_object *edges)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_text label = {0};
    lg__arrow_open(batch, text("kind"), "u");
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        uint8_t kind = columns->edge_kind[lg__sequence_number(edges, i)];
        lg__arrow_add_text(batch,
                           text(lg_edge_kind_name(kind & LG_EDGE_KIND_MASK)));
    }
    lg__arrow_open(batch, text("label"), "u");
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        label.length = 0;
        lg_edge_label(graph, lg__sequence_number(edges, i), &label);
        lg__arrow_add_text(batch, text_of(&label));
    }
    lg_text_free(&label);
    lg__arrow_open(batch, text("weak"), "b");
    for (Py_ssize_t i = 0; i < edges->range.length; i++)
        lg__arrow_add_value(batch,
                            (columns->edge_kind[lg__sequence_number(edges, i)] &
                             LG_EDGE_WEAK) != 0);
}

static lg__arrow_batch *
edges_batch(const lg_graph *graph, const lg__sequence_object *edges)
{
    lg__arrow_batch *batch = lg__arrow_batch_new((size_t)edges->range.length);
    add_ends(batch, graph, edges);
    add_labels(batch, graph, edges);
    return batch;
}

typedef lg__arrow_batch *batch_of(const lg_graph *,
                                  const lg__sequence_object *);

static PyObject *
sequence_arrow(const lg__sequence_object *of, batch_of *make)
{
    lg_graph *graph = lg__snapshot_acquire(of->snapshot);
    if (graph == NULL)
        return NULL;
    lg__arrow_batch *batch;
    Py_BEGIN_ALLOW_THREADS
    batch = make(graph, of);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(of->snapshot);
    return lg__arrow_stream(batch);
}

/* Takes the columns from an empty sequence. */
static PyObject *
sequence_schema(const lg__sequence_object *of, batch_of *make)
{
    lg__sequence_object none = *of;
    none.range.length = 0;
    lg_graph *graph = lg__snapshot_graph(of->snapshot);
    return graph ? lg__arrow_schema(make(graph, &none)) : NULL;
}

PyObject *
lg__nodes_arrow(PyObject *self, PyObject *args)
{
    return takes_schema(args)
               ? sequence_arrow((lg__sequence_object *)self, nodes_batch)
               : NULL;
}

PyObject *
lg__nodes_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return sequence_schema((lg__sequence_object *)self, nodes_batch);
}

PyObject *
lg__edges_arrow(PyObject *self, PyObject *args)
{
    return takes_schema(args)
               ? sequence_arrow((lg__sequence_object *)self, edges_batch)
               : NULL;
}

PyObject *
lg__edges_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return sequence_schema((lg__sequence_object *)self, edges_batch);
}

static void
add_dominators(lg__arrow_batch *batch, const lg_analysis *analysis,
               uint32_t count)
{
    lg__arrow_open(batch, text("node"), "l");
    for (uint32_t node = 0; node < count; node++)
        lg__arrow_add_value(batch, node);
    lg__arrow_open(batch, text("dominator"), "l");
    for (uint32_t node = 0; node < count; node++) {
        lg_node dominator = lg_node_owner(analysis, node);
        if (dominator < count)
            lg__arrow_add_value(batch, dominator);
        else
            lg__arrow_add_null(batch);
    }
    lg__arrow_open(batch, text("reachable"), "b");
    for (uint32_t node = 0; node < count; node++)
        lg__arrow_add_value(batch, lg_node_is_reachable(analysis, node));
}

static void
add_retained(lg__arrow_batch *batch, const lg_analysis *analysis,
             uint32_t count)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t devices = lg_graph_device_count(graph);
    lg__arrow_open(batch, text("retained"), "+s");
    for (uint32_t device = 0; device <= devices; device++) {
        lg__arrow_open(batch, lg_graph_device_name(graph, device), "l");
        for (uint32_t node = 0; node < count; node++)
            lg__arrow_add_value(batch,
                                lg_node_retained_on(analysis, node, device));
    }
    lg__arrow_end(batch);
}

PyObject *
lg__snapshot_retained_arrow(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    const lg_analysis *analysis = lg__analysis_get(snapshot);
    if (analysis == NULL ||
        (analysis = lg__analysis_acquire(snapshot, NULL)) == NULL)
        return NULL;
    uint32_t count = lg_graph_columns(lg_analysis_graph(analysis))->node_count;
    lg__arrow_batch *batch;
    Py_BEGIN_ALLOW_THREADS
    batch = lg__arrow_batch_new(count);
    add_dominators(batch, analysis, count);
    add_retained(batch, analysis, count);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    return lg__arrow_stream(batch);
}

/* The rows of a table without headings. */
typedef struct row_list {
    const lg_table *table;
    const size_t *rows;
    size_t count;
} row_list;

static void
add_size(lg__arrow_batch *batch, const row_list *from, size_t column)
{
    for (uint32_t device = 0; device <= lg_table_device_count(from->table);
         device++) {
        lg__arrow_open(batch, lg_table_device_name(from->table, device), "l");
        for (size_t i = 0; i < from->count; i++) {
            lg_cell cell = lg_table_cell(from->table, from->rows[i], column);
            if (cell.present)
                lg__arrow_add_value(batch, cell.size[device]);
            else
                lg__arrow_add_null(batch);
        }
    }
    lg__arrow_end(batch);
}

/* Makes counts and bytes signed, so that a query can subtract them. */
static const char *
format_of(lg_column_type type)
{
    switch (type) {
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
    case LG_COLUMN_NUMBERS:
        return "u";
    case LG_COLUMN_SHARE:
    case LG_COLUMN_REAL:
        return "g";
    case LG_COLUMN_BOOL:
        return "b";
    case LG_COLUMN_SIZE:
        return "+s";
    case LG_COLUMN_LIST:
    case LG_COLUMN_RECORD:
        return NULL;
    default:
        return "l";
    }
}

/* Writes several numbers as a text: `256, 64`. */
static void
add_several(lg__arrow_batch *batch, const lg_cell *cell)
{
    lg_text several = {0};
    for (uint64_t i = 0; cell->numbers && i < cell->count; i++)
        lg_text_addf(&several, i > 0 ? ", %llu" : "%llu",
                     (unsigned long long)cell->numbers[i]);
    lg__arrow_add_text(batch, cell->numbers ? text_of(&several) : cell->text);
    lg_text_free(&several);
}

static uint64_t
bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void
add_cell(lg__arrow_batch *batch, lg_column_type type, const lg_cell *cell)
{
    if (!cell->present)
        lg__arrow_add_null(batch);
    else if (type == LG_COLUMN_TEXT || type == LG_COLUMN_PATH)
        lg__arrow_add_text(batch, cell->text);
    else if (type == LG_COLUMN_NUMBERS)
        add_several(batch, cell);
    else if (type == LG_COLUMN_NUMBER)
        lg__arrow_add_value(batch, (uint64_t)cell->number);
    else if (type == LG_COLUMN_SHARE || type == LG_COLUMN_REAL)
        lg__arrow_add_value(
            batch, bits_of(type == LG_COLUMN_SHARE ? cell->share : cell->real));
    else
        lg__arrow_add_value(batch,
                            type == LG_COLUMN_NODE ? cell->node : cell->count);
}

static void
add_column(lg__arrow_batch *batch, const row_list *from, size_t number)
{
    lg_column column = lg_table_column(from->table, number);
    const char *format = column.data ? format_of(column.type) : NULL;
    if (format == NULL)
        return;
    lg__arrow_open(batch, column.name, format);
    if (column.type == LG_COLUMN_SIZE) {
        add_size(batch, from, number);
        return;
    }
    for (size_t i = 0; i < from->count; i++) {
        lg_cell cell = lg_table_cell(from->table, from->rows[i], number);
        add_cell(batch, column.type, &cell);
    }
}

PyObject *
lg__result_arrow(PyObject *self, PyObject *args)
{
    const lg__result_object *result = (const lg__result_object *)self;
    if (!takes_schema(args))
        return NULL;
    if (result->table == NULL)
        return rows_arrow(result);
    row_list from = {.table = result->table};
    size_t *rows = lg__result_row_numbers(result->table, &from.count);
    if (rows == NULL)
        return NULL;
    from.rows = rows;
    lg__arrow_batch *batch = lg__arrow_batch_new(from.count);
    for (size_t i = 0; i < lg_table_column_count(result->table); i++)
        add_column(batch, &from, i);
    free(rows);
    return lg__arrow_stream(batch);
}

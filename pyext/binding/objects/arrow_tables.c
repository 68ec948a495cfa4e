/**
 * Tables for Arrow's C data interface
 * (https://arrow.apache.org/docs/format/CDataInterface.html), through which
 * libraries of data frames exchange data without knowing each other. A batch
 * copies what it is given, so it outlives the snapshot, and any thread may
 * release it.
 */
#include "binding/objects/arrow_tables.h"
#include "binding/objects/handle.h"
#include "binding/objects/py_analysis.h"
#include "binding/objects/result.h"
#include "capture/common/capture_common.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/path.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

typedef struct arrow_column {
    char *name;
    char format[4];
    uint32_t parent;   /* 1 + its index; 0: the batch */
    uint8_t *validity; /* one bit for each row, made with the first null */
    char *values;      /* numbers, bits, or the offsets of texts */
    char *bytes;       /* of texts */
    size_t bytes_length;
    size_t bytes_room;
    size_t count;
    size_t nulls;
} arrow_column;

typedef struct arrow_batch {
    size_t rows;
    arrow_column columns[MOST_COLUMNS];
    uint32_t count;
    uint32_t within; /* 1 + the index of the open record; 0: none */
    bool failed;
    bool taken; /* the batch was handed out */
} arrow_batch;

/* NULL: memory ran out. A batch remembers that, and its stream raises it. */
static arrow_batch *
batch_new(size_t rows)
{
    arrow_batch *batch = calloc(1, sizeof *batch);
    if (batch != NULL)
        batch->rows = rows;
    return batch;
}

static void
batch_free(arrow_batch *batch)
{
    for (uint32_t i = 0; batch != NULL && i < batch->count; i++) {
        arrow_column *one = &batch->columns[i];
        free(one->name);
        free(one->validity);
        free(one->values);
        free(one->bytes);
    }
    free(batch);
}

static size_t
width_of(const char *format)
{
    return strchr("Lglu", *format) ? 8 : *format == 'I' ? 4 : 1;
}

/* Texts have 64-bit offsets (Arrow's "U"), so that a column of any size
   fits. */
static arrow_column *
new_column(arrow_batch *batch, lg_string name, const char *format, size_t width)
{
    if (batch == NULL || batch->count == MOST_COLUMNS)
        return NULL;
    arrow_column *one = &batch->columns[batch->count++];
    strcpy(one->format, *format == 'u' ? "U" : format);
    one->parent = batch->within;
    one->name = strndup(name.data, name.length);
    one->values = calloc(batch->rows + 1, width);
    batch->failed |= one->name == NULL || one->values == NULL;
    return one;
}

/* Adds a column of numbers and returns the place of its values, of all rows;
   NULL: memory ran out. The format is Arrow's: "I" is uint32_t, "L" uint64_t,
   "l" int64_t, "g" double, "C" uint8_t. */
static void *
add_numbers(arrow_batch *batch, lg_string name, const char *format,
            size_t width)
{
    arrow_column *one = new_column(batch, name, format, width);
    if (one == NULL)
        return NULL;
    one->count = batch->rows;
    return one->values;
}

/* Opens a column whose values come row by row: "u" is text, "L", "l" and "g" as
   above, "b" a truth value, "+s" a record, whose fields are the columns opened
   next, up to close_record. */
static void
open_column(arrow_batch *batch, lg_string name, const char *format)
{
    bool record = *format == '+';
    arrow_column *one = new_column(batch, name, format, width_of(format));
    if (one != NULL && record) {
        one->count = batch->rows;
        batch->within = batch->count;
    }
}

static void
close_record(arrow_batch *batch)
{
    if (batch != NULL)
        batch->within = 0;
}

/* The open column, if it has a row left to fill. */
static arrow_column *
current(arrow_batch *batch)
{
    if (batch == NULL || batch->failed)
        return NULL;
    arrow_column *one = &batch->columns[batch->count - 1];
    return one->count < batch->rows ? one : NULL;
}

static bool
make_room(arrow_column *one, size_t more)
{
    if (one->bytes_length + more <= one->bytes_room)
        return true;
    size_t room = 2 * (one->bytes_length + more) + 64;
    char *bytes = realloc(one->bytes, room);
    if (bytes != NULL) {
        one->bytes = bytes;
        one->bytes_room = room;
    }
    return bytes != NULL;
}

static void
end_text(arrow_column *one)
{
    int64_t end = (int64_t)one->bytes_length;
    memcpy(one->values + 8 * ++one->count, &end, sizeof end);
}

static void
append_text(arrow_batch *batch, lg_string text)
{
    arrow_column *one = current(batch);
    if (one == NULL)
        return;
    if (!make_room(one, text.length)) {
        batch->failed = true;
        return;
    }
    if (text.length > 0)
        memcpy(one->bytes + one->bytes_length, text.data, text.length);
    one->bytes_length += text.length;
    end_text(one);
}

static void
append_value(arrow_batch *batch, uint64_t bits)
{
    arrow_column *one = current(batch);
    if (one == NULL)
        return;
    if (*one->format == 'b')
        one->values[one->count / 8] |= (char)((bits & 1) << one->count % 8);
    else
        memcpy(one->values + 8 * one->count, &bits, sizeof bits);
    one->count++;
}

static void
append_null(arrow_batch *batch)
{
    arrow_column *one = current(batch);
    if (one == NULL)
        return;
    if (one->validity == NULL) {
        one->validity = malloc(batch->rows / 8 + 1);
        if (one->validity == NULL) {
            batch->failed = true;
            return;
        }
        memset(one->validity, 0xff, batch->rows / 8 + 1);
    }
    one->validity[one->count / 8] &= (uint8_t) ~(1u << one->count % 8);
    one->nulls++;
    if (*one->format == 'U')
        end_text(one);
    else
        one->count++;
}

/* Hands batches out: streams and schemas of Arrow's C data interface. */

/* The specification defines these structures as a part of its ABI. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { NULLABLE = 2 };

static void
release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    free((void *)(uintptr_t)schema->name);
    free((void *)(uintptr_t)schema->format);
    schema->release = NULL;
}

static void
release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

static int64_t
count_children(const arrow_batch *batch, uint32_t parent)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        count += batch->columns[i].parent == parent;
    return count;
}

static bool
fill_schema(const arrow_batch *batch, uint32_t parent, const char *format,
            const char *name, struct ArrowSchema *out)
{
    int64_t count = count_children(batch, parent);
    *out = (struct ArrowSchema){.format = strdup(format),
                                .name = strdup(name),
                                .flags = NULLABLE,
                                .release = release_schema};
    out->children = calloc((size_t)count + 1, sizeof *out->children);
    bool fine = out->format && out->name && out->children;
    for (uint32_t i = 0; fine && i < batch->count; i++) {
        const arrow_column *one = &batch->columns[i];
        if (one->parent != parent)
            continue;
        struct ArrowSchema *child = calloc(1, sizeof *child);
        fine = child != NULL;
        if (!fine)
            break;
        out->children[out->n_children++] = child;
        bool record = *one->format == '+';
        fine = fill_schema(batch, record ? i + 1 : UINT32_MAX, one->format,
                           one->name, child);
    }
    return fine;
}

/* Hands over the buffers of a column. */
static bool
take_buffers(arrow_column *one, struct ArrowArray *out)
{
    bool text = *one->format == 'U', record = *one->format == '+';
    out->n_buffers = text ? 3 : record ? 1 : 2;
    out->buffers = calloc(3, sizeof *out->buffers);
    if (out->buffers == NULL) {
        out->n_buffers = 0;
        return false;
    }
    out->buffers[0] = one->validity;
    if (record)
        free(one->values);
    else
        out->buffers[1] = one->values;
    if (text)
        out->buffers[2] = one->bytes ? one->bytes : calloc(1, 1);
    one->validity = NULL;
    one->values = one->bytes = NULL;
    return true;
}

static bool
fill_array(arrow_batch *batch, uint32_t parent, arrow_column *own,
           struct ArrowArray *out)
{
    arrow_column whole = {.format = "+s"};
    int64_t count = count_children(batch, parent);
    own = own ? own : &whole;
    *out = (struct ArrowArray){.length = (int64_t)batch->rows,
                               .null_count = (int64_t)own->nulls,
                               .release = release_array};
    out->children = calloc((size_t)count + 1, sizeof *out->children);
    bool fine = out->children != NULL && take_buffers(own, out);
    for (uint32_t i = 0; fine && i < batch->count; i++) {
        arrow_column *one = &batch->columns[i];
        if (one->parent != parent)
            continue;
        struct ArrowArray *child = calloc(1, sizeof *child);
        fine = child != NULL;
        if (!fine)
            break;
        out->children[out->n_children++] = child;
        bool record = *one->format == '+';
        fine = fill_array(batch, record ? i + 1 : UINT32_MAX, one, child);
    }
    return fine;
}

static int
get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    if (fill_schema(stream->private_data, 0, "+s", "", out))
        return 0;
    release_schema(out);
    return ENOMEM;
}

static int
get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    arrow_batch *batch = stream->private_data;
    if (batch->taken) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    /* The batch still owns, and frees, what was not handed over. */
    batch->taken = fill_array(batch, 0, NULL, out);
    if (!batch->taken)
        release_array(out);
    return batch->taken ? 0 : ENOMEM;
}

static const char *
get_last_error(struct ArrowArrayStream *Py_UNUSED(stream))
{
    return "memory ran out";
}

static void
release_stream(struct ArrowArrayStream *stream)
{
    batch_free(stream->private_data);
    stream->release = NULL;
}

static void
drop_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream != NULL && stream->release != NULL)
        stream->release(stream);
    free(stream);
}

// The capsule that `__arrow_c_stream__` returns: a stream of one batch. Takes
// over the batch, on failure too.
static PyObject *
arrow_stream(arrow_batch *batch)
{
    struct ArrowArrayStream *stream = malloc(sizeof *stream);
    if (batch == NULL || batch->failed || stream == NULL) {
        free(stream);
        batch_free(batch);
        return PyErr_NoMemory();
    }
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error,
                                        release_stream, batch};
    PyObject *capsule =
        PyCapsule_New(stream, "arrow_array_stream", drop_capsule);
    if (capsule == NULL) {
        release_stream(stream);
        free(stream);
    }
    return capsule;
}

static void
drop_schema(PyObject *capsule)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
    free(schema);
}

// The capsule that `__arrow_c_schema__` returns: the columns of a batch. Frees
// the batch, on failure too. Its rows do not matter, so it may have none.
static PyObject *
schema_fill(arrow_batch *batch)
{
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    bool fine = batch != NULL && !batch->failed && schema != NULL &&
                fill_schema(batch, 0, "+s", "", schema);
    batch_free(batch);
    PyObject *capsule = fine
                            ? PyCapsule_New(schema, "arrow_schema", drop_schema)
                            : PyErr_NoMemory();
    if (capsule == NULL && schema != NULL && schema->release != NULL)
        schema->release(schema);
    if (capsule == NULL)
        free(schema);
    return capsule;
}

static lg_string
text(const char *name)
{
    return (lg_string){name, (uint32_t)strlen(name)};
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
add_node_numbers(arrow_batch *batch, const lg_graph *graph,
                 const lg__sequence_object *nodes)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t *number = add_numbers(batch, text("node"), "I", 4);
    uint64_t *address = add_numbers(batch, text("address"), "L", 8);
    int64_t *size = add_numbers(batch, text("size"), "l", 8);
    uint32_t *refcount = add_numbers(batch, text("refcount"), "I", 4);
    uint32_t *found = add_numbers(batch, text("found"), "I", 4);
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
add_node_texts(arrow_batch *batch, const lg_graph *graph,
               const lg__sequence_object *nodes)
{
    const lg_columns *columns = lg_graph_columns(graph);
    open_column(batch, text("type"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        uint32_t node = (uint32_t)lg__sequence_number(nodes, i);
        append_text(batch,
                    lg_graph_type(graph, lg_columns_type(columns, node)).name);
    }
    open_column(batch, text("text"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        lg_string own =
            lg_node_text(graph, (uint32_t)lg__sequence_number(nodes, i));
        if (own.length > 0)
            append_text(batch, own);
        else
            append_null(batch);
    }
    open_column(batch, text("device"), "u");
    for (Py_ssize_t i = 0; i < nodes->range.length; i++) {
        uint32_t node = (uint32_t)lg__sequence_number(nodes, i);
        append_text(batch,
                    lg_graph_device_name(graph, lg_node_device(graph, node)));
    }
}

static arrow_batch *
nodes_batch(const lg_graph *graph, const lg__sequence_object *nodes)
{
    arrow_batch *batch = batch_new((size_t)nodes->range.length);
    add_node_numbers(batch, graph, nodes);
    add_node_texts(batch, graph, nodes);
    return batch;
}

static void
add_ends(arrow_batch *batch, const lg_graph *graph,
         const lg__sequence_object *edges)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t *source = add_numbers(batch, text("source"), "I", 4);
    uint32_t *target = add_numbers(batch, text("target"), "I", 4);
    uint32_t last = 0;
    if (!source || !target)
        return;
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        uint64_t edge = lg__sequence_number(edges, i);
        bool near = lg_columns_first_edge(columns, last) <= edge;
        while (near && lg_columns_first_edge(columns, last + 1) <= edge &&
               lg_columns_first_edge(columns, last + 1) + 64 > edge)
            last++;
        if (!near || lg_columns_first_edge(columns, last + 1) <= edge)
            last = lg_edge_source(graph, edge);
        source[i] = last;
        target[i] = lg_columns_target(columns, edge);
    }
}

static void
add_labels(arrow_batch *batch, const lg_graph *graph,
           const lg__sequence_object *edges)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_text label = {0};
    open_column(batch, text("kind"), "u");
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        uint8_t kind = lg_columns_kind(columns, lg__sequence_number(edges, i));
        append_text(batch, text(lg_edge_kind_name(kind & LG_EDGE_KIND_MASK)));
    }
    open_column(batch, text("label"), "u");
    for (Py_ssize_t i = 0; i < edges->range.length; i++) {
        label.length = 0;
        lg_edge_label(graph, lg__sequence_number(edges, i), &label);
        append_text(batch, text_of(&label));
    }
    lg_text_free(&label);
    open_column(batch, text("weak"), "b");
    for (Py_ssize_t i = 0; i < edges->range.length; i++)
        append_value(batch,
                     (lg_columns_kind(columns, lg__sequence_number(edges, i)) &
                      LG_EDGE_WEAK) != 0);
}

static arrow_batch *
edges_batch(const lg_graph *graph, const lg__sequence_object *edges)
{
    arrow_batch *batch = batch_new((size_t)edges->range.length);
    add_ends(batch, graph, edges);
    add_labels(batch, graph, edges);
    return batch;
}

static arrow_batch *
sequence_batch(const lg_graph *graph, const lg__sequence_object *of)
{
    return of->item == LG__TYPE_EDGE ? edges_batch(graph, of)
                                     : nodes_batch(graph, of);
}

PyObject *
lg__sequence_arrow(PyObject *self, PyObject *args)
{
    const lg__sequence_object *of = (lg__sequence_object *)self;
    if (!takes_schema(args))
        return NULL;
    lg_graph *graph = lg__snapshot_acquire(of->snapshot);
    if (graph == NULL)
        return NULL;
    arrow_batch *batch;
    Py_BEGIN_ALLOW_THREADS
    batch = sequence_batch(graph, of);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(of->snapshot);
    return arrow_stream(batch);
}

/* Takes the columns from an empty sequence. */
PyObject *
lg__sequence_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    lg__sequence_object none = *(lg__sequence_object *)self;
    none.range.length = 0;
    lg_graph *graph = lg__snapshot_graph(none.snapshot);
    return graph ? schema_fill(sequence_batch(graph, &none)) : NULL;
}

static void
add_dominators(arrow_batch *batch, const lg_analysis *analysis, uint32_t count)
{
    open_column(batch, text("node"), "l");
    for (uint32_t node = 0; node < count; node++)
        append_value(batch, node);
    open_column(batch, text("dominator"), "l");
    for (uint32_t node = 0; node < count; node++) {
        lg_node dominator = lg_node_owner(analysis, node);
        if (dominator < count)
            append_value(batch, dominator);
        else
            append_null(batch);
    }
    open_column(batch, text("reachable"), "b");
    for (uint32_t node = 0; node < count; node++)
        append_value(batch, lg_node_is_reachable(analysis, node));
}

static void
add_retained(arrow_batch *batch, const lg_analysis *analysis, uint32_t count)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t devices = lg_graph_device_count(graph);
    open_column(batch, text("retained"), "+s");
    for (uint32_t device = 0; device <= devices; device++) {
        open_column(batch, lg_graph_device_name(graph, device), "l");
        for (uint32_t node = 0; node < count; node++)
            append_value(batch, lg_node_retained_on(analysis, node, device));
    }
    close_record(batch);
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
    arrow_batch *batch;
    Py_BEGIN_ALLOW_THREADS
    batch = batch_new(count);
    add_dominators(batch, analysis, count);
    add_retained(batch, analysis, count);
    Py_END_ALLOW_THREADS
    lg__snapshot_release(snapshot);
    return arrow_stream(batch);
}

/* The rows of a table without headings. */
typedef struct row_list {
    const lg_table *table;
    const size_t *rows;
    size_t count;
} row_list;

static void
add_size(arrow_batch *batch, const row_list *from, size_t column)
{
    for (uint32_t device = 0; device <= lg_table_device_count(from->table);
         device++) {
        open_column(batch, lg_table_device_name(from->table, device), "l");
        for (size_t i = 0; i < from->count; i++) {
            lg_cell cell = lg_table_cell(from->table, from->rows[i], column);
            if (cell.present)
                append_value(batch, cell.size[device]);
            else
                append_null(batch);
        }
    }
    close_record(batch);
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
add_several(arrow_batch *batch, const lg_cell *cell)
{
    lg_text several = {0};
    for (uint64_t i = 0; cell->numbers && i < cell->count; i++)
        lg_text_addf(&several, i > 0 ? ", %llu" : "%llu",
                     (unsigned long long)cell->numbers[i]);
    append_text(batch, cell->numbers ? text_of(&several) : cell->text);
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
add_cell(arrow_batch *batch, lg_column_type type, const lg_cell *cell)
{
    if (!cell->present)
        append_null(batch);
    else if (type == LG_COLUMN_TEXT || type == LG_COLUMN_PATH)
        append_text(batch, cell->text);
    else if (type == LG_COLUMN_NUMBERS)
        add_several(batch, cell);
    else if (type == LG_COLUMN_NUMBER)
        append_value(batch, (uint64_t)cell->number);
    else if (type == LG_COLUMN_SHARE || type == LG_COLUMN_REAL)
        append_value(
            batch, bits_of(type == LG_COLUMN_SHARE ? cell->share : cell->real));
    else
        append_value(batch, type == LG_COLUMN_NODE ? cell->node : cell->count);
}

static void
add_column(arrow_batch *batch, const row_list *from, size_t number)
{
    lg_column column = lg_table_column(from->table, number);
    const char *format = column.data ? format_of(column.type) : NULL;
    if (format == NULL)
        return;
    open_column(batch, column.name, format);
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
    row_list from = {.table = result->table};
    size_t *rows = lg__result_row_numbers(result->table, &from.count);
    if (rows == NULL)
        return NULL;
    from.rows = rows;
    arrow_batch *batch = batch_new(from.count);
    for (size_t i = 0; i < lg_table_column_count(result->table); i++)
        add_column(batch, &from, i);
    free(rows);
    return arrow_stream(batch);
}

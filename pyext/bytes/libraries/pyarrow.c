/**
 * Arrays, tables and buffers of pyarrow, which keeps all its memory in C++. The
 * addresses and sizes come from its public interface.
 */
#include "bytes/libraries/pyarrow.h"
#include "bytes/common/bytes_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
find_types(PyObject *module, lg__arrow *out)
{
    const struct {
        const char *name;
        PyTypeObject **type;
    } wanted[] = {
        {"Buffer", &out->buffer},
        {"Array", &out->array},
        {"DictionaryArray", &out->dictionary},
        {"ChunkedArray", &out->chunked},
        {"Table", &out->table},
        {"RecordBatch", &out->batch},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        PyObject *found = lg__pass_member(module, wanted[i].name);
        if (found == NULL || !PyType_Check(found))
            return false;
        *wanted[i].type = (PyTypeObject *)found;
    }
    return true;
}

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    PyObject *module = lg__pass_module("pyarrow.lib");
    lg__arrow *arrow =
        module != NULL ? lg__pass_keep(pass, sizeof *arrow) : NULL;
    if (arrow == NULL)
        return false;
    if (!find_types(module, arrow)) {
        lg__pass_note(pass,
                      "not inspected: pyarrow %s lacks classes "
                      "that leakgraph knows",
                      lg__ask_version("pyarrow"));
        return false;
    }
    arrow->memory = lg__memory_open(pass);
    if (arrow->memory == NULL)
        return false;
    arrow->layout = lg__arrow_layout_find(module, arrow->memory);
    lg__arrow_ask_pool(pass);
    lg__pass_note(pass, "inspected: %s", lg__ask_version("pyarrow"));
    *out = arrow;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const lg__arrow *arrow = context;
    return PyType_IsSubtype(type, arrow->array)     ? LG__ARROW_ARRAY
           : PyType_IsSubtype(type, arrow->buffer)  ? LG__ARROW_BUFFER
           : PyType_IsSubtype(type, arrow->chunked) ? LG__ARROW_CHUNKED
           : PyType_IsSubtype(type, arrow->table) ||
                   PyType_IsSubtype(type, arrow->batch)
               ? LG__ARROW_TABLE
               : 0;
}

void
lg__arrow_add_fact(const lg__arrow_holder *to, const char *key,
                   const char *value)
{
    lg_builder_add_fact(lg__pass_builder(to->pass), to->instance->node, key,
                        value, strlen(value));
}

static void
format_bytes(const lg__arrow_holder *to, uint64_t bytes)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    lg__arrow_add_fact(to, "bytes", text);
}

static void
add_bytes(const lg__arrow_holder *to, const char *attribute)
{
    uint64_t bytes;
    if (lg__ask_number(lg__arrow_get(to->instance->object, attribute), &bytes))
        format_bytes(to, bytes);
}

static bool
is_chunked(const lg__arrow_holder *to, PyObject *object)
{
    return PyType_IsSubtype(Py_TYPE(object), to->arrow->chunked);
}

uint32_t
lg__arrow_format_array(const lg__arrow_holder *to, const char *type,
                       uint64_t length, const char *column)
{
    char text[160];
    int written = snprintf(text, sizeof text, "%.60s%s%s[%" PRIu64 "]", column,
                           column[0] ? ": " : "", type, length);
    return lg_builder_intern(lg__pass_builder(to->pass), text, (size_t)written);
}

uint32_t
lg__arrow_column_label(const lg__arrow_holder *to, const char *name)
{
    char label[96];
    int length = snprintf(label, sizeof label, "column %.80s", name);
    return lg_builder_intern(lg__pass_builder(to->pass), label, (size_t)length);
}

void
lg__arrow_describe_table(const lg__arrow_holder *to, uint64_t rows,
                         size_t columns)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%" PRIu64 "x%zu", rows, columns);
    lg_builder_set_text(lg__pass_builder(to->pass), to->instance->node, text,
                        (size_t)length);
}

void
lg__arrow_list_column(lg__arrow_columns *list, const char *name)
{
    int length =
        snprintf(list->text + list->length, sizeof list->text - list->length,
                 "%s%.60s", list->listed > 0 ? ", " : "", name);
    list->length += (size_t)length;
    list->listed++;
}

void
lg__arrow_list_end(const lg__arrow_holder *to, lg__arrow_columns *list)
{
    if (list->count > list->listed)
        snprintf(list->text + list->length, sizeof list->text - list->length,
                 " ... (%zu columns)", list->count);
    if (list->listed > 0)
        lg__arrow_add_fact(to, "columns", list->text);
}

static uint32_t
format_array(const lg__arrow_holder *to, PyObject *array, const char *type,
             const char *column)
{
    return lg__arrow_format_array(to, type, (uint64_t)lg__arrow_length(array),
                                  column);
}

static void
describe_array(lg__arrow_holder *to)
{
    PyObject *array = to->instance->object;
    lg__arrow_form form = is_chunked(to, array)
                              ? lg__arrow_form_of_chunks(array)
                              : lg__arrow_form_of_array(array);
    char length[24];
    snprintf(length, sizeof length, "%zd", lg__arrow_length(array));
    lg__arrow_add_fact(to, "dtype", form.text);
    lg__arrow_add_fact(to, "shape", length);
    add_bytes(to, "nbytes");
    to->text = format_array(to, array, form.text, "");
    lg_builder_set_text_id(lg__pass_builder(to->pass), to->instance->node,
                           to->text);
}

/** Charges one column under its name. */
static bool
add_column(lg__arrow_holder *to, PyObject *column, const char *name)
{
    to->label = lg__arrow_column_label(to, name);
    lg__arrow_form form = is_chunked(to, column)
                              ? lg__arrow_form_of_chunks(column)
                              : lg__arrow_form_of_array(column);
    to->text = format_array(to, column, form.text, name);
    return is_chunked(to, column) ? lg__arrow_add_chunks(to, column)
                                  : lg__arrow_add_array(to, column);
}

/** Writes `300x5`, and the columns' names as a fact. */
static void
describe_table(const lg__arrow_holder *to, PyObject *names)
{
    Py_ssize_t count = PyList_GET_SIZE(names);
    lg__arrow_columns columns = {.count = (size_t)count};
    uint64_t rows = 0;
    lg__ask_number(lg__arrow_get(to->instance->object, "num_rows"), &rows);
    lg__arrow_describe_table(to, rows, (size_t)count);
    for (Py_ssize_t i = 0; i < count && i < LG__ARROW_NAMES_SHOWN; i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
        PyErr_Clear();
        lg__arrow_list_column(&columns, name != NULL ? name : "?");
    }
    lg__arrow_list_end(to, &columns);
}

/** Charges the columns, and sums their bytes up: a table would do that with
 *  generators, of which Cython keeps some. Leaves out the columns of a user's
 *  class, because making an object of one runs the user's code. */
static bool
add_plain_columns(lg__arrow_holder *to, PyObject *table, PyObject *names,
                  const struct lg__arrow_type *schema)
{
    PyObject *column = lg__arrow_get(table, "column");
    bool known = column != NULL, counted = known;
    uint64_t sum = 0;
    for (Py_ssize_t i = 0; column && i < PyList_GET_SIZE(names); i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
        uint64_t bytes = 0;
        PyErr_Clear();
        PyObject *at = lg__arrow_column_is_plain(schema, i)
                           ? lg__ask_callf(column, "(n)", i)
                           : NULL;
        counted = at != NULL && counted &&
                  lg__ask_number(lg__arrow_get(at, "nbytes"), &bytes);
        sum += bytes;
        known = at != NULL && add_column(to, at, name != NULL ? name : "?") &&
                known;
        Py_XDECREF(at);
    }
    if (counted)
        format_bytes(to, sum);
    Py_XDECREF(column);
    return known;
}

/** Slices the whole of the table, so that only the slice keeps what this reads:
 *  a batch caches it in its object. */
static bool
add_columns(lg__arrow_holder *to)
{
    PyObject *slice = lg__arrow_get(to->instance->object, "slice");
    PyObject *table = lg__ask_callf(slice, "(i)", 0);
    PyObject *schema = table != NULL ? lg__arrow_get(table, "schema") : NULL;
    PyObject *names = schema != NULL ? lg__arrow_get(schema, "names") : NULL;
    struct lg__arrow_type *columns =
        schema != NULL ? lg__arrow_schema_open(to->pass, schema) : NULL;
    bool known = names != NULL && PyList_Check(names);
    if (known)
        describe_table(to, names);
    known = known && columns != NULL &&
            add_plain_columns(to, table, names, columns);
    lg__arrow_schema_close(columns);
    Py_XDECREF(names);
    Py_XDECREF(schema);
    Py_XDECREF(table);
    Py_XDECREF(slice);
    return known;
}

static bool
ask_instance(lg__arrow_holder *to)
{
    PyObject *object = to->instance->object;
    switch (to->instance->kind) {
    case LG__ARROW_BUFFER:
        add_bytes(to, "size");
        return lg__arrow_add_buffer(to, object);
    case LG__ARROW_ARRAY:
        describe_array(to);
        return lg__arrow_add_array(to, object);
    case LG__ARROW_CHUNKED:
        describe_array(to);
        return lg__arrow_add_chunks(to, object);
    default:
        return add_columns(to);
    }
}

/** Charges all new instances by one of the two ways. */
static void
charge_all(lg__adapter_pass *pass, lg__arrow *arrow,
           bool (*charge)(lg__arrow_holder *to))
{
    static const char why[] = "pyarrow does not report its memory";
    lg_builder *builder = lg__pass_builder(pass);
    lg__instance instance;
    while (lg__pass_next(pass, &instance)) {
        if (arrow->mappings.items == NULL)
            arrow->mappings = lg__mappings_read(pass);
        lg__arrow_holder to = {
            .pass = pass,
            .arrow = arrow,
            .instance = &instance,
            .label = lg_builder_intern(builder, "data", 4),
        };
        if (!instance.frontier && lg__arrow_is_filled(instance.object) &&
            !charge(&to))
            lg_builder_add_fact(builder, instance.node, "not inspected", why,
                                sizeof why - 1);
    }
}

static void
ask(lg__adapter_pass *pass, void *arrow)
{
    charge_all(pass, arrow, ask_instance);
}

/** Reads the instances where `ask` will not come. */
static void
scan(lg__adapter_pass *pass, void *context)
{
    lg__arrow *arrow = context;
    if (lg__pass_will_ask(pass))
        return;
    if (arrow->layout == NULL)
        lg__pass_note(pass, "not inspected: pyarrow's code may not run in a "
                            "forked child, and its layout is not known");
    else
        charge_all(pass, arrow, lg__arrow_read);
}

static void
finish(void *state)
{
    (void)state;
}

const lg__adapter lg__pyarrow_adapter = {
    .name = "pyarrow",
    .prepare = prepare,
    .kind = kind_of,
    .pass = scan,
    .ask = ask,
    .finish = finish,
};

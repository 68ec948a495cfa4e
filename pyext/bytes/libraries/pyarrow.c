/**
 * Arrays, tables and buffers of pyarrow, which keeps all its memory in C++. The
 * addresses and sizes come from its public interface.
 */
#include "bytes/libraries/pyarrow.h"
#include "bytes/common/bytes_common.h"

#include <leakgraph/internal/capture_builder.h>

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* pyarrow's pool: its allocator, and what that has in use and in memory. */

/** A Result<int64_t> of Arrow: the address of an error, and the number. The
 *  other words make the compiler return it through memory, as C++ does. */
typedef struct result {
    void *error;
    int64_t number;
    void *unused[2];
} result;

typedef result get_stat(const char *name);

/** Arrow's function for the counters of its jemalloc; NULL if there is none.
 *  Nothing but the module leads to the library that has it. */
static get_stat *
find_counters(PyObject *module)
{
    PyObject *file = lg__pass_member(module, "__file__");
    const char *path =
        file != NULL && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
    void *library = path != NULL ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    PyErr_Clear();
    if (library == NULL)
        return NULL;
    void *symbol = dlsym(library, "_ZN5arrow17jemalloc_get_statEPKc");
    dlclose(library);
    get_stat *function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/** Notes the pages that jemalloc has in memory, with what is free in them. */
static void
ask_jemalloc(lg__adapter_pass *pass, PyObject *module)
{
    get_stat *counters = find_counters(module);
    char text[24];
    if (counters == NULL)
        return;
    result pages = counters("stats.resident");
    if (pages.error != NULL || pages.number <= 0)
        return;
    snprintf(text, sizeof text, "%" PRId64, pages.number);
    lg_builder_set_info(lg__pass_builder(pass), "memory.jemalloc", text);
}

/** Notes which allocator pyarrow's pool uses. */
static void
ask_allocator(lg__adapter_pass *pass, PyObject *module)
{
    PyObject *pool = lg__ask_method(module, "default_memory_pool");
    PyObject *name =
        pool != NULL ? lg__ask_attribute(pool, "backend_name") : NULL;
    const char *text =
        name != NULL && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    if (text != NULL)
        lg_builder_set_info(lg__pass_builder(pass), "memory.pyarrow_allocator",
                            text);
    if (text != NULL && strcmp(text, "jemalloc") == 0)
        ask_jemalloc(pass, module);
    PyErr_Clear();
    Py_XDECREF(name);
    Py_XDECREF(pool);
}

/** Notes what pyarrow's pool has in use, for objects of the heap or others, and
 *  what its allocator keeps in memory. */
static void
arrow_ask_pool(lg__adapter_pass *pass)
{
    uint64_t bytes;
    char text[24];
    PyObject *module = lg__pass_module("pyarrow.lib");
    if (module == NULL)
        return;
    ask_allocator(pass, module);
    if (!lg__ask_number(lg__ask_method(module, "total_allocated_bytes"),
                        &bytes) ||
        bytes == 0)
        return;
    snprintf(text, sizeof text, "%" PRIu64, bytes);
    lg_builder_set_info(lg__pass_builder(pass), "memory.pyarrow", text);
}

/*
 * Reads arrays, tables and buffers of pyarrow from memory: in a forked child,
 * where pyarrow's code may not run.
 */

enum {
    PARENTS_MAX = 64,
    BUFFERS_MAX = 1 << 12,
    PARTS_MAX = 1 << 20,
    PENDING_MAX = 256,
    NAME_MAX_SHOWN = 80
};

/** An object that is being read. */
typedef struct reader {
    lg__arrow_holder to;
    const lg__arrow_layout *layout;
    lg__memory *memory;
} reader;

static uintptr_t
word_at(const reader *self, uintptr_t address)
{
    return lg__memory_word(self->memory, address);
}

/** Charges the memory of a buffer, or of the buffer that it is a slice of. */
static bool
add_buffer(const reader *self, uintptr_t buffer)
{
    const lg__arrow_layout *layout = self->layout;
    uintptr_t whole = buffer;
    for (int i = 0; i < PARENTS_MAX; i++) {
        uintptr_t parent = word_at(self, whole + layout->buffer_parent);
        if (parent == 0)
            break;
        whole = parent;
    }
    uintptr_t extent[2];
    if (!lg__arrow_buffer_is_cpu(self->memory, whole) ||
        !lg__memory_copy(self->memory, whole + layout->buffer_data, extent,
                         sizeof extent))
        return false;
    if (extent[0] != 0 && extent[1] > 0 && extent[1] < (uintptr_t)1 << 47)
        lg__arrow_add_span(&self->to, extent[0], extent[1], whole == buffer);
    return true;
}

static bool
add_buffers(const reader *self, uintptr_t data)
{
    uintptr_t begin;
    size_t count;
    if (!lg__arrow_vector(self->memory, data + self->layout->data_buffers,
                          BUFFERS_MAX, &begin, &count))
        return false;
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        uintptr_t buffer = lg__arrow_element(self->memory, begin, i);
        known = (buffer == 0 || add_buffer(self, buffer)) && known;
    }
    return known;
}

/** ArrayData that is yet to be read. */
typedef struct pending {
    uintptr_t data[PENDING_MAX];
    size_t count;
    bool full;
} pending;

static void
push(pending *to, uintptr_t data)
{
    if (data == 0)
        return;
    if (to->count < PENDING_MAX)
        to->data[to->count++] = data;
    else
        to->full = true;
}

static bool
push_parts(const reader *self, pending *to, uintptr_t data)
{
    uintptr_t begin;
    size_t count;
    push(to, word_at(self, data + self->layout->data_dictionary));
    if (!lg__arrow_vector(self->memory, data + self->layout->data_children,
                          PENDING_MAX, &begin, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        push(to, lg__arrow_element(self->memory, begin, i));
    return true;
}

/** Charges the buffers of an ArrayData, its children and its dictionary. The
 *  count of parts bounds what memory in the middle of a change can cost. */
static bool
add_data(const reader *self, uintptr_t data)
{
    pending state = {.count = 0};
    bool known = data != 0;
    push(&state, data);
    for (size_t i = 0; state.count > 0 && i < PARTS_MAX; i++) {
        uintptr_t at = state.data[--state.count];
        known = add_buffers(self, at) && push_parts(self, &state, at) && known;
    }
    return known && !state.full && state.count == 0;
}

static uintptr_t
data_of(const reader *self, uintptr_t array)
{
    return word_at(self, array + self->layout->array_data);
}

/** The name of the elements' type; empty if it has parameters. */
static const char *
type_of(const reader *self, uintptr_t data)
{
    uintptr_t type = word_at(self, data + self->layout->data_type);
    uint32_t id = (uint32_t)word_at(self, type + self->layout->type_id);
    return type != 0 && id < LG__ARROW_TYPES ? self->layout->types[id] : "";
}

/** What the chunks of a column have in common. */
typedef struct column_form {
    uintptr_t begin; /**< of the vector of Arrays */
    size_t count;
    uint64_t length;
    const char *type;
} column_form;

/** The id of the text `int64[3000]`, after the name of a column or "". */
static uint32_t
arrow_format_array(const lg__arrow_holder *to, const char *type,
                   uint64_t length, const char *column)
{
    char text[160];
    int written = snprintf(text, sizeof text, "%.60s%s%s[%" PRIu64 "]", column,
                           column[0] ? ": " : "", type, length);
    return lg_builder_intern(lg__pass_builder(to->pass), text, (size_t)written);
}

/** Gives the buffers their text: `int64[3000]`, after the name of a column. */
static void
name_buffers(reader *self, const char *type, uint64_t length,
             const char *column)
{
    self->to.text =
        *type ? arrow_format_array(&self->to, type, length, column) : 0;
}

static void
arrow_add_fact(const lg__arrow_holder *to, const char *key, const char *value)
{
    lg_builder_add_fact(lg__pass_builder(to->pass), to->instance->node, key,
                        value, strlen(value));
}

static void
note_bytes(const lg__arrow_holder *to, uint64_t bytes)
{
    lg_builder_add_fact_number(lg__pass_builder(to->pass), to->instance->node,
                               "bytes", bytes);
}

static void
account_array(reader *self, const char *type, uint64_t length)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, length);
    arrow_add_fact(&self->to, "shape", text);
    name_buffers(self, type, length, "");
    if (!*type)
        return;
    arrow_add_fact(&self->to, "dtype", type);
    lg_builder_set_text_id(lg__pass_builder(self->to.pass),
                           self->to.instance->node, self->to.text);
}

static bool
read_array(reader *self, uintptr_t array)
{
    uintptr_t data = data_of(self, array);
    if (data == 0)
        return false;
    account_array(self, type_of(self, data),
                  word_at(self, data + self->layout->data_length));
    return add_data(self, data);
}

static bool
open_chunks(const reader *self, uintptr_t chunked, column_form *out)
{
    *out = (column_form){.type = ""};
    if (!lg__arrow_vector(self->memory, chunked + self->layout->chunked_chunks,
                          PARTS_MAX, &out->begin, &out->count))
        return false;
    for (size_t i = 0; i < out->count; i++) {
        uintptr_t data =
            data_of(self, lg__arrow_element(self->memory, out->begin, i));
        if (data == 0)
            return false;
        out->length += word_at(self, data + self->layout->data_length);
        out->type = type_of(self, data);
    }
    return true;
}

static bool
add_chunks(const reader *self, const column_form *chunks)
{
    bool known = true;
    for (size_t i = 0; i < chunks->count; i++)
        known = add_data(self,
                         data_of(self, lg__arrow_element(self->memory,
                                                         chunks->begin, i))) &&
                known;
    return known;
}

static bool
read_chunks(reader *self, uintptr_t chunked)
{
    column_form chunks;
    if (!open_chunks(self, chunked, &chunks))
        return false;
    account_array(self, chunks.type, chunks.length);
    return add_chunks(self, &chunks);
}

/** The name of a column; false if it is not readable. */
static bool
read_name(const reader *self, uintptr_t fields, size_t i,
          char name[NAME_MAX_SHOWN + 1])
{
    uintptr_t begin, text[2];
    size_t count;
    if (!lg__arrow_vector(self->memory, fields, PARTS_MAX, &begin, &count) ||
        i >= count)
        return false;
    uintptr_t field = lg__arrow_element(self->memory, begin, i);
    if (!lg__memory_copy(self->memory, field + self->layout->field_name, text,
                         sizeof text))
        return false;
    size_t length = text[1] < NAME_MAX_SHOWN ? text[1] : NAME_MAX_SHOWN;
    name[length] = '\0';
    return lg__memory_copy(self->memory, text[0], name, length);
}

static uintptr_t
fields_of(const reader *self, uintptr_t table)
{
    uintptr_t schema = word_at(self, table + self->layout->table_schema);
    return word_at(self, schema + self->layout->schema_fields);
}

/** Adds the fact, unless there are no columns. */
static void
arrow_list_end(const lg__arrow_holder *to, lg__arrow_columns *list)
{
    if (list->count > list->listed)
        snprintf(list->text + list->length, sizeof list->text - list->length,
                 " ... (%zu columns)", list->count);
    if (list->listed > 0)
        arrow_add_fact(to, "columns", list->text);
}

static void
arrow_list_column(lg__arrow_columns *list, const char *name)
{
    int length =
        snprintf(list->text + list->length, sizeof list->text - list->length,
                 "%s%.60s", list->listed > 0 ? ", " : "", name);
    list->length += (size_t)length;
    list->listed++;
}

/** Gives a table its text, `300x5`. */
static void
arrow_describe_table(const lg__arrow_holder *to, uint64_t rows, size_t columns)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%" PRIu64 "x%zu", rows, columns);
    lg_builder_set_text(lg__pass_builder(to->pass), to->instance->node, text,
                        (size_t)length);
}

static void
account_table(const reader *self, uintptr_t table, size_t columns)
{
    char name[NAME_MAX_SHOWN + 1];
    lg__arrow_columns list = {.count = columns};
    uintptr_t fields = fields_of(self, table);
    arrow_describe_table(
        &self->to, word_at(self, table + self->layout->table_rows), columns);
    for (size_t i = 0; i < columns && i < LG__ARROW_NAMES_SHOWN; i++)
        arrow_list_column(&list, read_name(self, fields, i, name) ? name : "?");
    arrow_list_end(&self->to, &list);
}

/** The id of the name of an edge to a column's memory. */
static uint32_t
arrow_column_label(const lg__arrow_holder *to, const char *name)
{
    char label[96];
    int length = snprintf(label, sizeof label, "column %.80s", name);
    return lg_builder_intern(lg__pass_builder(to->pass), label, (size_t)length);
}

/** Charges one column under its name: chunks in a table, an ArrayData in a
 *  batch. */
static bool
account_column(reader *self, uintptr_t at, bool is_batch, const char *name)
{
    column_form chunks;
    self->to.label = arrow_column_label(&self->to, name);
    if (!is_batch) {
        if (!open_chunks(self, at, &chunks))
            return false;
        name_buffers(self, chunks.type, chunks.length, name);
        return add_chunks(self, &chunks);
    }
    name_buffers(self, type_of(self, at),
                 word_at(self, at + self->layout->data_length), name);
    return add_data(self, at);
}

/** Only tables of the classes whose layout is known, because these alone
 *  decide where their columns are. */
static bool
read_table(reader *self, uintptr_t table)
{
    const lg__arrow_layout *layout = self->layout;
    char name[NAME_MAX_SHOWN + 1];
    uintptr_t class = word_at(self, table), begin;
    size_t count;
    bool is_batch = class == layout->batch_class;
    if ((!is_batch && class != layout->table_class) ||
        !lg__arrow_vector(self->memory, table + layout->table_columns,
                          PARTS_MAX, &begin, &count))
        return false;
    account_table(self, table, count);
    uintptr_t fields = fields_of(self, table);
    bool known = true;
    for (size_t i = 0; i < count; i++)
        known = account_column(self, lg__arrow_element(self->memory, begin, i),
                               is_batch,
                               read_name(self, fields, i, name) ? name : "?") &&
                known;
    return known;
}

/** Charges an object as its memory has it; the layout must be known. False if
 *  it is not as expected. */
static bool
arrow_read(lg__arrow_holder *to)
{
    reader self = {
        .to = *to, .layout = to->arrow->layout, .memory = to->arrow->memory};
    uintptr_t native = lg__arrow_native(to->instance->object);
    uintptr_t size;
    switch (to->instance->kind) {
    case LG__ARROW_BUFFER:
        size =
            word_at(&self, native + self.layout->buffer_data + sizeof native);
        note_bytes(to, size);
        return add_buffer(&self, native);
    case LG__ARROW_ARRAY:
        return read_array(&self, native);
    case LG__ARROW_CHUNKED:
        return read_chunks(&self, native);
    default:
        return read_table(&self, native);
    }
}

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
        *wanted[i].type = lg__pass_member_type(module, wanted[i].name);
        if (*wanted[i].type == NULL)
            return false;
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
    arrow_ask_pool(pass);
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

static void
add_bytes(const lg__arrow_holder *to, const char *attribute)
{
    uint64_t bytes;
    if (lg__ask_number(lg__arrow_get(to->instance->object, attribute), &bytes))
        note_bytes(to, bytes);
}

static bool
is_chunked(const lg__arrow_holder *to, PyObject *object)
{
    return PyType_IsSubtype(Py_TYPE(object), to->arrow->chunked);
}

/** len(object) as pyarrow's own class has it; 0 if it has none. */
static Py_ssize_t
length_of(PyObject *object)
{
    PySequenceMethods *methods = lg__c_type_of(object)->tp_as_sequence;
    Py_ssize_t length = methods != NULL && methods->sq_length != NULL
                            ? methods->sq_length(object)
                            : 0;
    PyErr_Clear();
    return length;
}

static uint32_t
format_array(const lg__arrow_holder *to, PyObject *array, const char *type,
             const char *column)
{
    return arrow_format_array(to, type, (uint64_t)length_of(array), column);
}

static void
describe_array(lg__arrow_holder *to)
{
    PyObject *array = to->instance->object;
    lg__arrow_form form = lg__arrow_form_of(array, is_chunked(to, array));
    char length[24];
    snprintf(length, sizeof length, "%zd", length_of(array));
    arrow_add_fact(to, "dtype", form.text);
    arrow_add_fact(to, "shape", length);
    add_bytes(to, "nbytes");
    to->text = format_array(to, array, form.text, "");
    lg_builder_set_text_id(lg__pass_builder(to->pass), to->instance->node,
                           to->text);
}

/** Charges each chunk of a chunked array. */
static bool
add_chunked(const lg__arrow_holder *to, PyObject *chunked)
{
    uint64_t count = 0;
    lg__arrow_form form = lg__arrow_form_of(chunked, true);
    if (!form.known || form.extension || form.extension_inside)
        return false;
    PyObject *chunk = lg__arrow_get(chunked, "chunk");
    bool known = chunk != NULL &&
                 lg__ask_number(lg__arrow_get(chunked, "num_chunks"), &count);
    for (uint64_t i = 0; known && i < count; i++) {
        PyObject *array = lg__ask_callf(chunk, "(K)", (unsigned long long)i);
        known = array != NULL && lg__arrow_add_array(to, array);
        Py_XDECREF(array);
    }
    Py_XDECREF(chunk);
    return known;
}

/** Charges one column under its name. */
static bool
add_column(lg__arrow_holder *to, PyObject *column, const char *name)
{
    to->label = arrow_column_label(to, name);
    const bool chunked = is_chunked(to, column);
    lg__arrow_form form = lg__arrow_form_of(column, chunked);
    to->text = format_array(to, column, form.text, name);
    return chunked ? add_chunked(to, column) : lg__arrow_add_array(to, column);
}

/** Writes `300x5`, and the columns' names as a fact. */
static void
describe_table(const lg__arrow_holder *to, PyObject *names)
{
    Py_ssize_t count = PyList_GET_SIZE(names);
    lg__arrow_columns columns = {.count = (size_t)count};
    uint64_t rows = 0;
    lg__ask_number(lg__arrow_get(to->instance->object, "num_rows"), &rows);
    arrow_describe_table(to, rows, (size_t)count);
    for (Py_ssize_t i = 0; i < count && i < LG__ARROW_NAMES_SHOWN; i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
        PyErr_Clear();
        arrow_list_column(&columns, name != NULL ? name : "?");
    }
    arrow_list_end(to, &columns);
}

/** Charges the columns, and sums their bytes up: a table would do that with
 *  generators, of which Cython keeps some. Leaves out the columns of a user's
 *  class, because making an object of one runs the user's code. */
static bool
add_plain_columns(lg__arrow_holder *to, PyObject *table, PyObject *names,
                  const bool *plain)
{
    PyObject *column = lg__arrow_get(table, "column");
    bool known = column != NULL, counted = known;
    uint64_t sum = 0;
    for (Py_ssize_t i = 0; column && i < PyList_GET_SIZE(names); i++) {
        const char *name = PyUnicode_AsUTF8(PyList_GET_ITEM(names, i));
        uint64_t bytes = 0;
        PyErr_Clear();
        PyObject *at = plain[i] ? lg__ask_callf(column, "(n)", i) : NULL;
        counted = at != NULL && counted &&
                  lg__ask_number(lg__arrow_get(at, "nbytes"), &bytes);
        sum += bytes;
        known = at != NULL && add_column(to, at, name != NULL ? name : "?") &&
                known;
        Py_XDECREF(at);
    }
    if (counted)
        note_bytes(to, sum);
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
    const bool *plain = NULL;
    if (names != NULL && PyList_Check(names)) {
        describe_table(to, names);
        plain =
            lg__arrow_plain_columns(to->pass, schema, PyList_GET_SIZE(names));
    }
    bool known = plain != NULL && add_plain_columns(to, table, names, plain);
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
        return add_chunked(to, object);
    default:
        return add_columns(to);
    }
}

/** Returns whether pyarrow has filled the object; pyarrow crashes on an empty
 * one. */
static bool
is_filled(PyObject *object)
{
    const PyTypeObject *type = lg__c_type_of(object);
    size_t size = (size_t)type->tp_basicsize;
    bool first = true;
    for (size_t at = sizeof(PyObject); at + sizeof(void *) <= size;
         at += sizeof(void *)) {
        const void *word = *(void *const *)((const char *)object + at);
        if ((Py_ssize_t)at == type->tp_weaklistoffset ||
            (Py_ssize_t)at == type->tp_dictoffset)
            continue;
        /* The first of its own fields is Cython's table of methods. */
        if (!first && word != NULL && word != Py_None)
            return true;
        first = false;
    }
    return false;
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
        if (!instance.frontier && is_filled(instance.object) && !charge(&to))
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
        charge_all(pass, arrow, arrow_read);
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

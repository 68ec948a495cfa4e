// Finds the layout of pyarrow's objects.
#include "bytes/libraries/pyarrow_layout.h"
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/pyarrow.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>

// Buffers of pyarrow: their addresses and sizes, the buffers that they are
// slices of, and the buffers of nested arrays.

enum { PARENTS_MAX = 64, PENDING_MAX = 256 };

static bool
is_a(PyObject *object, const PyTypeObject *type)
{
    return PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)type);
}

// The buffer at the end of the chain of slices; a new reference.
static PyObject *
whole_of(PyObject *buffer)
{
    Py_INCREF(buffer);
    for (int i = 0; i < PARENTS_MAX; i++) {
        PyObject *parent = lg__arrow_get(buffer, "parent");
        if (parent == NULL || parent == Py_None) {
            Py_XDECREF(parent);
            break;
        }
        Py_DECREF(buffer);
        buffer = parent;
    }
    return buffer;
}

// The bytes object that contains a buffer's memory, if the heap has it. It uses
// only the address, because the object itself may be gone.
static uint32_t
bytes_around(lg__adapter_pass *pass, uint64_t address)
{
    const lg_builder *builder = lg__pass_builder(pass);
    uint64_t object = address - offsetof(PyBytesObject, ob_sval);
    uint32_t node = lg__pass_known(pass, (const void *)(uintptr_t)object);
    return node != LG_NONE && lg_builder_type(builder, node) ==
                                  lg__pass_type_of(pass, &PyBytes_Type)
               ? node
               : LG_NONE;
}

void
lg__arrow_add_span(const lg__arrow_holder *to, uint64_t address,
                   uint64_t length, bool alone)
{
    lg_builder *builder = lg__pass_builder(to->pass);
    lg_span span = {
        .holder = to->instance->node,
        .address = address,
        .length = length,
        .type = lg__pass_type(to->pass, "pyarrow.memory", LG_NONE),
        .text = alone ? to->text : 0,
        .label = to->label,
    };
    if (lg__mappings_have(&to->arrow->mappings, (uintptr_t)address))
        span.flags |= LG_SPAN_MAPPED;
    lg_builder_add_span(builder, &span);
    span.holder = bytes_around(to->pass, address);
    span.flags = LG_SPAN_INLINE;
    if (span.holder != LG_NONE)
        lg_builder_add_span(builder, &span);
}

bool
lg__arrow_add_buffer(const lg__arrow_holder *to, PyObject *buffer)
{
    uint64_t address, length;
    if (!is_a(buffer, to->arrow->buffer))
        return false;
    PyObject *whole = whole_of(buffer);
    bool known = lg__ask_true(lg__arrow_get(whole, "is_cpu")) &&
                 lg__ask_number(lg__arrow_get(whole, "address"), &address) &&
                 lg__ask_number(lg__arrow_get(whole, "size"), &length);
    if (known && address != 0 && length > 0)
        lg__arrow_add_span(to, address, length, whole == buffer);
    Py_DECREF(whole);
    return known;
}

static bool
add_buffers(const lg__arrow_holder *to, PyObject *array)
{
    PyObject *method = lg__arrow_get(array, "buffers");
    PyObject *buffers = lg__ask_call(method, NULL, NULL);
    Py_XDECREF(method);
    bool known = buffers != NULL && PyList_Check(buffers);
    for (Py_ssize_t i = 0; known && i < PyList_GET_SIZE(buffers); i++) {
        PyObject *buffer = PyList_GET_ITEM(buffers, i);
        known = buffer == Py_None || lg__arrow_add_buffer(to, buffer);
    }
    Py_XDECREF(buffers);
    return known;
}

// Arrays that are yet to be read, with a reference to each.
typedef struct pending {
    PyObject *arrays[PENDING_MAX];
    size_t count;
    bool full;
} pending;

// Takes over the reference; ignores NULL.
static void
push(pending *to, PyObject *array)
{
    if (array == NULL)
        return;
    if (to->count < PENDING_MAX) {
        to->arrays[to->count++] = array;
        return;
    }
    to->full = true;
    Py_DECREF(array);
}

// The same array in an object of its own, because pyarrow caches what it
// returns in an array's object.
static PyObject *
twin_of(PyObject *array)
{
    PyObject *slice = lg__arrow_get(array, "slice");
    PyObject *twin = lg__ask_call(slice, NULL, NULL);
    Py_XDECREF(slice);
    return twin;
}

// Adds the parts of a nested array.
static void
push_fields(pending *to, PyObject *array, const lg__arrow *arrow)
{
    uint64_t fields = 0;
    PyObject *type = lg__arrow_get(array, "type");
    if (type != NULL)
        lg__ask_number(lg__arrow_get(type, "num_fields"), &fields);
    Py_XDECREF(type);
    PyObject *inner = fields == 1 ? lg__arrow_get(array, "values") : NULL;
    if (inner != NULL && is_a(inner, arrow->array)) {
        push(to, inner);
        return;
    }
    Py_XDECREF(inner);
    PyObject *field = fields > 0 ? lg__arrow_get(array, "field") : NULL;
    for (uint64_t i = 0; field != NULL && i < fields; i++)
        push(to, lg__ask_callf(field, "(K)", (unsigned long long)i));
    Py_XDECREF(field);
}

// Adds the parts of an array that may have dictionaries, whose buffers are not
// among the array's own.
static void
push_parts(pending *to, PyObject *array, const lg__arrow *arrow)
{
    PyObject *storage = lg__arrow_get(array, "storage");
    if (storage != NULL && is_a(storage, arrow->array)) {
        push(to, storage);
        return;
    }
    Py_XDECREF(storage);
    PyObject *twin = twin_of(array);
    if (twin != NULL && is_a(twin, arrow->dictionary))
        push(to, lg__arrow_get(twin, "dictionary"));
    else if (twin != NULL)
        push_fields(to, twin, arrow);
    Py_XDECREF(twin);
}

bool
lg__arrow_add_array(const lg__arrow_holder *to, PyObject *array)
{
    pending state = {.count = 1, .arrays = {array}};
    lg__arrow_form form = lg__arrow_form_of(array, false);
    bool known = form.known && !(form.extension_inside && form.dictionaries);
    Py_INCREF(array);
    while (state.count > 0) {
        PyObject *at = state.arrays[--state.count];
        bool added = is_a(at, to->arrow->array) && add_buffers(to, at);
        if (added && form.dictionaries && !form.extension_inside)
            push_parts(&state, at, to->arrow);
        known = known && added;
        Py_DECREF(at);
    }
    return known && !state.full;
}

enum { WORD = sizeof(uintptr_t), WORDS = 16, ELEMENT = 2 * WORD };
enum { CPU_FLAGS = WORD, SAMPLE_BYTES = 64, SAMPLE_ROWS = 3 };

#define SHORT_NAME "leakgraph"
#define LONG_NAME "leakgraph reads the names of columns"

// The objects that pyarrow makes for this; strong references.
typedef struct samples {
    PyObject *whole;  /**< a buffer of SAMPLE_BYTES */
    PyObject *cut;    /**< its bytes 8 to 48 */
    PyObject *array;  /**< int64, elements 2 to 4 of `cut` */
    PyObject *record; /**< a struct of `array` */
    PyObject *coded;  /**< `array` as indices, and as their dictionary */
    PyObject *chunks; /**< `array`, twice */
    PyObject *table;  /**< of `array`, twice */
    PyObject *batch;  /**< the same */
} samples;

typedef struct finder {
    lg__memory *memory;
    PyObject *module;
    samples made;
    lg__arrow_layout *out;
} finder;

uintptr_t
lg__arrow_native(PyObject *object)
{
    const PyTypeObject *type = lg__c_type_of(object);
    size_t size = (size_t)type->tp_basicsize;
    bool first = true;
    for (size_t at = sizeof(PyObject); at + WORD <= size; at += WORD) {
        if ((Py_ssize_t)at == type->tp_weaklistoffset ||
            (Py_ssize_t)at == type->tp_dictoffset)
            continue;
        if (!first)
            return *(const uintptr_t *)((const char *)object + at);
        first = false;
    }
    return 0;
}

bool
lg__arrow_vector(lg__memory *memory, uintptr_t vector, size_t room,
                 uintptr_t *begin, size_t *count)
{
    uintptr_t words[3];
    if (!lg__memory_copy(memory, vector, words, sizeof words) ||
        words[0] > words[1] || words[1] > words[2])
        return false;
    *begin = words[0];
    *count = (words[1] - words[0]) / ELEMENT;
    return (words[1] - words[0]) % ELEMENT == 0 && *count <= room;
}

uintptr_t
lg__arrow_element(lg__memory *memory, uintptr_t begin, size_t i)
{
    return lg__memory_word(memory, begin + i * ELEMENT);
}

// Arrow keeps two flags behind a buffer's virtual table: whether it may be
// written to, and whether it is in main memory.
bool
lg__arrow_buffer_is_cpu(lg__memory *memory, uintptr_t buffer)
{
    uint8_t flags[2] = {0};
    return lg__memory_copy(memory, buffer + CPU_FLAGS, flags, sizeof flags) &&
           flags[0] <= 1 && flags[1] == 1;
}

// Calls pyarrow.lib.kind.name(*arguments), or kind(*arguments) without a name;
// takes over the arguments.
static PyObject *
make(const finder *self, const char *kind, const char *name,
     PyObject *arguments)
{
    PyObject *owner = lg__pass_member(self->module, kind);
    PyObject *method = owner;
    if (owner != NULL && name != NULL)
        method = lg__ask_attribute(owner, name);
    else
        Py_XINCREF(method);
    PyObject *made =
        arguments != NULL ? lg__ask_call(method, arguments, NULL) : NULL;
    PyErr_Clear();
    Py_XDECREF(method);
    Py_XDECREF(arguments);
    return made;
}

static PyObject *
make_array(const finder *self, PyObject *buffer)
{
    PyObject *type = make(self, "int64", NULL, PyTuple_New(0));
    PyObject *array = type == NULL || buffer == NULL
                          ? NULL
                          : make(self, "Array", "from_buffers",
                                 Py_BuildValue("(Oi[OO]ii)", type, SAMPLE_ROWS,
                                               Py_None, buffer, 0, 2));
    Py_XDECREF(type);
    return array;
}

static bool
make_samples(finder *self)
{
    static const char zeros[SAMPLE_BYTES];
    samples *made = &self->made;
    made->whole = make(
        self, "py_buffer", NULL,
        Py_BuildValue("(N)", PyBytes_FromStringAndSize(zeros, sizeof zeros)));
    PyObject *slice =
        made->whole != NULL ? lg__arrow_get(made->whole, "slice") : NULL;
    made->cut = lg__ask_callf(slice, "(ii)", 8, 40);
    Py_XDECREF(slice);
    PyObject *array = made->array = make_array(self, made->cut);
    if (array == NULL)
        return false;
    made->record = make(self, "StructArray", "from_arrays",
                        Py_BuildValue("([O][s])", array, SHORT_NAME));
    made->coded = make(self, "DictionaryArray", "from_arrays",
                       Py_BuildValue("(OO)", array, array));
    made->chunks = make(self, "chunked_array", NULL,
                        Py_BuildValue("([OO])", array, array));
    made->table =
        make(self, "Table", "from_arrays",
             Py_BuildValue("([OO][ss])", array, array, SHORT_NAME, LONG_NAME));
    made->batch =
        make(self, "RecordBatch", "from_arrays",
             Py_BuildValue("([OO][ss])", array, array, SHORT_NAME, LONG_NAME));
    return made->record != NULL && made->coded != NULL &&
           made->chunks != NULL && made->table != NULL && made->batch != NULL;
}

static void
drop_samples(samples *made)
{
    Py_XDECREF(made->batch);
    Py_XDECREF(made->table);
    Py_XDECREF(made->chunks);
    Py_XDECREF(made->coded);
    Py_XDECREF(made->record);
    Py_XDECREF(made->array);
    Py_XDECREF(made->cut);
    Py_XDECREF(made->whole);
}

static uintptr_t
word_at(const finder *self, uintptr_t address)
{
    return lg__memory_word(self->memory, address);
}

// The offset of a sequence of words in an object.
static bool
find_words(const finder *self, uintptr_t object, const uintptr_t *wanted,
           size_t count, size_t *out)
{
    for (size_t at = 0; at < WORDS * WORD; at += WORD) {
        size_t same = 0;
        while (same < count &&
               word_at(self, object + at + same * WORD) == wanted[same])
            same++;
        if (same == count) {
            *out = at;
            return true;
        }
    }
    return false;
}

static bool
find_word(const finder *self, uintptr_t object, uintptr_t wanted, size_t *out)
{
    return wanted != 0 && find_words(self, object, &wanted, 1, out);
}

// The offset of a vector of `count` elements, the last of which is `last`.
static bool
find_vector(const finder *self, uintptr_t object, size_t count, uintptr_t last,
            size_t *out)
{
    for (size_t at = 0; at < WORDS * WORD; at += WORD) {
        uintptr_t begin;
        size_t length;
        if (lg__arrow_vector(self->memory, object + at, count, &begin,
                             &length) &&
            length == count && last != 0 &&
            lg__arrow_element(self->memory, begin, count - 1) == last) {
            *out = at;
            return true;
        }
    }
    return false;
}

static bool
find_buffer(const finder *self)
{
    lg__arrow_layout *out = self->out;
    uintptr_t whole = lg__arrow_native(self->made.whole);
    uintptr_t cut = lg__arrow_native(self->made.cut);
    uint64_t address;
    if (!lg__ask_number(lg__arrow_get(self->made.whole, "address"), &address))
        return false;
    const uintptr_t first[] = {address, SAMPLE_BYTES};
    const uintptr_t second[] = {address + 8, 40};
    size_t again;
    return find_words(self, whole, first, 2, &out->buffer_data) &&
           find_words(self, cut, second, 2, &again) &&
           again == out->buffer_data &&
           find_word(self, cut, whole, &out->buffer_parent) &&
           word_at(self, whole + out->buffer_parent) == 0 &&
           lg__arrow_buffer_is_cpu(self->memory, whole) &&
           lg__arrow_buffer_is_cpu(self->memory, cut);
}

// The ArrayData of the sample, and what it contains.
static bool
find_array(const finder *self)
{
    static const uintptr_t extent[] = {SAMPLE_ROWS, 0, 2};
    lg__arrow_layout *out = self->out;
    uintptr_t array = lg__arrow_native(self->made.array);
    uintptr_t cut = lg__arrow_native(self->made.cut);
    for (size_t at = WORD; at < 4 * WORD; at += WORD) {
        uintptr_t data = word_at(self, array + at);
        if (lg__is_address(data) &&
            find_words(self, data, extent, 3, &out->data_length) &&
            find_vector(self, data, 2, cut, &out->data_buffers)) {
            out->array_data = at;
            return true;
        }
    }
    return false;
}

static uintptr_t
data_of(const finder *self, PyObject *array)
{
    return word_at(self, lg__arrow_native(array) + self->out->array_data);
}

static bool
find_parts(const finder *self)
{
    lg__arrow_layout *out = self->out;
    uintptr_t data = data_of(self, self->made.array);
    return find_vector(self, data_of(self, self->made.record), 1, data,
                       &out->data_children) &&
           find_word(self, data_of(self, self->made.coded), data,
                     &out->data_dictionary) &&
           word_at(self, data + out->data_dictionary) == 0 &&
           find_vector(self, lg__arrow_native(self->made.chunks), 2,
                       lg__arrow_native(self->made.array),
                       &out->chunked_chunks);
}

static bool
number_of(PyObject *array, uint64_t *id)
{
    PyObject *type = lg__arrow_get(array, "type");
    bool known =
        type != NULL && lg__ask_number(lg__ask_attribute(type, "id"), id);
    Py_XDECREF(type);
    return known;
}

// The type's number, which must be right for two types.
static bool
find_type(const finder *self)
{
    lg__arrow_layout *out = self->out;
    uint64_t number, other;
    if (!number_of(self->made.array, &number) ||
        !number_of(self->made.record, &other))
        return false;
    uintptr_t type = word_at(self, data_of(self, self->made.array));
    uintptr_t record = word_at(self, data_of(self, self->made.record));
    for (size_t at = WORD; at < WORDS * WORD; at += WORD)
        if ((uint32_t)word_at(self, type + at) == number &&
            (uint32_t)word_at(self, record + at) == other) {
            out->type_id = at;
            return true;
        }
    return false;
}

static bool
find_table(const finder *self)
{
    lg__arrow_layout *out = self->out;
    uintptr_t table = lg__arrow_native(self->made.table);
    uintptr_t batch = lg__arrow_native(self->made.batch);
    uintptr_t data = data_of(self, self->made.array), begin;
    size_t rows, count;
    out->table_class = word_at(self, table);
    out->batch_class = word_at(self, batch);
    if (!find_word(self, batch, SAMPLE_ROWS, &out->table_rows) ||
        !find_word(self, table, SAMPLE_ROWS, &rows) ||
        rows != out->table_rows ||
        !find_vector(self, batch, 2, data, &out->table_columns) ||
        !lg__arrow_vector(self->memory, table + out->table_columns, 2, &begin,
                          &count) ||
        count != 2)
        return false;
    size_t chunks;
    return find_vector(self, lg__arrow_element(self->memory, begin, 1), 1,
                       lg__arrow_native(self->made.array), &chunks) &&
           chunks == out->chunked_chunks;
}

static bool
has_name(const finder *self, uintptr_t field, size_t at, const char *name)
{
    char text[sizeof LONG_NAME];
    size_t length = strlen(name);
    return word_at(self, field + at + WORD) == length &&
           lg__memory_copy(self->memory, word_at(self, field + at), text,
                           length) &&
           memcmp(text, name, length) == 0;
}

static bool
find_field(const finder *self, uintptr_t fields)
{
    uintptr_t begin;
    size_t count;
    if (!lg__is_address(fields) ||
        !lg__arrow_vector(self->memory, fields, 2, &begin, &count) ||
        count != 2)
        return false;
    uintptr_t first = lg__arrow_element(self->memory, begin, 0);
    uintptr_t second = lg__arrow_element(self->memory, begin, 1);
    for (size_t at = WORD; at < WORDS * WORD; at += WORD)
        if (has_name(self, first, at, SHORT_NAME) &&
            has_name(self, second, at, LONG_NAME)) {
            self->out->field_name = at;
            return true;
        }
    return false;
}

// The names of the columns of a table.
static bool
find_schema(const finder *self)
{
    lg__arrow_layout *out = self->out;
    uintptr_t table = lg__arrow_native(self->made.table);
    for (size_t at = WORD; at < 4 * WORD; at += WORD) {
        uintptr_t schema = word_at(self, table + at);
        for (size_t in = WORD; lg__is_address(schema) && in < 8 * WORD;
             in += WORD)
            if (find_field(self, word_at(self, schema + in))) {
                out->table_schema = at;
                out->schema_fields = in;
                return true;
            }
    }
    return false;
}

// Asks pyarrow for the names of its types that have no parameters.
static void
name_types(const finder *self)
{
    static const char *const makers[] = {
        "null",    "bool_",        "int8",        "int16",       "int32",
        "int64",   "uint8",        "uint16",      "uint32",      "uint64",
        "float16", "float32",      "float64",     "string",      "large_string",
        "binary",  "large_binary", "string_view", "binary_view", "date32",
        "date64"};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        uint64_t id;
        PyObject *type = make(self, makers[i], NULL, PyTuple_New(0));
        PyObject *string = type != NULL ? PyObject_Str(type) : NULL;
        const char *text = string != NULL ? PyUnicode_AsUTF8(string) : NULL;
        if (text != NULL && strlen(text) < LG__ARROW_TYPE_NAME &&
            lg__ask_number(lg__ask_attribute(type, "id"), &id) &&
            id < LG__ARROW_TYPES)
            memcpy(self->out->types[id], text, strlen(text) + 1);
        PyErr_Clear();
        Py_XDECREF(string);
        Py_XDECREF(type);
    }
}

static bool
calibrate(PyObject *module, lg__memory *memory, lg__arrow_layout *out)
{
    finder self = {.memory = memory, .module = module, .out = out};
    bool known = make_samples(&self) && find_buffer(&self) &&
                 find_array(&self) && find_parts(&self) && find_type(&self) &&
                 find_table(&self) && find_schema(&self);
    if (known)
        name_types(&self);
    drop_samples(&self.made);
    PyErr_Clear();
    return known;
}

/* Other threads may run meanwhile, and find it, too: the first to finish
   decides. */
const lg__arrow_layout *
lg__arrow_layout_find(PyObject *module, lg__memory *memory)
{
    enum { UNTRIED, KNOWN, STRANGE };
    static int state;
    static lg__arrow_layout layout;
    if (state == UNTRIED) {
        lg__arrow_layout fresh = {0};
        bool known = calibrate(module, memory, &fresh);
        if (state == UNTRIED) {
            layout = fresh;
            state = known ? KNOWN : STRANGE;
        }
        lg__memory_forget(memory);
    }
    return state == KNOWN ? &layout : NULL;
}

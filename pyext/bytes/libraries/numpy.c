/**
 * numpy arrays, which the collector does not see. The adapter reads their
 * memory at the layout of the loaded numpy, and never imports numpy.
 */
#include "bytes/libraries/numpy.h"
#include "bytes/common/bytes_common.h"
#include "capture/adapters/capture_adapters.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/capture_builder.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/** The first fields of both versions. */
#define DESCRIPTOR_HEAD                                                        \
    PyObject_HEAD                                                              \
    PyTypeObject *scalar_type;                                                 \
    char kind;                                                                 \
    char code;                                                                 \
    char byte_order;                                                           \
    char former_flags;                                                         \
    int type_number;

typedef struct subarray_layout {
    PyObject *inner;
    PyObject *shape;
} subarray_layout;

/* numpy/core/include/numpy/ndarraytypes.h, 1.x: _PyArray_Descr */
typedef struct narrow_layout {
    DESCRIPTOR_HEAD
    int item_size;
    int alignment;
    subarray_layout *subarray;
    PyObject *fields;
    PyObject *names;
    void *functions;
    PyObject *metadata;
} narrow_layout;

/* numpy/_core/include/numpy/ndarraytypes.h, 2.x: _PyArray_LegacyDescr. A
   descriptor of a new kind ends before the subarray. */
typedef struct wide_layout {
    DESCRIPTOR_HEAD
    uint64_t flags;
    Py_ssize_t item_size;
    Py_ssize_t alignment;
    PyObject *metadata;
    Py_ssize_t hash;
    void *reserved[2];
    subarray_layout *subarray;
    PyObject *fields;
    PyObject *names;
} wide_layout;

enum {
    OBJECT_NUMBER = 17,
    BUILTIN_END = 24,
    USER_BEGIN = 256,
    USER_END = 2056, /* numpy 2's types of the new kind begin here */
    HOLDS_REFERENCES = 0x01,
    NESTING_MAX = 16,
};

static bool
is_legacy(int number)
{
    return (number >= 0 && number < BUILTIN_END) ||
           (number >= USER_BEGIN && number < USER_END);
}

lg__descriptor
lg__descriptor_read(PyObject *object, bool wide)
{
    const narrow_layout *narrow = (narrow_layout *)object;
    const wide_layout *second = (wide_layout *)object;
    bool legacy = !wide || is_legacy(second->type_number);
    subarray_layout none = {0};
    const subarray_layout *subarray = !legacy ? NULL
                                      : wide  ? second->subarray
                                              : narrow->subarray;
    if (subarray == NULL)
        subarray = &none;
    Py_ssize_t size = wide ? second->item_size : narrow->item_size;
    uint64_t flags = wide ? second->flags : (uint64_t)narrow->former_flags;
    return (lg__descriptor){
        .scalar_type = narrow->scalar_type,
        .kind = narrow->kind,
        .references = flags & HOLDS_REFERENCES,
        .is_object = narrow->type_number == OBJECT_NUMBER,
        .item_size = size > 0 ? (size_t)size : 0,
        .fields = !legacy ? NULL
                  : wide  ? second->fields
                          : narrow->fields,
        .names = !legacy ? NULL
                 : wide  ? second->names
                         : narrow->names,
        .metadata = wide ? second->metadata : narrow->metadata,
        .inner = subarray->inner,
        .shape = subarray->shape,
    };
}

/** A part of an item that is yet to be read. */
typedef struct part {
    PyObject *descriptor;
    size_t offset;
} part;

typedef struct search {
    bool wide;
    part parts[NESTING_MAX];
    size_t count;
    lg__references *out;
} search;

static void
add_part(search *state, PyObject *descriptor, size_t offset)
{
    if (state->count == NESTING_MAX)
        state->out->incomplete = true;
    else
        state->parts[state->count++] = (part){descriptor, offset};
}

static void
add_offset(lg__references *out, size_t offset)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->offset[i] == offset)
            return;
    if (out->count == sizeof out->offset / sizeof *out->offset)
        out->incomplete = true;
    else
        out->offset[out->count++] = offset;
}

/** Adds a field. The dict may have it under its name and again under its title;
 *  add_offset merges the two. */
static void
add_fields(search *state, PyObject *fields, size_t offset)
{
    Py_ssize_t position = 0;
    PyObject *name, *field;
    while (PyDict_Next(fields, &position, &name, &field)) {
        if (!PyTuple_CheckExact(field) || PyTuple_GET_SIZE(field) < 2 ||
            !PyLong_CheckExact(PyTuple_GET_ITEM(field, 1)))
            continue;
        PyObject *inner = PyTuple_GET_ITEM(field, 0);
        int overflow;
        size_t at = (size_t)PyLong_AsLongLongAndOverflow(
            PyTuple_GET_ITEM(field, 1), &overflow);
        if (lg__descriptor_read(inner, state->wide).references)
            add_part(state, inner, offset + at);
    }
}

static void
add_items(search *state, const lg__descriptor *descriptor, size_t offset)
{
    lg__descriptor inner = lg__descriptor_read(descriptor->inner, state->wide);
    size_t step = inner.item_size;
    size_t count = step ? descriptor->item_size / step : 0;
    for (size_t i = 0; i < count && !state->out->incomplete; i++)
        if (inner.is_object)
            add_offset(state->out, offset + i * step);
        else
            add_part(state, descriptor->inner, offset + i * step);
}

static void
descriptor_references(PyObject *descriptor, bool wide, lg__references *out)
{
    search state = {.wide = wide, .out = out};
    out->count = 0;
    out->incomplete = false;
    add_part(&state, descriptor, 0);
    while (state.count > 0) {
        part at = state.parts[--state.count];
        lg__descriptor read = lg__descriptor_read(at.descriptor, wide);
        if (!read.references)
            continue;
        if (read.inner != NULL)
            add_items(&state, &read, at.offset);
        else if (read.is_object)
            add_offset(out, at.offset);
        else if (read.fields != NULL && PyDict_Check(read.fields))
            add_fields(&state, read.fields, at.offset);
        else
            out->incomplete = true;
    }
}

/** The name of a dtype: "float64", "U10", "structured". */
static void
descriptor_name(const lg__descriptor *descriptor, char *out, size_t size)
{
    const char *text = "?";
    if (descriptor->scalar_type != NULL)
        text = descriptor->scalar_type->tp_name;
    const char *dot = strrchr(text, '.');
    text = dot != NULL ? dot + 1 : text;
    if (descriptor->fields != NULL && descriptor->kind == 'V')
        snprintf(out, size, "structured");
    else if (descriptor->kind == 'U' || descriptor->kind == 'S')
        snprintf(out, size, "%c%zu", descriptor->kind,
                 descriptor->item_size / (descriptor->kind == 'U' ? 4 : 1));
    else
        snprintf(out, size, "%s", text);
    /* numpy's own names that would hide a builtin: object_, bool_. */
    size_t length = strlen(out);
    if (length > 1 && out[length - 1] == '_')
        out[length - 1] = '\0';
}

/*
 * A ufunc keeps its loops for each combination of types, which its tp_traverse
 * leaves out. They take about 1 MiB in each process with numpy.
 */

/** Words of a ufunc (numpy/ufuncobject.h), behind those of any object. numpy
 *  only ever appends to it: the loops came with numpy 1.22, as a list, and are
 * a dict since 2.5. */
enum {
    HEAD = sizeof(PyObject) / sizeof(PyObject *),
    USER_LOOPS = HEAD + 10,
    LOOPS = HEAD + 26,
    WORDS
};

static PyObject *
word_of(PyObject *ufunc, int word)
{
    return ((PyObject **)ufunc)[word];
}

/** Returns whether instances of the type may hold the loops. */
static bool
holds_loops(const PyTypeObject *type)
{
    return type == &PyList_Type || type == &PyDict_Type;
}

static PyTypeObject *
ufunc_type(void)
{
    PyObject *numpy = lg__pass_module("numpy");
    PyObject *add = numpy != NULL ? lg__pass_member(numpy, "add") : NULL;
    PyTypeObject *type = lg__c_type_in("numpy", "ufunc");
    PyObject loops;
    if (type == NULL || add == NULL || Py_TYPE(add) != type ||
        type->tp_basicsize < (Py_ssize_t)(WORDS * sizeof(PyObject *)) ||
        !lg__peek(&loops, word_of(add, LOOPS), sizeof loops) ||
        !holds_loops(Py_TYPE(&loops)))
        return NULL;
    return type;
}

/** Names the loops that a ufunc keeps. */
static void
ufunc_visit(lg__adapter_pass *pass, PyObject *ufunc)
{
    PyObject *loops = word_of(ufunc, LOOPS);
    PyObject *user = word_of(ufunc, USER_LOOPS);
    if (loops != NULL && holds_loops(Py_TYPE(loops)))
        lg__pass_name_edge(pass, loops, LG_EDGE_ATTRIBUTE, "_loops");
    if (user != NULL && PyDict_CheckExact(user))
        lg__pass_name_edge(pass, user, LG_EDGE_ATTRIBUTE, "userloops");
}

enum { KIND_ARRAY = 1, KIND_DESCRIPTOR, KIND_RECORD, KIND_UFUNC };
enum { KNOWN = 256, KNOWN_DIMENSIONS = 4 };

/** The facts of one kind of array, kept because most heaps have many arrays of
 *  few kinds. */
typedef struct description {
    PyObject *descriptor;
    int dimension_count;
    Py_ssize_t dimensions[KNOWN_DIMENSIONS];
    uint64_t length;                    /**< bytes of its items */
    uint32_t text, dtype, shape, bytes; /**< string ids */
} description;

typedef struct numpy_state {
    PyTypeObject *array;
    PyTypeObject *descriptor;
    PyTypeObject *record;         /**< numpy.void */
    PyTypeObject *ufunc;          /**< NULL: with an unknown layout */
    bool wide;                    /**< numpy 2 */
    uint32_t type;                /**< the type of buffers */
    uint32_t data;                /**< string id of their edges' name */
    uint32_t dtype, shape, bytes; /**< string ids of the facts' keys */
    description known[KNOWN + 1]; /**< by hash; the first is for all others */
} numpy_state;

/** A scalar of a structured type, a view of its array
 *  (numpy/arrayscalars.h, PyVoidScalarObject). */
typedef struct record_layout {
    PyObject_VAR_HEAD char *data;
    PyObject *descriptor;
    int flags;
    PyObject *base;
} record_layout;

/** The number of the layout that extension modules are compiled for, which the
 *  first function of numpy's own table returns. 0 if there is none. */
static unsigned
abi_number(void)
{
    PyObject *module = lg__pass_module("numpy._core._multiarray_umath");
    if (module == NULL)
        module = lg__pass_module("numpy.core._multiarray_umath");
    PyObject *table =
        module != NULL ? lg__pass_member(module, "_ARRAY_API") : NULL;
    if (table == NULL || !PyCapsule_CheckExact(table))
        return 0;
    void *const *functions = PyCapsule_GetPointer(table, NULL);
    unsigned (*version)(void);
    if (functions == NULL)
        return 0;
    memcpy(&version, functions, sizeof version);
    return version();
}

static void
name_things(lg__adapter_pass *pass, numpy_state *state)
{
    lg_builder *builder = lg__pass_builder(pass);
    state->type = lg__pass_type(pass, "numpy.memory", LG_NONE);
    state->data = lg_builder_intern(builder, "data", 4);
    state->dtype = lg_builder_intern(builder, "dtype", 5);
    state->shape = lg_builder_intern(builder, "shape", 5);
    state->bytes = lg_builder_intern(builder, "bytes", 5);
}

int
lg__numpy_generation(void)
{
    unsigned generation = abi_number() >> 24;
    return generation == 1 || generation == 2 ? (int)generation : 0;
}

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    PyObject *numpy = lg__pass_module("numpy");
    PyObject *version =
        numpy != NULL ? lg__pass_member(numpy, "__version__") : NULL;
    if (version == NULL || !PyUnicode_Check(version) ||
        !PyUnicode_IS_COMPACT_ASCII(version))
        return false;
    const char *text = (const char *)PyUnicode_1BYTE_DATA(version);
    int generation = lg__numpy_generation();
    numpy_state *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    state->array = lg__pass_types(pass)->type[LG__KNOWN_NDARRAY];
    state->descriptor = lg__c_type_in("numpy", "dtype");
    state->record = lg__c_type_in("numpy", "void");
    state->wide = generation == 2;
    state->ufunc = ufunc_type();
    if (generation == 0 || state->array == NULL || state->descriptor == NULL ||
        state->record == NULL ||
        state->array->tp_basicsize < (Py_ssize_t)sizeof(lg__numpy_array)) {
        lg__pass_note(pass,
                      "not inspected: numpy %s has a layout that leakgraph "
                      "does not know",
                      text);
        return false;
    }
    name_things(pass, state);
    lg__pass_note(pass, "inspected: %s", text);
    *out = state;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const numpy_state *state = context;
    return PyType_IsSubtype(type, state->array)        ? KIND_ARRAY
           : PyType_IsSubtype(type, state->descriptor) ? KIND_DESCRIPTOR
           : PyType_IsSubtype(type, state->record)     ? KIND_RECORD
           : type == state->ufunc                      ? KIND_UFUNC
                                                       : 0;
}

static void
finish(void *state)
{
    (void)state;
}

static size_t
item_count(const lg__numpy_array *array)
{
    size_t count = 1;
    for (int i = 0; i < array->dimension_count; i++)
        count *= (size_t)array->dimensions[i];
    return count;
}

/** Where an item is that has this number in the order of indexes, the last one
 *  fastest. A program may set strides, so the result may lie anywhere. */
static size_t
offset_of(const lg__numpy_array *array, size_t number, size_t item_size)
{
    size_t offset = 0;
    if (array->flags & LG__ARRAY_IN_ORDER)
        return number * item_size;
    for (int i = array->dimension_count; i-- > 0;) {
        size_t count = (size_t)array->dimensions[i];
        offset += number % count * (size_t)array->strides[i];
        number /= count;
    }
    return offset;
}

/** Adds what the items refer to, for the owner of the memory alone: a view
 *  holds nothing, and memory that an owner allocated is contiguous. */
static void
name_items(lg__adapter_pass *pass, const numpy_state *state,
           const lg__numpy_array *array)
{
    lg__references references;
    lg__descriptor item = lg__descriptor_read(array->descriptor, state->wide);
    if (!item.references || !(array->flags & LG__ARRAY_OWNS_DATA) ||
        array->data == NULL)
        return;
    descriptor_references(array->descriptor, state->wide, &references);
    size_t count = item_count(array);
    for (size_t i = 0; i < count; i++) {
        size_t offset = offset_of(array, i, item.item_size);
        if (offset % item.item_size != 0 || offset / item.item_size >= count)
            continue;
        for (size_t j = 0; j < references.count; j++) {
            PyObject *target;
            memcpy(&target, array->data + offset + references.offset[j],
                   sizeof target);
            if (target != NULL)
                lg__pass_name_item(pass, target, (uint32_t)i);
        }
    }
}

static void
name_descriptor(lg__adapter_pass *pass, const numpy_state *state,
                PyObject *object)
{
    lg__descriptor parts = lg__descriptor_read(object, state->wide);
    lg__pass_name_edge(pass, parts.fields, LG_EDGE_ATTRIBUTE, "fields");
    lg__pass_name_edge(pass, parts.names, LG_EDGE_ATTRIBUTE, "names");
    lg__pass_name_edge(pass, parts.metadata, LG_EDGE_ATTRIBUTE, "metadata");
    lg__pass_name_edge(pass, parts.inner, LG_EDGE_ATTRIBUTE, "base");
    lg__pass_name_edge(pass, parts.shape, LG_EDGE_ATTRIBUTE, "shape");
}

static void
visit(lg__adapter_pass *pass, void *context, PyObject *object, unsigned kind)
{
    const numpy_state *state = context;
    const lg__numpy_array *array = (lg__numpy_array *)object;
    const record_layout *record = (record_layout *)object;
    switch (kind) {
    case KIND_ARRAY:
        lg__pass_name_edge(pass, array->base, LG_EDGE_ATTRIBUTE, "base");
        lg__pass_name_edge(pass, array->descriptor, LG_EDGE_ATTRIBUTE, "dtype");
        if (array->descriptor != NULL)
            name_items(pass, state, array);
        return;
    case KIND_DESCRIPTOR:
        name_descriptor(pass, state, object);
        return;
    case KIND_UFUNC:
        ufunc_visit(pass, object);
        return;
    default:
        lg__pass_name_edge(pass, record->base, LG_EDGE_ATTRIBUTE, "base");
        lg__pass_name_edge(pass, record->descriptor, LG_EDGE_ATTRIBUTE,
                           "dtype");
    }
}

/** The range of a view's items, from the lowest to the end of the highest.
 *  False if it has none. */
static bool
show_view(const lg__numpy_array *array, const numpy_state *state,
          lg__shown_memory *out)
{
    lg__descriptor item = lg__descriptor_read(array->descriptor, state->wide);
    char *low = array->data, *high = array->data + item.item_size;
    for (int i = 0; i < array->dimension_count; i++) {
        Py_ssize_t reach = (array->dimensions[i] - 1) * array->strides[i];
        if (array->dimensions[i] == 0)
            return false;
        *(reach < 0 ? &low : &high) += reach;
    }
    out->address = low;
    out->length = (uint64_t)(high - low);
    out->flags = 0;
    return out->length > 0;
}

/** Writes "256, 1024"; cuts it if it does not fit. */
static int
format_shape(const lg__numpy_array *array, char *out, size_t size)
{
    size_t length = 0;
    *out = '\0';
    for (int i = 0; i < array->dimension_count && length < size; i++)
        length += (size_t)snprintf(out + length, size - length,
                                   i ? ", %zd" : "%zd", array->dimensions[i]);
    return (int)(length < size ? length : size - 1);
}

/** Interns text and facts. */
static void
describe(lg_builder *builder, const lg__numpy_array *array,
         lg__descriptor descriptor, description *out)
{
    char name[64], text[256];
    descriptor_name(&descriptor, name, sizeof name);
    int head = snprintf(text, sizeof text, "%s[", name);
    int shape =
        format_shape(array, text + head, sizeof text - 2 - (size_t)head);
    out->dtype = lg_builder_intern(builder, name, strlen(name));
    out->shape = lg_builder_intern(builder, text + head, (size_t)shape);
    memcpy(text + head + shape, "]", 2);
    out->text = lg_builder_intern(builder, text, (size_t)(head + shape + 1));
    out->length = item_count(array) * descriptor.item_size;
    int length = snprintf(text, sizeof text, "%" PRIu64, out->length);
    out->bytes = lg_builder_intern(builder, text, (size_t)length);
}

static bool
is_of(const description *known, const lg__numpy_array *array)
{
    return known->descriptor == array->descriptor &&
           known->dimension_count == array->dimension_count &&
           (array->dimension_count == 0 ||
            memcmp(known->dimensions, array->dimensions,
                   (size_t)array->dimension_count * sizeof(Py_ssize_t)) == 0);
}

/** The description of an array; reuses that of a similar array. */
static const description *
description_of(lg_builder *builder, numpy_state *state,
               const lg__numpy_array *array)
{
    size_t count = (size_t)array->dimension_count;
    bool kept = count <= KNOWN_DIMENSIONS;
    size_t hash = (uintptr_t)array->descriptor / 16 * 31 + count;
    for (size_t i = 0; i < count; i++)
        hash = hash * 31 + (size_t)array->dimensions[i];
    description *known = &state->known[kept ? 1 + hash % KNOWN : 0];
    if (kept && is_of(known, array))
        return known;
    describe(builder, array,
             lg__descriptor_read(array->descriptor, state->wide), known);
    known->descriptor = array->descriptor;
    known->dimension_count = array->dimension_count;
    if (kept && count > 0)
        memcpy(known->dimensions, array->dimensions,
               count * sizeof(Py_ssize_t));
    return known;
}

static void
add_facts(lg__adapter_pass *pass, const numpy_state *state, uint32_t node,
          const description *about)
{
    lg_builder *builder = lg__pass_builder(pass);
    lg_builder_set_text_id(builder, node, about->text);
    lg_builder_add_fact_ids(builder, node, state->dtype, about->dtype);
    lg_builder_add_fact_ids(builder, node, state->shape, about->shape);
    lg_builder_add_fact_ids(builder, node, state->bytes, about->bytes);
}

/** Notes that items refer to memory elsewhere: numpy 2's strings of any length
 *  do, and so do items that are nested too deep. */
static void
note_incomplete(lg__adapter_pass *pass, const numpy_state *state, uint32_t node,
                const lg__numpy_array *array)
{
    lg__references references;
    lg__descriptor item = lg__descriptor_read(array->descriptor, state->wide);
    if (!item.references)
        return;
    descriptor_references(array->descriptor, state->wide, &references);
    const char *why = item.kind == 'T' ? "strings outside of the array's memory"
                                       : "items of an unknown type";
    if (references.incomplete)
        lg_builder_add_fact(lg__pass_builder(pass), node, "not inspected", why,
                            strlen(why));
}

static void
scan_array(lg__adapter_pass *pass, numpy_state *state,
           const lg__instance *instance)
{
    const lg__numpy_array *array = (lg__numpy_array *)instance->object;
    bool owner = array->flags & LG__ARRAY_OWNS_DATA;
    lg__pass_add_size(pass, instance->node,
                      2 * (int64_t)sizeof(Py_ssize_t) * array->dimension_count);
    if (array->descriptor == NULL)
        return;
    const description *about =
        description_of(lg__pass_builder(pass), state, array);
    add_facts(pass, state, instance->node, about);
    note_incomplete(pass, state, instance->node, array);
    lg__shown_memory memory = {.address = array->data,
                               .length = about->length,
                               .type = state->type,
                               .text = about->text,
                               .label = state->data,
                               .flags = LG_SPAN_OWNER};
    if (instance->frontier && owner)
        lg__pass_add_size(pass, instance->node, (int64_t)memory.length);
    else if (owner)
        lg__shown_memory_add(pass, instance->node, &memory);
    else if (!instance->frontier && show_view(array, state, &memory))
        lg__exporter_add(pass, array->base, instance->node, &memory);
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    numpy_state *state = context;
    lg__instance instance;
    while (lg__pass_next(pass, &instance))
        if (instance.kind == KIND_ARRAY)
            scan_array(pass, state, &instance);
}

const lg__adapter lg__numpy_adapter = {
    .name = "numpy",
    .prepare = prepare,
    .kind = kind_of,
    .visit = visit,
    .pass = scan_all,
    .finish = finish,
};

#include "bytes/libraries/numpy.h"

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

void
lg__descriptor_references(PyObject *descriptor, bool wide, lg__references *out)
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

void
lg__descriptor_name(const lg__descriptor *descriptor, char *out, size_t size)
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

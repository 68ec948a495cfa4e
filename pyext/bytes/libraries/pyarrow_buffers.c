/**
 * Buffers of pyarrow: their addresses and sizes, the buffers that they are
 * slices of, and the buffers of nested arrays.
 */
#include "bytes/libraries/pyarrow.h"
#include "bytes/common/bytes_common.h"

#include <string.h>

enum { PARENTS_MAX = 64, PENDING_MAX = 256 };

static bool
is_a(PyObject *object, const PyTypeObject *type)
{
    return PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)type);
}

/** The buffer at the end of the chain of slices; a new reference. */
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

/** The bytes object that contains a buffer's memory, if the heap has it. It
 *  uses only the address, because the object itself may be gone. */
static uint32_t
bytes_around(lg__adapter_pass *pass, uint64_t address)
{
    const lg_builder *builder = lg__pass_builder(pass);
    uint64_t object = address - offsetof(PyBytesObject, ob_sval);
    uint32_t node = lg__pass_known(pass, (const void *)(uintptr_t)object);
    return node != LG_NONE &&
                   builder->type[node] == lg__pass_type_of(pass, &PyBytes_Type)
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

/** Arrays that are yet to be read, with a reference to each. */
typedef struct pending {
    PyObject *arrays[PENDING_MAX];
    size_t count;
    bool full;
} pending;

/** Takes over the reference; ignores NULL. */
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

/** The same array in an object of its own, because pyarrow caches what it
 *  returns in an array's object. */
static PyObject *
twin_of(PyObject *array)
{
    PyObject *slice = lg__arrow_get(array, "slice");
    PyObject *twin = lg__ask_call(slice, NULL, NULL);
    Py_XDECREF(slice);
    return twin;
}

/** Adds the parts of a nested array. */
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

/** Adds the parts of an array that may have dictionaries, whose buffers are not
 *  among the array's own. */
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
    lg__arrow_form form = lg__arrow_form_of_array(array);
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

bool
lg__arrow_add_chunks(const lg__arrow_holder *to, PyObject *chunked)
{
    uint64_t count = 0;
    lg__arrow_form form = lg__arrow_form_of_chunks(chunked);
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

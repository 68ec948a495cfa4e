/** Types that a program registered: see leakgraph/buffers.py, whose registry
 *  this reads. */
#include "capture/adapters/capture_adapters.h"
#include "bytes/common/bytes_common.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>

/** How to find the memory of a type's instances. The registry owns all of
 *  it. */
typedef struct lg__registration {
    bool given;
    PyObject *address; /**< None, str or int */
    PyObject *length;  /**< the same; None: ask the reader or the protocol */
    bool protocol;
    PyObject *reader; /**< or None */
} lg__registration;

typedef struct lg__registered {
    PyObject *registry;     /**< dict of types */
    const char *refused;    /**< why the types' own code may not run, or NULL */
    PyTypeObject *type;     /**< the last type looked up */
    lg__registration entry; /**< its registration */
} lg__registered;

/* Asks registered types' own code for their memory. */

typedef struct asking {
    lg__adapter_pass *pass;
    lg__registered *state;
    lg__instance instance;
    uint64_t asked;
    uint64_t failed;
    bool interrupted;
} asking;

/** Notes why the memory of an instance is unknown, in the facts of the instance
 *  and of the snapshot. */
static void
registered_fail(lg__adapter_pass *pass, const lg__instance *instance,
                const char *why)
{
    lg_builder_add_fact(lg__pass_builder(pass), instance->node, "not inspected",
                        why, strlen(why));
    lg__pass_note(pass, "not inspected: of %.80s #%lu %s",
                  Py_TYPE(instance->object)->tp_name,
                  (unsigned long)instance->node, why);
}

/** Writes the current exception as "ValueError: text", and clears it. Other
 *  exceptions than Exception, as from Ctrl-C and sys.exit(), end the
 *  capture. */
static void
fail(asking *to)
{
    PyObject *type, *value, *trace;
    char why[240];
    if (!PyErr_ExceptionMatches(PyExc_Exception)) {
        to->interrupted = true;
        lg__pass_interrupt(to->pass);
        return;
    }
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject *string = value != NULL ? PyObject_Str(value) : NULL;
    const char *text = string != NULL ? PyUnicode_AsUTF8(string) : NULL;
    snprintf(why, sizeof why, "%.60s: %.160s",
             type != NULL ? ((PyTypeObject *)type)->tp_name : "?",
             text != NULL ? text : "");
    registered_fail(to->pass, &to->instance, why);
    to->failed++;
    Py_XDECREF(string);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Clear();
}

/** Charges memory to an instance. */
static void
registered_add(lg__adapter_pass *pass, const lg__instance *instance,
               const void *address, uint64_t length, uint32_t device)
{
    lg_builder *builder = lg__pass_builder(pass);
    const char *name = Py_TYPE(instance->object)->tp_name;
    char type[160];
    /* A length cannot exceed the address space. */
    if (length >> 57 != 0) {
        registered_fail(pass, instance, "the length is out of range");
        return;
    }
    snprintf(type, sizeof type, "%.140s.memory", name);
    const lg_span span = {
        .holder = instance->node,
        .device = device,
        .address = (uint64_t)(uintptr_t)address,
        .length = length,
        .type = lg__pass_type(pass, type, LG_NONE),
        .label = lg_builder_intern(builder, "data", 4),
        .flags = LG_SPAN_OWNER,
    };
    lg_builder_add_fact_number(builder, instance->node, "bytes", length);
    if (instance->frontier)
        lg__pass_add_size(pass, instance->node, (int64_t)length);
    else
        lg_builder_add_span(builder, &span);
}

static bool
add_exported(asking *to, PyObject *exporter)
{
    Py_buffer view;
    if (PyObject_GetBuffer(exporter, &view, PyBUF_SIMPLE) != 0) {
        PyErr_Clear();
        if (PyObject_GetBuffer(exporter, &view, PyBUF_FULL_RO) != 0)
            return false;
    }
    if (view.len > 0)
        registered_add(to->pass, &to->instance, view.buf, (uint64_t)view.len,
                       0);
    PyBuffer_Release(&view);
    return true;
}

/** Reads (address, bytes) or (address, bytes, device). */
static bool
add_tuple(asking *to, PyObject *piece)
{
    PyObject *address, *length;
    const char *device = "host";
    if (!PyArg_ParseTuple(piece, "O!O!|s:a reader's (address, bytes, device)",
                          &PyLong_Type, &address, &PyLong_Type, &length,
                          &device))
        return false;
    unsigned long long from = PyLong_AsUnsignedLongLong(address);
    unsigned long long bytes =
        PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(length);
    if (PyErr_Occurred())
        return false;
    if (bytes > 0)
        registered_add(to->pass, &to->instance, (const void *)(uintptr_t)from,
                       bytes, lg__pass_device(to->pass, device));
    return true;
}

static bool
add_number(asking *to, PyObject *piece)
{
    unsigned long long bytes = PyLong_AsUnsignedLongLong(piece);
    if (PyErr_Occurred())
        return false;
    if (bytes > 0)
        registered_add(to->pass, &to->instance, NULL, bytes, 0);
    return true;
}

/** Reads one piece; false with an exception if it is none. */
static bool
add_piece(asking *to, PyObject *piece)
{
    if (PyTuple_Check(piece))
        return add_tuple(to, piece);
    if (PyLong_Check(piece))
        return add_number(to, piece);
    if (PyObject_CheckBuffer(piece))
        return add_exported(to, piece);
    PyErr_Format(PyExc_TypeError,
                 "a reader must not return a piece of memory as a %.80s",
                 Py_TYPE(piece)->tp_name);
    return false;
}

static bool
is_piece(PyObject *answer)
{
    return PyLong_Check(answer) || PyObject_CheckBuffer(answer) ||
           (PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) >= 2 &&
            PyLong_Check(PyTuple_GET_ITEM(answer, 0)));
}

static bool
add_pieces(asking *to, PyObject *answer)
{
    PyObject *iterator = PyObject_GetIter(answer);
    bool fine = iterator != NULL;
    PyObject *piece = NULL;
    while (fine && (piece = PyIter_Next(iterator)) != NULL) {
        fine = add_piece(to, piece);
        Py_DECREF(piece);
    }
    Py_XDECREF(iterator);
    return fine && !PyErr_Occurred();
}

static bool
add_answer(asking *to, PyObject *answer)
{
    if (answer == NULL)
        return false;
    return answer == Py_None ||
           (is_piece(answer) ? add_piece(to, answer) : add_pieces(to, answer));
}

static void
ask(asking *to, const lg__registration *entry)
{
    to->asked++;
    if (entry->protocol) {
        if (!add_exported(to, to->instance.object))
            fail(to);
        return;
    }
    PyObject *reader = entry->reader;
    Py_INCREF(reader);
    PyObject *answer =
        PyObject_CallFunctionObjArgs(reader, to->instance.object, NULL);
    if (!add_answer(to, answer))
        fail(to);
    Py_XDECREF(answer);
    Py_DECREF(reader);
}

/** The registration of the type or of its nearest registered base; NULL if
 *  there is none. Valid until the next call. */
static const lg__registration *
registered_find(lg__registered *state, PyTypeObject *type)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (state->type == type)
        return state->entry.given ? &state->entry : NULL;
    state->type = type;
    state->entry = (lg__registration){0};
    PyTypeObject *nearest = NULL;
    while (PyDict_Next(state->registry, &position, &key, &value)) {
        PyTypeObject *known = (PyTypeObject *)key;
        if (!PyType_Check(key) || !PyType_IsSubtype(type, known) ||
            (nearest != NULL && !PyType_IsSubtype(known, nearest)) ||
            !PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) != 4)
            continue;
        nearest = known;
        state->entry = (lg__registration){
            .given = true,
            .address = PyTuple_GET_ITEM(value, 0),
            .length = PyTuple_GET_ITEM(value, 1),
            .protocol = PyTuple_GET_ITEM(value, 2) == Py_True,
            .reader = PyTuple_GET_ITEM(value, 3),
        };
    }
    return state->entry.given ? &state->entry : NULL;
}

static void
ask_all(asking *to)
{
    while (!to->interrupted && lg__pass_next(to->pass, &to->instance)) {
        /* Forgets the cached entry, because a reader may register types. */
        to->state->type = NULL;
        const lg__registration *entry =
            registered_find(to->state, Py_TYPE(to->instance.object));
        if (entry == NULL || entry->length != Py_None || to->instance.frontier)
            continue;
        if (to->state->refused != NULL)
            registered_fail(to->pass, &to->instance, to->state->refused);
        else
            ask(to, entry);
    }
}

static void
registered_ask(lg__adapter_pass *pass, void *context)
{
    asking to = {.pass = pass, .state = context};
    Py_ssize_t types = PyDict_GET_SIZE(to.state->registry);
    PyObject *registry = to.state->registry;
    if (to.state->refused != NULL)
        return;
    Py_INCREF(registry);
    to.state->refused = lg__pass_begin_callbacks(pass);
    ask_all(&to);
    if (to.state->refused == NULL)
        lg__pass_end_callbacks();
    if (to.failed > 0)
        lg__pass_note(pass,
                      "inspected: %zd types; %llu of %llu instances "
                      "did not answer",
                      types, (unsigned long long)to.failed,
                      (unsigned long long)to.asked);
    Py_DECREF(registry);
}

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    PyObject *module = lg__pass_module("leakgraph.buffers");
    PyObject *registry =
        module != NULL ? lg__pass_member(module, "_registry") : NULL;
    if (registry == NULL || !PyDict_CheckExact(registry) ||
        PyDict_GET_SIZE(registry) == 0)
        return false;
    lg__registered *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    state->registry = registry;
    *out = state;
    lg__pass_note(pass, "inspected: %zd types", PyDict_GET_SIZE(registry));
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    return registered_find(context, type) != NULL;
}

static void
finish(void *state)
{
    (void)state;
}

/** A number as an object; None is 0. */
static bool
number_of(PyObject *value, uint64_t *out)
{
    int overflow = 0;
    if (value == Py_None) {
        *out = 0;
        return true;
    }
    if (value == NULL || !PyLong_Check(value))
        return false;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    *out = (uint64_t)number;
    return overflow == 0 && number >= 0;
}

/** A number in a member of the C struct. */
static bool
number_in(const char *word, int type, uint64_t *out)
{
    uint64_t wide;
    uint32_t narrow;
    PyObject *object;
    switch (type) {
    case T_OBJECT:
    case T_OBJECT_EX:
        memcpy(&object, word, sizeof object);
        return number_of(object != NULL ? object : Py_None, out);
    case T_INT:
    case T_UINT:
        memcpy(&narrow, word, sizeof narrow);
        *out = narrow;
        return type == T_UINT || narrow <= INT32_MAX;
    case T_LONG:
    case T_LONGLONG:
    case T_PYSSIZET:
    case T_ULONG:
    case T_ULONGLONG:
        memcpy(&wide, word, sizeof wide);
        *out = wide;
        return wide <= INT64_MAX;
    default:
        return false;
    }
}

/** 1: the type has such a member, and it is a number; 0: it has no such member;
 *  -1: the member is no number. */
static int
number_of_member(PyObject *object, const char *name, uint64_t *out)
{
    PyMemberDef member;
    for (PyTypeObject *type = Py_TYPE(object); type != NULL;
         type = type->tp_base)
        for (size_t i = 0; lg__member_at(type, i, &member); i++)
            if (strcmp(member.name, name) == 0)
                return number_in((char *)object + member.offset, member.type,
                                 out)
                           ? 1
                           : -1;
    return 0;
}

/** Reads a declared number: none, a name, or an offset. False if it is not
 *  readable. */
static bool
read_declared(lg__adapter_pass *pass, PyObject *object, PyObject *where,
              uint64_t *out)
{
    uint64_t offset;
    *out = 0;
    if (where == Py_None)
        return true;
    if (PyLong_Check(where))
        return number_of(where, &offset) &&
               offset + 8 <= (uint64_t)Py_TYPE(object)->tp_basicsize &&
               number_in((char *)object + offset, T_PYSSIZET, out);
    if (!PyUnicode_Check(where) || !PyUnicode_IS_COMPACT_ASCII(where))
        return false;
    const char *name = (const char *)PyUnicode_1BYTE_DATA(where);
    int found = number_of_member(object, name, out);
    if (found != 0)
        return found > 0;
    return number_of(lg__pass_attribute(pass, object, name), out);
}

static void
scan_declared(lg__adapter_pass *pass, const lg__registration *entry,
              const lg__instance *instance)
{
    uint64_t address, length;
    char why[160];
    PyObject *wrong = NULL;
    if (!read_declared(pass, instance->object, entry->address, &address))
        wrong = entry->address;
    else if (!read_declared(pass, instance->object, entry->length, &length))
        wrong = entry->length;
    if (wrong == NULL) {
        if (length > 0 && (address != 0 || entry->address == Py_None))
            registered_add(pass, instance, (const void *)(uintptr_t)address,
                           length, 0);
        return;
    }
    if (PyUnicode_Check(wrong) && PyUnicode_IS_COMPACT_ASCII(wrong))
        snprintf(why, sizeof why, "it has no number with the name %.100s",
                 (const char *)PyUnicode_1BYTE_DATA(wrong));
    else
        snprintf(why, sizeof why, "there is no number at the declared offset");
    registered_fail(pass, instance, why);
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    lg__registered *state = context;
    lg__instance instance;
    state->refused = lg__pass_refusal(pass);
    while (lg__pass_next(pass, &instance)) {
        const lg__registration *entry =
            registered_find(state, Py_TYPE(instance.object));
        if (entry == NULL)
            continue;
        if (entry->length != Py_None)
            scan_declared(pass, entry, &instance);
        else if (state->refused != NULL)
            registered_fail(pass, &instance, state->refused);
    }
}

const lg__adapter lg__registered_adapter = {
    .name = "registered",
    .prepare = prepare,
    .kind = kind_of,
    .pass = scan_all,
    .ask = registered_ask,
    .finish = finish,
};

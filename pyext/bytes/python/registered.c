/** Types that a program registered: see leakgraph/buffers.py, whose registry
 *  this reads. */
#include "bytes/python/registered.h"
#include "bytes/common/bytes_common.h"
#include "capture/common/capture_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

const lg__registration *
lg__registered_find(lg__registered *state, PyTypeObject *type)
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

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    return lg__registered_find(context, type) != NULL;
}

static void
finish(void *state)
{
    (void)state;
}

void
lg__registered_fail(lg__adapter_pass *pass, const lg__instance *instance,
                    const char *why)
{
    lg_builder_add_fact(lg__pass_builder(pass), instance->node, "not inspected",
                        why, strlen(why));
    lg__pass_note(pass, "not inspected: of %.80s #%lu %s",
                  Py_TYPE(instance->object)->tp_name,
                  (unsigned long)instance->node, why);
}

void
lg__registered_add(lg__adapter_pass *pass, const lg__instance *instance,
                   const void *address, uint64_t length, uint32_t device)
{
    lg_builder *builder = lg__pass_builder(pass);
    const char *name = Py_TYPE(instance->object)->tp_name;
    char type[160], bytes[24];
    /* A length cannot exceed the address space. */
    if (length >> 57 != 0) {
        lg__registered_fail(pass, instance, "the length is out of range");
        return;
    }
    snprintf(type, sizeof type, "%.140s.memory", name);
    int digits = snprintf(bytes, sizeof bytes, "%" PRIu64, length);
    const lg_span span = {
        .holder = instance->node,
        .device = device,
        .address = (uint64_t)(uintptr_t)address,
        .length = length,
        .type = lg__pass_type(pass, type, LG_NONE),
        .label = lg_builder_intern(builder, "data", 4),
        .flags = LG_SPAN_OWNER,
    };
    lg_builder_add_fact(builder, instance->node, "bytes", bytes,
                        (size_t)digits);
    if (instance->frontier)
        lg__pass_add_size(pass, instance->node, (int64_t)length);
    else
        lg_builder_add_span(builder, &span);
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
            lg__registered_add(pass, instance, (const void *)(uintptr_t)address,
                               length, 0);
        return;
    }
    if (PyUnicode_Check(wrong) && PyUnicode_IS_COMPACT_ASCII(wrong))
        snprintf(why, sizeof why, "it has no number with the name %.100s",
                 (const char *)PyUnicode_1BYTE_DATA(wrong));
    else
        snprintf(why, sizeof why, "there is no number at the declared offset");
    lg__registered_fail(pass, instance, why);
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    lg__registered *state = context;
    lg__instance instance;
    state->refused = lg__pass_refusal(pass);
    while (lg__pass_next(pass, &instance)) {
        const lg__registration *entry =
            lg__registered_find(state, Py_TYPE(instance.object));
        if (entry == NULL)
            continue;
        if (entry->length != Py_None)
            scan_declared(pass, entry, &instance);
        else if (state->refused != NULL)
            lg__registered_fail(pass, &instance, state->refused);
    }
}

const lg__adapter lg__registered_adapter = {
    .name = "registered",
    .prepare = prepare,
    .kind = kind_of,
    .pass = scan_all,
    .ask = lg__registered_ask,
    .finish = finish,
};

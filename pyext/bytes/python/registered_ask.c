/** Asks registered types' own code for their memory. */
#include "bytes/python/registered.h"

#include <stdio.h>
#include <string.h>

typedef struct asking {
    lg__adapter_pass *pass;
    lg__registered *state;
    lg__instance instance;
    uint64_t asked;
    uint64_t failed;
    bool interrupted;
} asking;

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
    lg__registered_fail(to->pass, &to->instance, why);
    to->failed++;
    Py_XDECREF(string);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_Clear();
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
        lg__registered_add(to->pass, &to->instance, view.buf,
                           (uint64_t)view.len, 0);
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
        lg__registered_add(to->pass, &to->instance,
                           (const void *)(uintptr_t)from, bytes,
                           lg__pass_device(to->pass, device));
    return true;
}

static bool
add_number(asking *to, PyObject *piece)
{
    unsigned long long bytes = PyLong_AsUnsignedLongLong(piece);
    if (PyErr_Occurred())
        return false;
    if (bytes > 0)
        lg__registered_add(to->pass, &to->instance, NULL, bytes, 0);
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

static void
ask_all(asking *to)
{
    while (!to->interrupted && lg__pass_next(to->pass, &to->instance)) {
        /* Forgets the cached entry, because a reader may register types. */
        to->state->type = NULL;
        const lg__registration *entry =
            lg__registered_find(to->state, Py_TYPE(to->instance.object));
        if (entry == NULL || entry->length != Py_None || to->instance.frontier)
            continue;
        if (to->state->refused != NULL)
            lg__registered_fail(to->pass, &to->instance, to->state->refused);
        else
            ask(to, entry);
    }
}

void
lg__registered_ask(lg__adapter_pass *pass, void *context)
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

/**
 * What signal.signal() keeps: one array of the process
 * (Modules/signalmodule.c), whose symbol CPython does not export. At import,
 * the module's own function tells what is in it, and the variables around
 * CPython's runtime are searched for that. Where the search fails, each capture
 * asks the function, which writes the reference counts of the handlers, but
 * runs no code of a program.
 */
#include "capture/walk/signal_handlers.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef NSIG
#define NSIG 0
#endif

/** Returns _signal.getsignal; NULL if the module is not loaded, or has
 *  something else there. Borrowed. */
static const PyCFunctionObject *
find_getter(void)
{
    PyObject *module = lg__dict_find(PyImport_GetModuleDict(), "_signal");
    if (module == NULL || !PyModule_CheckExact(module))
        return NULL;
    PyObject *names = lg__module_dict(module);
    PyObject *found = names != NULL ? lg__dict_find(names, "getsignal") : NULL;
    if (found == NULL || !PyCFunction_CheckExact(found))
        return NULL;
    const PyCFunctionObject *getter = (PyCFunctionObject *)found;
    bool sound = getter->m_self == module && getter->m_ml->ml_flags == METH_O &&
                 strcmp(getter->m_ml->ml_name, "getsignal") == 0;
    return sound ? getter : NULL;
}

/** A row of the array, the same in CPython 3.9 to 3.15. */
typedef struct row {
    int tripped; /**< whether the signal waits for Python's handler */
    PyObject *handler;
} row;

/** NULL: not found. Written once, at import. */
static const row *array;

/** Returns the handler of a signal, borrowed: an int stands for SIG_DFL and
 *  SIG_IGN, None for a handler in C. The number is a small int, so that CPython
 *  has it already. */
static PyObject *
asked_for(const PyCFunctionObject *getter, int number)
{
    PyObject *argument = PyLong_FromLong(number);
    PyObject *handler = getter->m_ml->ml_meth(getter->m_self, argument);
    Py_XDECREF(argument);
    Py_XDECREF(handler);
    return handler;
}

static bool
has_all(const row *rows, PyObject *const *handlers)
{
    for (int i = 1; i < NSIG; i++) {
        PyObject *expected = handlers[i] != Py_None ? handlers[i] : NULL;
        if ((rows[i].handler != handlers[i] && rows[i].handler != expected) ||
            (unsigned)rows[i].tripped > 1)
            return false;
    }
    return true;
}

/** The only rows that have these handlers, among the variables of CPython. */
static const row *
search(PyObject *const *handlers)
{
    lg__range range = lg__image_of(lg__runtime());
    const row *found = NULL;
    for (uintptr_t at = range.start; at + NSIG * sizeof *found <= range.end;
         at += sizeof at) {
        if (!has_all((const row *)at, handlers))
            continue;
        if (found != NULL)
            return NULL;
        found = (const row *)at;
    }
    return found;
}

void
lg__signal_handlers_find(void)
{
    const PyCFunctionObject *getter = find_getter();
    PyObject *handlers[NSIG + 1];
    bool known = getter != NULL && NSIG > 1;
    for (int number = 1; known && number < NSIG; number++) {
        handlers[number] = asked_for(getter, number);
        known = handlers[number] != NULL;
    }
    PyErr_Clear();
    array = known ? search(handlers) : NULL;
}

static PyObject *
handler_of(const PyCFunctionObject *getter, int number)
{
    return array != NULL ? array[number].handler : asked_for(getter, number);
}

void
lg__walk_signal_handlers(lg__heap_walk *walk)
{
    const PyCFunctionObject *getter = array == NULL ? find_getter() : NULL;
    if ((array == NULL && getter == NULL) ||
        walk->interpreter != PyInterpreterState_Main())
        return;
    for (int number = 1; number < NSIG; number++) {
        PyObject *handler = handler_of(getter, number);
        if (handler == NULL || handler == Py_None || PyLong_CheckExact(handler))
            continue;
        char label[32];
        snprintf(label, sizeof label, "signal handler %d", number);
        lg__walk_edge(walk, handler, LG_EDGE_NATIVE,
                      lg__walk_intern(walk, label));
    }
}

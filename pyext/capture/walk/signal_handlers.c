/**
 * What signal.signal() keeps. Up to 3.11 the handlers lie in static variables
 * (Modules/signalmodule.c), so the module's own function is asked, in all
 * versions. It allocates nothing and runs no code of a program.
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
    PyObject *names = ((lg__module_layout *)module)->md_dict;
    PyObject *found = names != NULL ? lg__dict_find(names, "getsignal") : NULL;
    if (found == NULL || !PyCFunction_CheckExact(found))
        return NULL;
    const PyCFunctionObject *getter = (PyCFunctionObject *)found;
    bool sound = getter->m_self == module && getter->m_ml->ml_flags == METH_O &&
                 strcmp(getter->m_ml->ml_name, "getsignal") == 0;
    return sound ? getter : NULL;
}

/** Returns the handler of a signal, borrowed: an int stands for SIG_DFL and
 *  SIG_IGN, None for a handler in C. The number is a small int, so that CPython
 *  has it already. */
static PyObject *
handler_of(const PyCFunctionObject *getter, int number)
{
    PyObject *argument = PyLong_FromLong(number);
    PyObject *handler = getter->m_ml->ml_meth(getter->m_self, argument);
    Py_XDECREF(argument);
    Py_XDECREF(handler);
    return handler;
}

void
lg__walk_signal_handlers(lg__heap_walk *walk)
{
    const PyCFunctionObject *getter = find_getter();
    if (getter == NULL || walk->interpreter != PyInterpreterState_Main())
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

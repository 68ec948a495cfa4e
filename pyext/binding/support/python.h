/** What is written in Python: texts for notebooks, conveniences. */
#ifndef LEAKGRAPH_PYTHON_H
#define LEAKGRAPH_PYTHON_H

#include "binding/support/shim.h"

/** function(argument), the function being one of the module of that name. */
static inline PyObject *
python_call(const char *module_name, const char *function, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule(module_name);
    if (module == NULL)
        return NULL;
    PyObject *result = PyObject_CallMethod(module, function, "(O)", argument);
    Py_DECREF(module);
    return result;
}

#endif

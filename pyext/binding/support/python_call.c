#include "binding/support/python_call.h"
#include "capture/common/capture_common.h"

#include <stdbool.h>

static PyObject *
call(const char *module_name, const char *function, PyObject *argument)
{
    PyObject *module = PyImport_ImportModule(module_name);
    if (module == NULL)
        return NULL;
    PyObject *result = lg__method_call(module, function, argument);
    Py_DECREF(module);
    return result;
}

/* Returns whether the exception looks like a module that is gone, or whose
   names are None by now. */
static bool
is_of_ending(void)
{
    return Py_IsFinalizing() && (PyErr_ExceptionMatches(PyExc_ImportError) ||
                                 PyErr_ExceptionMatches(PyExc_AttributeError) ||
                                 PyErr_ExceptionMatches(PyExc_TypeError));
}

PyObject *
lg__python_call(lg__core_state *state, const char *module, const char *function,
                PyObject *argument)
{
    PyObject *result = call(module, function, argument);
    if (result == NULL && is_of_ending())
        PyErr_Format(state->errors[LG__ERROR_BASE],
                     "%s() of %s can no longer run, because the interpreter is "
                     "ending: ask earlier, for example in an atexit callback.",
                     function, module);
    return result;
}

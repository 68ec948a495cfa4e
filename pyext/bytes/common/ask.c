#include "bytes/common/ask.h"

#include <stdarg.h>

static PyObject *
answer(PyObject *value)
{
    if (value == NULL && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
        PyErr_SetInterrupt();
    PyErr_Clear();
    return value;
}

PyObject *
lg__ask_call(PyObject *callable, PyObject *args, PyObject *names)
{
    PyObject *none = args == NULL ? PyTuple_New(0) : NULL;
    PyObject *given = args == NULL ? none : args;
    PyObject *value = callable != NULL && given != NULL
                          ? PyObject_Call(callable, given, names)
                          : NULL;
    Py_XDECREF(none);
    return PyErr_Occurred() ? answer(value) : value;
}

PyObject *
lg__ask_callf(PyObject *callable, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    PyObject *args = Py_VaBuildValue(format, values);
    va_end(values);
    PyObject *value = args != NULL ? lg__ask_call(callable, args, NULL) : NULL;
    Py_XDECREF(args);
    PyErr_Clear();
    return value;
}

PyObject *
lg__ask_attribute(PyObject *object, const char *name)
{
    /* Intern the name: types cache names by address, and keep them. */
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = key != NULL ? PyObject_GetAttr(object, key) : NULL;
    Py_XDECREF(key);
    return value != NULL ? value : answer(NULL);
}

PyObject *
lg__ask_as(PyTypeObject *type, PyObject *object, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *found = key != NULL ? _PyType_Lookup(type, key) : NULL;
    PyObject *value = NULL;
    if (found != NULL) {
        descrgetfunc get = Py_TYPE(found)->tp_descr_get;
        Py_INCREF(found);
        value = get != NULL ? get(found, object, (PyObject *)type) : NULL;
        Py_DECREF(found);
    }
    Py_XDECREF(key);
    return value != NULL ? value : answer(NULL);
}

PyObject *
lg__ask_inner(PyObject *object, const char *name, const char *further)
{
    PyObject *first = lg__ask_attribute(object, name);
    PyObject *value = first != NULL ? lg__ask_attribute(first, further) : NULL;
    Py_XDECREF(first);
    return value;
}

PyObject *
lg__ask_method(PyObject *object, const char *name)
{
    PyObject *method = lg__ask_attribute(object, name);
    PyObject *value = lg__ask_call(method, NULL, NULL);
    Py_XDECREF(method);
    return value;
}

bool
lg__ask_number(PyObject *value, uint64_t *out)
{
    bool fine = value != NULL && PyLong_Check(value);
    unsigned long long number = fine ? PyLong_AsUnsignedLongLong(value) : 0;
    fine = fine && !PyErr_Occurred();
    PyErr_Clear();
    Py_XDECREF(value);
    if (fine)
        *out = number;
    return fine;
}

bool
lg__ask_true(PyObject *value)
{
    bool is_true = value == Py_True;
    Py_XDECREF(value);
    return is_true;
}

const char *
lg__ask_version(const char *name)
{
    PyObject *module = lg__pass_module(name);
    PyObject *version =
        module != NULL ? lg__pass_member(module, "__version__") : NULL;
    const char *text = version != NULL && PyUnicode_Check(version)
                           ? PyUnicode_AsUTF8(version)
                           : NULL;
    PyErr_Clear();
    return text != NULL ? text : "";
}

#include "capture/common/interned_attribute.h"

PyObject *
lg__attribute_get(PyObject *object, const char *name)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *value = key != NULL ? PyObject_GetAttr(object, key) : NULL;
    Py_XDECREF(key);
    return value;
}

PyObject *
lg__method_call(PyObject *object, const char *name, PyObject *argument)
{
    return lg__method_call_two(object, name, argument, NULL);
}

PyObject *
lg__method_call_two(PyObject *object, const char *name, PyObject *first,
                    PyObject *second)
{
    PyObject *key = PyUnicode_InternFromString(name);
    PyObject *result =
        key != NULL
            ? PyObject_CallMethodObjArgs(object, key, first, second, NULL)
            : NULL;
    Py_XDECREF(key);
    return result;
}

#include "binding/support/args.h"

static Py_ssize_t
name_index(const arg_list *list, PyObject *name)
{
    for (Py_ssize_t i = 0; list->names[i] != NULL; i++)
        if (PyUnicode_CompareWithASCIIString(name, list->names[i]) == 0)
            return i;
    return -1;
}

static bool
take_keyword(const arg_list *list, PyObject *name, PyObject *value,
             PyObject **values)
{
    Py_ssize_t index = name_index(list, name);
    if (index < 0) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U'",
                     list->function, name);
        return false;
    }
    if (values[index] != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got multiple values for argument '%U'",
                     list->function, name);
        return false;
    }
    values[index] = value;
    return true;
}

bool
args_take(const arg_list *list, PyObject *const *args, Py_ssize_t nargs,
          PyObject *kwnames, PyObject **values)
{
    if (nargs > list->positional) {
        PyErr_Format(PyExc_TypeError,
                     "%s() takes at most %zd positional arguments, %zd given",
                     list->function, list->positional, nargs);
        return false;
    }
    for (Py_ssize_t i = 0; i < nargs; i++)
        values[i] = args[i];
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t i = 0; i < keywords; i++)
        if (!take_keyword(list, PyTuple_GET_ITEM(kwnames, i), args[nargs + i],
                          values))
            return false;
    for (Py_ssize_t i = 0; i < list->required; i++)
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() needs the argument '%s'",
                         list->function, list->names[i]);
            return false;
        }
    return true;
}

bool
arg_limit(const char *name, PyObject *value, uint64_t max, uint64_t *out)
{
    if (value == NULL || value == Py_None)
        return true;
    PyObject *index = PyNumber_Index(value);
    if (index == NULL)
        return false;
    unsigned long long number = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    bool failed = number == (unsigned long long)-1 && PyErr_Occurred();
    if (failed && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return false;
    if (!failed && number > 0 && number <= max) {
        *out = number;
        return true;
    }
    if (max < UINT32_MAX)
        PyErr_Format(PyExc_ValueError, "%s must be between 1 and %llu", name,
                     (unsigned long long)max);
    else
        PyErr_Format(PyExc_ValueError, "%s must be a positive number, not %R",
                     name, value);
    return false;
}

bool
arg_flag(PyObject *value, bool *out)
{
    if (value == NULL)
        return true;
    int truth = PyObject_IsTrue(value);
    if (truth < 0)
        return false;
    *out = truth != 0;
    return true;
}

bool
arg_objects(const char *name, PyObject *value, PyObject **out)
{
    *out = NULL;
    if (value == NULL || value == Py_None)
        return true;
    if (PyUnicode_Check(value) || PyBytes_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a list or tuple of objects",
                     name);
        return false;
    }
    *out = PySequence_Fast(value, "");
    if (*out == NULL && PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError,
                     "%s must be a list or tuple of objects, not %.100s", name,
                     Py_TYPE(value)->tp_name);
    return *out != NULL;
}

bool
arg_text(const char *name, PyObject *value, const char **out)
{
    *out = NULL;
    if (value == NULL || value == Py_None)
        return true;
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str or None, not %.100s",
                     name, Py_TYPE(value)->tp_name);
        return false;
    }
    *out = PyUnicode_AsUTF8(value);
    return *out != NULL;
}

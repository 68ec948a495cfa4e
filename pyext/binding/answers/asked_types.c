#include "binding/answers/asked_types.h"
#include "binding/support/binding_support.h"

#include <stdlib.h>

/* The name as snapshots have it: builtins without their module. Asks the type
 * itself, not a metaclass that may run code. */
static PyObject *
name_of_type(PyObject *type)
{
    PyObject *names[2] = {PyUnicode_FromString("__module__"),
                          PyUnicode_FromString("__qualname__")};
    PyObject *values[2] = {NULL};
    PyObject *name = NULL;
    for (int i = 0; i < 2 && names[i] != NULL; i++)
        values[i] = PyType_Type.tp_getattro(type, names[i]);
    if (values[0] != NULL && values[1] != NULL) {
        bool bare =
            PyUnicode_Check(values[0]) &&
            PyUnicode_CompareWithASCIIString(values[0], "builtins") == 0;
        name = bare ? PyObject_Str(values[1])
                    : PyUnicode_FromFormat("%S.%S", values[0], values[1]);
    }
    for (int i = 0; i < 2; i++) {
        Py_XDECREF(names[i]);
        Py_XDECREF(values[i]);
    }
    return name;
}

bool
lg__asked_types_parse(lg__asked_types *self, const char *name, PyObject *value,
                      lg_given *out)
{
    if (value == Py_None || PyUnicode_Check(value)) {
        if (!lg__arg_text(name, value, &out->text))
            return false;
        out->given = out->text != NULL;
        return true;
    }
    if (PyType_Check(value)) {
        self->type_name = name_of_type(value);
        if (self->type_name != NULL)
            out->text = lg__arg_utf8("the name of the type", self->type_name);
        out->given = out->text != NULL;
        return out->given;
    }
    if (PyCallable_Check(value)) {
        self->predicate = value;
        self->given = out;
        return true;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s must be 'tensor', 'figure', a type, its name or a "
                 "callable, not %.100s",
                 name, Py_TYPE(value)->tp_name);
    return false;
}

/* What the predicate says of the name when it is asked at the first type of
 * that name: 1, 0, or -1 with an exception. */
static int
ask_name(PyObject *predicate, PyObject *answers, PyObject *name)
{
    PyObject *known = PyDict_GetItemWithError(answers, name);
    if (known != NULL)
        return known == Py_True;
    if (PyErr_Occurred())
        return -1;
    PyObject *answer = PyObject_CallFunctionObjArgs(predicate, name, NULL);
    int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (truth < 0)
        return -1;
    return PyDict_SetItem(answers, name, truth ? Py_True : Py_False) < 0
               ? -1
               : truth;
}

bool
lg__asked_types_ask(lg__asked_types *self, const lg_graph *graph)
{
    if (self->predicate == NULL)
        return true;
    uint32_t count = lg_graph_type_count(graph);
    PyObject *answers = PyDict_New();
    self->types = answers ? calloc((size_t)count + 1, 1) : NULL;
    bool done = self->types != NULL;
    if (answers != NULL && !done)
        PyErr_NoMemory();
    for (uint32_t type = 0; done && type < count; type++) {
        PyObject *name = lg__string_object(lg_graph_type(graph, type).name);
        int truth = name ? ask_name(self->predicate, answers, name) : -1;
        Py_XDECREF(name);
        done = truth >= 0;
        self->types[type] = truth > 0;
    }
    Py_XDECREF(answers);
    *self->given = (lg_given){.given = true, .types = self->types};
    return done;
}

void
lg__asked_types_clear(lg__asked_types *self)
{
    free(self->types);
    Py_XDECREF(self->type_name);
}

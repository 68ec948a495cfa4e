/** Converts C values to Python objects. */
#ifndef LEAKGRAPH_CONVERT_H
#define LEAKGRAPH_CONVERT_H

#include "binding/support/state.h"
#include <leakgraph/text.h>

static inline PyObject *
lg__string_object(lg_string string)
{
    return PyUnicode_DecodeUTF8(string.data, (Py_ssize_t)string.length,
                                "replace");
}

/** A tuple of strings: at(of, 0), at(of, 1) ... */
static inline PyObject *
lg__string_tuple(uint32_t count,
                 lg_string (*at)(const void *of, uint32_t index),
                 const void *of)
{
    PyObject *strings = PyTuple_New((Py_ssize_t)count);
    for (uint32_t i = 0; strings != NULL && i < count; i++) {
        PyObject *string = lg__string_object(at(of, i));
        if (string == NULL)
            Py_CLEAR(strings);
        else
            PyTuple_SET_ITEM(strings, (Py_ssize_t)i, string);
    }
    return strings;
}

/** The text as a str; frees it. MemoryError if it failed to grow. */
static inline PyObject *
lg__text_object(lg_text *text)
{
    PyObject *string =
        text->failed
            ? PyErr_NoMemory()
            : PyUnicode_DecodeUTF8(text->data ? text->data : "",
                                   (Py_ssize_t)text->length, "replace");
    lg_text_free(text);
    return string;
}

/** Appends a new reference to a list, which takes it over. False if it is NULL
 *  or memory ran out. */
static inline bool
lg__list_take(PyObject *list, PyObject *item)
{
    bool taken = item != NULL && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return taken;
}

#endif

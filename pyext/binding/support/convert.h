/** Converts C values to Python objects. */
#ifndef LEAKGRAPH_CONVERT_H
#define LEAKGRAPH_CONVERT_H

#include "binding/support/state.h"
#include <leakgraph/text.h>

static inline PyObject *
string_object(lg_string string)
{
    return PyUnicode_DecodeUTF8(string.data, (Py_ssize_t)string.length,
                                "replace");
}

/** The text as a str; frees it. MemoryError if it failed to grow. */
static inline PyObject *
text_object(lg_text *text)
{
    PyObject *string =
        text->failed
            ? PyErr_NoMemory()
            : PyUnicode_DecodeUTF8(text->data ? text->data : "",
                                   (Py_ssize_t)text->length, "replace");
    lg_text_free(text);
    return string;
}

#endif

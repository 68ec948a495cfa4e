/**
 * The struct of io.StringIO (Modules/_io/stringio.c), per version.
 *
 * The text is in `characters` once the program has moved in it. Before, it is
 * in objects: a str that has more room than text, or, up to 3.11, two lists.
 */
#ifndef LEAKGRAPH_COMPAT_STRINGIO_H
#define LEAKGRAPH_COMPAT_STRINGIO_H

#include <Python.h>
#include <stdbool.h>

typedef struct lg__stringio {
    PyObject_HEAD
    Py_UCS4 *characters;
    Py_ssize_t position;
    Py_ssize_t length;
    size_t room; /**< of `characters` */
    int state;
#if PY_VERSION_HEX >= 0x030E0000
    PyObject **writer; /**< its first word is the str */
#elif PY_VERSION_HEX >= 0x030C0000
    PyObject *text;
#else
    PyObject *lists[2];
#endif
} lg__stringio;

/** Returns whether the type's instances have that struct. */
static inline bool
lg__stringio_has_layout(const PyTypeObject *type)
{
    enum {
        WORDS = PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000 ? 19
                                                                            : 13
    };
    return type->tp_basicsize ==
           (Py_ssize_t)(sizeof(PyObject) + WORDS * sizeof(void *));
}

/** Finds what has the text that was written; either may be NULL. */
static inline void
lg__stringio_text_of(const lg__stringio *stream, PyObject *objects[2])
{
    enum { ACCUMULATING = 2 };
    objects[0] = objects[1] = NULL;
    if (stream->state != ACCUMULATING)
        return;
#if PY_VERSION_HEX >= 0x030E0000
    objects[0] = stream->writer != NULL ? *stream->writer : NULL;
#elif PY_VERSION_HEX >= 0x030C0000
    objects[0] = stream->text;
#else
    objects[0] = stream->lists[0];
    objects[1] = stream->lists[1];
#endif
}

#endif

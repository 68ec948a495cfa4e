/** What an io.StringIO keeps, whatever the version of CPython. */
#ifndef LEAKGRAPH_STRINGIO_H
#define LEAKGRAPH_STRINGIO_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

enum { LG__STRINGIO_OBJECTS = 2 };

/** Where the text is: in a buffer, once the program has moved in it; before, in
 *  objects. */
typedef struct lg__stringio_parts {
    const void *buffer;                      /**< NULL: none */
    uint64_t bytes;                          /**< of the buffer */
    PyObject *objects[LG__STRINGIO_OBJECTS]; /**< borrowed; any may be NULL */
} lg__stringio_parts;

/** Returns whether the instances of the type io.StringIO are as this build
 *  expects. */
bool lg__stringio_is_known(const PyTypeObject *type);
/** Reads an instance of such a type. */
lg__stringio_parts lg__stringio_read(const PyObject *stream);

#endif

/**
 * What rooms that do not see CPython's internal headers learn from them,
 * whatever the version of CPython.
 */
#ifndef LEAKGRAPH_INTERNALS_H
#define LEAKGRAPH_INTERNALS_H

#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

/** The block that has the bytes, and its size; NULL: none. */
const void *lg__bytearray_memory(const PyObject *array, uint64_t *bytes);

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

/** A tracemalloc.Traceback or None; NULL with an exception. `tracemalloc` is
 *  the module. */
PyObject *lg__object_traceback(PyObject *tracemalloc, PyObject *object);

/**
 * The bytes of the blocks that wait in the free lists of tuples, which pymalloc
 * counts as allocated. CPython keeps up to 2,000 tuples of each size up to 20,
 * 5 MB in all; its other free lists keep less than 200 KB. 0 if the interpreter
 * does not say. Call with the GIL held.
 */
uint64_t lg__free_list_bytes(void);

/*
 * Attributes by name, without a trace.
 *
 * CPython caches the attributes of types by the address of the name, and each
 * entry keeps its name. PyObject_GetAttrString() and PyObject_CallMethod() make
 * a new name in each call, so each of their calls may leave one more string
 * behind. Interned names have one address.
 */

/** As PyObject_GetAttrString(). */
PyObject *lg__attribute_get(PyObject *object, const char *name);
/** Calls a method with one argument, or, if it is NULL, with none. */
PyObject *lg__method_call(PyObject *object, const char *name,
                          PyObject *argument);
/** Calls a method with two arguments. */
PyObject *lg__method_call_two(PyObject *object, const char *name,
                              PyObject *first, PyObject *second);

#endif

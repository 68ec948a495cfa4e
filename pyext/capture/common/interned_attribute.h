/**
 * Attributes by name, without a trace.
 *
 * CPython caches the attributes of types by the address of the name, and each
 * entry keeps its name. PyObject_GetAttrString() and PyObject_CallMethod() make
 * a new name in each call, so each of their calls may leave one more string
 * behind. Interned names have one address.
 */
#ifndef LEAKGRAPH_INTERNED_ATTRIBUTE_H
#define LEAKGRAPH_INTERNED_ATTRIBUTE_H

#include <Python.h>

/** As PyObject_GetAttrString(). */
PyObject *lg__attribute_get(PyObject *object, const char *name);
/** Calls a method with one argument, or, if it is NULL, with none. */
PyObject *lg__method_call(PyObject *object, const char *name,
                          PyObject *argument);
/** Calls a method with two arguments. */
PyObject *lg__method_call_two(PyObject *object, const char *name,
                              PyObject *first, PyObject *second);

#endif

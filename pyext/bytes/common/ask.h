/**
 * Asks a library's own code, before or after the walk.
 *
 * A call that fails returns NULL and leaves no exception. A Ctrl-C meanwhile
 * waits until the capture is over.
 */
#ifndef LEAKGRAPH_ASK_H
#define LEAKGRAPH_ASK_H

#include "capture/adapters/adapter.h"

/** callable(*args, **names), a new reference or NULL. args may be NULL, and is
 *  then none; names likewise. A callable of NULL answers NULL. */
PyObject *lg_ask_call(PyObject *callable, PyObject *args, PyObject *names);
/** The same with arguments as Py_BuildValue makes them of "(...)". */
PyObject *lg_ask_callf(PyObject *callable, const char *format, ...);
/** object.name, a new reference or NULL. */
PyObject *lg_ask_attribute(PyObject *object, const char *name);
/** The same as a type that the object is an instance of has it, whatever
 * classes derived from that type have. */
PyObject *lg_ask_as(PyTypeObject *type, PyObject *object, const char *name);
/** object.name.further, a new reference or NULL. */
PyObject *lg_ask_inner(PyObject *object, const char *name, const char *further);
/** object.name(), a new reference or NULL. */
PyObject *lg_ask_method(PyObject *object, const char *name);

/** Returns whether the value, which it releases and which may be NULL, is a
 *  whole number from 0 that fits; then *out is set. */
bool lg_ask_number(PyObject *value, uint64_t *out);
/** Returns whether the value, which it releases and which may be NULL, is
 *  True. */
bool lg_ask_true(PyObject *value);

/** __version__ of a loaded module, or "". Valid as long as the module is. */
const char *lg_ask_version(const char *module);

#endif

/**
 * Asks a library's own code, before or after the walk.
 *
 * A call that fails returns NULL and leaves no exception. A Ctrl-C during it
 * takes effect after the capture.
 */
#ifndef LEAKGRAPH_ASK_H
#define LEAKGRAPH_ASK_H

#include "capture/adapters/capture_adapters.h"

/** callable(*args, **names), a new reference or NULL. args and names may be
 *  NULL, which means none. If callable is NULL, so is the result. */
PyObject *lg__ask_call(PyObject *callable, PyObject *args, PyObject *names);
/** The same with arguments that Py_BuildValue makes from "(...)". */
PyObject *lg__ask_callf(PyObject *callable, const char *format, ...);
/** Reads object.name: a new reference, or NULL. */
PyObject *lg__ask_attribute(PyObject *object, const char *name);
/** Reads the attribute as `type` defines it, whatever a subclass defines. */
PyObject *lg__ask_as(PyTypeObject *type, PyObject *object, const char *name);
/** Reads object.name.further: a new reference, or NULL. */
PyObject *lg__ask_inner(PyObject *object, const char *name,
                        const char *further);
/** Calls object.name(): a new reference, or NULL. */
PyObject *lg__ask_method(PyObject *object, const char *name);

/** Returns whether the value is a whole number from 0 that fits; then sets
 *  *out. Releases the value, which may be NULL. */
bool lg__ask_number(PyObject *value, uint64_t *out);
/** Returns whether the value is True. Releases the value, which may be NULL. */
bool lg__ask_true(PyObject *value);

/** The __version__ of a loaded module, or "". Lives as long as the module. */
const char *lg__ask_version(const char *module);

#endif

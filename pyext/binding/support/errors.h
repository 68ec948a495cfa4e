/** How a failure in C becomes a Python exception. */
#ifndef LEAKGRAPH_ERRORS_H
#define LEAKGRAPH_ERRORS_H

#include "binding/support/state.h"
#include <leakgraph/base.h>

/** Makes the exception classes and adds them to the module. */
int lg__errors_add(PyObject *module);

/** Raises the exception for `status` with the error's message. An exception
 *  that is already set (Ctrl-C, or from a progress callback) stays. Returns
 *  NULL. */
PyObject *lg__error_raise(lg__core_state *state, lg_status status,
                          const lg_error *error);

/** Raises ChildError; `number` is the signal that killed the child, or 0. */
void lg__error_raise_child(lg__core_state *state, const lg_error *error,
                           int number);

/** Raises PictureError; takes over `text`, the picture as a str. `text` may be
 *  NULL with an exception set, which stays. */
void lg__error_raise_picture(lg__core_state *state, const lg_error *error,
                             PyObject *text);

/** Returns function(argument), the function being one of the module of that
 *  name. While the interpreter ends, Python code may no longer be able to run:
 *  then this raises Error. */
PyObject *lg__python_call(lg__core_state *state, const char *module,
                          const char *function, PyObject *argument);

#endif

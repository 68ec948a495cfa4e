/** Calls the package's Python code: texts for notebooks, conveniences. */
#ifndef LEAKGRAPH_PYTHON_CALL_H
#define LEAKGRAPH_PYTHON_CALL_H

#include "binding/support/state.h"

/** Returns function(argument), the function being one of the module of that
 *  name. While the interpreter ends, Python code may no longer be able to run:
 *  then this raises Error. */
PyObject *lg__python_call(lg__core_state *state, const char *module,
                          const char *function, PyObject *argument);

#endif

/** Info: a dict that shows itself in a REPL as the text that the command
 * prints.
 */
#ifndef LEAKGRAPH_PY_REPORT_H
#define LEAKGRAPH_PY_REPORT_H

#include "binding/support/shim.h"

extern PyType_Spec info_spec;

/** Its base type. */
#define INFO_BASE ((PyObject *)&PyDict_Type)

#endif

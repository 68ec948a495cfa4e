/**
 * Report (a str) and Info (a dict) that show themselves in a REPL as the text
 * that the command prints.
 */
#ifndef LEAKGRAPH_PY_REPORT_H
#define LEAKGRAPH_PY_REPORT_H

#include "binding/support/shim.h"

extern PyType_Spec report_spec;
extern PyType_Spec info_spec;

/** Their base types. */
#define REPORT_BASE ((PyObject *)&PyUnicode_Type)
#define INFO_BASE ((PyObject *)&PyDict_Type)

#endif

/** Info: a dict that a REPL shows as the text that the command prints. */
#ifndef LEAKGRAPH_PY_REPORT_H
#define LEAKGRAPH_PY_REPORT_H

#include "binding/support/binding_support.h"

extern PyType_Spec lg__info_spec;

/** The base type of Info. */
#define LG__INFO_BASE ((PyObject *)&PyDict_Type)

#endif

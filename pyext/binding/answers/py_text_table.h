/** Texts laid out as a table, for the package. */
#ifndef LEAKGRAPH_PY_TEXT_TABLE_H
#define LEAKGRAPH_PY_TEXT_TABLE_H

#include "binding/support/binding_support.h"

PyObject *lg__core_text_table(PyObject *module, PyObject *args);

extern const char lg__core_text_table_doc[];

#endif

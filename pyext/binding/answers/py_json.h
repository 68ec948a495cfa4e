/** Plain values of Python as JSON. */
#ifndef LEAKGRAPH_PY_JSON_H
#define LEAKGRAPH_PY_JSON_H

#include "binding/support/binding_support.h"

/** _core._json(value): dicts, lists, tuples, texts, numbers, bools and None. */
PyObject *lg__core_json(PyObject *module, PyObject *value);

extern const char lg__core_json_doc[];

#endif

/** What the named tuples share beyond the interpreter's own. */
#ifndef LEAKGRAPH_ROW_H
#define LEAKGRAPH_ROW_H

#include "binding/support/binding_support.h"

/** Gives a type an attribute. Takes over the value, which may be NULL with an
 *  exception. -1 with an exception. */
int lg__row_type_add(PyTypeObject *type, const char *name, PyObject *value);

/** Makes a type of named tuples and adds it to the module. The strings of
 *  `desc` must stay. The type has `_fields`, `_asdict()` and `_replace()`, by
 *  which pandas and others recognise a named tuple, and `json` and `to_dict()`.
 *  -1 with an exception. */
int lg__row_type_new(PyObject *module, lg__core_type id,
                     PyStructSequence_Desc *desc);

#endif

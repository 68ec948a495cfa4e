/** What the named tuples share beyond the interpreter's own. */
#ifndef LEAKGRAPH_ROW_H
#define LEAKGRAPH_ROW_H

#include "binding/support/state.h"

/** Gives a type an attribute, and takes the reference to its value; NULL, with
 *  an exception, for one that could not be made. -1 with an exception. */
int row_type_add(PyTypeObject *type, const char *name, PyObject *value);

/** Gives a type of named tuples `_fields` and `_asdict()`, which pandas and
 *  others know one by. -1 with an exception. */
int row_type_finish(PyTypeObject *type, const PyStructSequence_Desc *desc);

#endif

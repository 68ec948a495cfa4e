/** TypeTable: how many objects of which type, and their bytes. */
#ifndef LEAKGRAPH_TYPE_TABLE_OBJECT_H
#define LEAKGRAPH_TYPE_TABLE_OBJECT_H

#include "binding/objects/py_snapshot.h"

extern PyType_Spec lg__table_spec;

/** Makes a tuple of TypeRow for these nodes alone, most bytes first. */
PyObject *lg__type_rows_of(lg__snapshot_object *snapshot, const uint32_t *nodes,
                           size_t count);

#endif

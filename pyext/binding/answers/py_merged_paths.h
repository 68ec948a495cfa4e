/** MergedPaths: how the roots reach many objects. */
#ifndef LEAKGRAPH_PY_MERGED_PATHS_H
#define LEAKGRAPH_PY_MERGED_PATHS_H

#include "binding/objects/binding_objects.h"

extern PyType_Spec lg__merged_spec;

/** The MergedPaths of the nodes, in at most that many lines (0: all). */
PyObject *lg__merged_of(lg__snapshot_object *snapshot, const lg_nodes *nodes,
                        size_t limit, const lg_monitor *monitor);

#endif

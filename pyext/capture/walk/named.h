/**
 * The careful walk of an object of any type, and how many elements an object
 * keeps at most, as a fact of its node.
 *
 * A deque has its limit in its struct, and an lru_cache too. The caches of
 * libraries are classes of Python: they have a number beside their container,
 * in an attribute such as `maxsize`. Modules have both in variables.
 */
#ifndef LEAKGRAPH_NAMED_H
#define LEAKGRAPH_NAMED_H

#include "capture/walk/heap_walk.h"

void lg__walk_named(lg__heap_walk *walk, PyObject *object, lg__type_info *info);

/** Notes the limit of an instance of a type that has one, and what is used of
 *  it. */
void lg__walk_note_limit(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info);

#endif

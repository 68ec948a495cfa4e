/**
 * How many elements an object keeps at most, as a fact of its node.
 *
 * A deque has its limit in its struct, and an lru_cache too. The caches of
 * libraries are classes of Python: they have a number beside their container,
 * in an attribute such as `maxsize`. Modules have both in variables.
 */
#ifndef LEAKGRAPH_LIMIT_H
#define LEAKGRAPH_LIMIT_H

#include "capture/walk/heap_walk.h"

/** Notes a number that the object has; nothing if it is negative, as of an
 *  object without a limit. */
void lg__walk_note_number(lg__heap_walk *walk, PyObject *object,
                          const char *key, Py_ssize_t number);
/** Notes the limit of a deque. */
void lg__walk_note_maxlen(lg__heap_walk *walk, PyObject *object);
/** Notes the limit of an instance of a type that has one, and what is used of
 *  it. */
void lg__walk_note_limit(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info);
/** Notes the limits of the dicts in a module that has a number for them: as
 *  `re` has `_MAXCACHE` for its `_cache`. */
void lg__walk_note_module_limits(lg__heap_walk *walk, PyObject *module);

#endif

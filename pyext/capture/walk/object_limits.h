/**
 * How many elements an object keeps at most, or for how long, as facts of its
 * node.
 *
 * A deque has its limit in its struct. The caches of libraries are classes of
 * Python: they have a number beside their container, in an attribute such as
 * `maxsize`. Modules have both in variables, and functions and classes have
 * code that bounds a container (bounds.h). A queue of timers has until its last
 * timer is due.
 */
#ifndef LEAKGRAPH_OBJECT_LIMITS_H
#define LEAKGRAPH_OBJECT_LIMITS_H

#include "capture/walk/heap_walk.h"

/** Notes a number that the object has; nothing if it is negative, as of an
 *  object without a limit. */
void lg__limits_note_number(lg__heap_walk *walk, PyObject *object,
                            const char *key, Py_ssize_t number);

/** Notes the limits that an object of a special shape has or sets: a deque, a
 *  module, a function, a class. */
void lg__limits_note(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);

/** Notes the limit of an instance of a type that has one, and what is used of
 *  it. */
void lg__limits_note_instance(lg__heap_walk *walk, PyObject *object,
                              const lg__type_info *info);

#endif

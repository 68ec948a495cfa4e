/**
 * Facts about containers that are numbers: how many elements they keep at most.
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

#endif

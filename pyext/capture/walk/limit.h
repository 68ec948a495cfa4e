/**
 * Facts about containers that keep only so many elements.
 */
#ifndef LEAKGRAPH_LIMIT_H
#define LEAKGRAPH_LIMIT_H

#include "capture/walk/heap_walk.h"

/** Notes how many elements the object keeps at most; -1 is no limit. */
void lg__walk_note_limit(lg__heap_walk *walk, PyObject *object, const char *key,
                         Py_ssize_t limit);
/** Notes the limit of a deque. */
void lg__walk_note_maxlen(lg__heap_walk *walk, PyObject *object);

#endif

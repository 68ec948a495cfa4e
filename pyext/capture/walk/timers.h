/**
 * Timers that wait in the queue of an event loop or a scheduler: each leaves
 * when its time has come.
 */
#ifndef LEAKGRAPH_TIMERS_H
#define LEAKGRAPH_TIMERS_H

#include "capture/walk/heap_walk.h"

/** Returns in which attribute instances of a type have their queue of timers;
 *  NULL: they have none. */
const char *lg__timers_attribute(const lg__heap_walk *walk, PyTypeObject *type);

/** Returns the milliseconds until the last timer of a queue leaves, rounded up
 * to two digits; -1: unknown, because the tasks that they wake may sleep again,
 * all timers are overdue, or the walk has read enough of them. */
Py_ssize_t lg__timers_end_within(lg__heap_walk *walk, const PyObject *queue);

#endif

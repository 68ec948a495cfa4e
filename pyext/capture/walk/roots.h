/** The roots: threads, the interpreter, modules. */
#ifndef LEAKGRAPH_ROOTS_H
#define LEAKGRAPH_ROOTS_H

#include "capture/walk/heap_walk.h"

/** Numbers the interpreter, its threads and their frames: the first nodes. */
void lg__roots_open(lg__heap_walk *walk);
/** Appends the edges of these nodes, before any other node is opened. */
void lg__roots_walk(lg__heap_walk *walk);
/** Adds the arguments of the calls in which all frames of all threads are. Call
 *  it after the walk. */
void lg__call_arguments_finish(lg__heap_walk *walk);

/** Finds where CPython keeps the handlers: call it once, with the GIL held and
 *  not in a forked child. It writes reference counts of handlers. */
void lg__signal_handlers_find(void);

#endif

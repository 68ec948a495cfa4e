/** Dicts of thread-local data: see thread_locals.c. */
#ifndef LEAKGRAPH_THREAD_LOCALS_H
#define LEAKGRAPH_THREAD_LOCALS_H

#include "capture/walk/heap_walk.h"

/** Appends edges from the open node, a thread, to its dicts. */
void lg__locals_of_thread(lg__heap_walk *walk, const PyThreadState *thread);
/** Notes in which dict an object of threading.local keeps them. */
void lg__locals_note(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);
/** Call it after the walk. Leaves the threads as the holders of their dicts. */
void lg__locals_finish(lg__heap_walk *walk);

#endif

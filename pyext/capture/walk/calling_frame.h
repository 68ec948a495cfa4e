/** The call that takes the capture: see calling_frame.c. */
#ifndef LEAKGRAPH_CALLING_FRAME_H
#define LEAKGRAPH_CALLING_FRAME_H

#include "capture/walk/heap_walk.h"

/** Finds the frame that called for this capture, and the tuples and dicts that
 *  exist for the call alone. Call it when the interpreter is node 0, and
 * nothing else has a node. */
void lg__calling_frame_find(lg__heap_walk *walk);
/** The first visible frame of a thread: on the capturing thread, the first that
 *  is not leakgraph's own. */
lg__frame *lg__first_seen_frame(PyThreadState *thread);
/** Returns whether an object is on a frame's stack only for that call. */
bool lg__calling_frame_holds(const lg__heap_walk *walk,
                             const lg__frame_view *view, PyObject *object);
/** Gives every argument its node and counts the call's references to it. Call
 * it when the walk of the collector's lists has begun. */
void lg__calling_frame_note(lg__heap_walk *walk);

#endif

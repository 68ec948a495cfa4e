/** The edges of code objects, frames and generators, and the call that takes
 * the capture. */
#ifndef LEAKGRAPH_RUNNING_H
#define LEAKGRAPH_RUNNING_H

#include "capture/walk/heap_walk.h"

/** Frame, generator and thread edges. */
void lg__name_edges_of_frame(lg__heap_walk *walk, const lg__frame_view *view);
void lg__name_edges_of_frame_object(lg__heap_walk *walk, PyObject *object);
void lg__name_edges_of_code(lg__heap_walk *walk, PyObject *object);

/** Finds the frame that called for this capture, and the tuples and dicts that
 *  exist for the call alone. Call it when the interpreter is node 0, and
 * nothing else has a node. */
void lg__calling_frame_find(lg__heap_walk *walk);
/** The first visible frame of a thread: on the capturing thread, the first that
 *  is not leakgraph's own. */
lg__frame *lg__first_seen_frame(PyThreadState *thread);
/** Gives every argument its node and counts the call's references to it. Call
 * it when the walk of the collector's lists has begun. */
void lg__calling_frame_note(lg__heap_walk *walk);

#endif

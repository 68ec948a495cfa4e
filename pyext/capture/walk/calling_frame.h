/** The call that takes the capture: see calling_frame.c. */
#ifndef LEAKGRAPH_CALLING_FRAME_H
#define LEAKGRAPH_CALLING_FRAME_H

#include "capture/walk/heap_walk.h"

/** Finds the frame that called for this capture. */
void lg__calling_frame_find(lg__heap_walk *walk);
/** Returns whether an object is on a frame's stack as an argument of that
 *  call. */
bool lg__calling_frame_holds(const lg__heap_walk *walk,
                             const lg__frame_view *view, PyObject *object);
/** Gives every argument its node and counts the call's references to it. */
void lg__calling_frame_note(lg__heap_walk *walk);
/** Returns whether a frame runs leakgraph's own Python code, which is the
 *  observer. */
bool lg__is_own_frame(const lg__frame_view *view);

#endif

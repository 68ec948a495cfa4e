/**
 * The arguments of calls with a tuple, `f(*args, **kwargs)`: a frame in such a
 * call refers to them, but its visible stack does not.
 */
#ifndef LEAKGRAPH_CALL_ARGUMENTS_H
#define LEAKGRAPH_CALL_ARGUMENTS_H

#include "capture/walk/heap_walk.h"

/** Adds the arguments of the call that a frame, which has that node, is in.
 * Call it after the walk. */
void lg__call_arguments_of(lg__heap_walk *walk, uint32_t node,
                           const lg__frame *frame, const lg__frame_view *view);
/** The same for all frames of all threads. */
void lg__call_arguments_finish(lg__heap_walk *walk);

#endif

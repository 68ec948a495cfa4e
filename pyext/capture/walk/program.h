/** The edges of types, code objects, frames and generators. */
#ifndef LEAKGRAPH_PROGRAM_H
#define LEAKGRAPH_PROGRAM_H

#include "capture/walk/heap_walk.h"

/** Frame, generator and thread edges. */
void lg__name_edges_of_frame(lg__heap_walk *walk, const lg__frame_view *view);
void lg__name_edges_of_frame_object(lg__heap_walk *walk, PyObject *object);
void lg__name_edges_of_code(lg__heap_walk *walk, PyObject *object);

#endif

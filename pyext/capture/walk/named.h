/** The careful walk of an object of any type. */
#ifndef LEAKGRAPH_NAMED_H
#define LEAKGRAPH_NAMED_H

#include "capture/walk/heap_walk.h"

void lg__walk_named(lg__heap_walk *walk, PyObject *object, lg__type_info *info);

#endif

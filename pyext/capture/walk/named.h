/**
 * The careful walk of an object of any type: names what tp_traverse reports by
 * what is known of the type, and adds what tp_traverse leaves out.
 */
#ifndef LEAKGRAPH_NAMED_H
#define LEAKGRAPH_NAMED_H

#include "capture/walk/heap_walk.h"

void lg__walk_named(lg__heap_walk *walk, PyObject *object, lg__type_info *info);

#endif

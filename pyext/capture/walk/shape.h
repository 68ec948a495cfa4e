/** The layout of instances of a type, and the names of their words. */
#ifndef LEAKGRAPH_SHAPE_H
#define LEAKGRAPH_SHAPE_H

#include "capture/walk/heap_walk.h"

/** Fills shape, fields and dict_kind of a type's info; false when memory ran
 *  out. */
bool lg__type_lay_out(lg__heap_walk *walk, lg__type_info *info);
/** Returns whether LG__PLAN_STRUCT suits a type. Probes the type's traverser
 *  once, with an object made of marks, and sorts the fields in the order in
 *  which it reports their words: see shape.c. */
bool lg__probe_struct(lg__type_info *info);

#endif

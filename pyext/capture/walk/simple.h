/**
 * The walkers of exact types and of plain instances: they append the edges of
 * the open node.
 */
#ifndef LEAKGRAPH_SIMPLE_H
#define LEAKGRAPH_SIMPLE_H

#include "capture/walk/heap_walk.h"

void lg__walk_list(lg__heap_walk *walk, PyObject *object);
void lg__walk_tuple(lg__heap_walk *walk, PyObject *object);
void lg__walk_dict(lg__heap_walk *walk, PyObject *object);
void lg__walk_set(lg__heap_walk *walk, PyObject *object);
/** An object of LG__PLAN_STRUCT. */
void lg__walk_struct(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);
/** False if the instance needs lg__walk_named. */
bool lg__walk_instance(lg__heap_walk *walk, PyObject *object,
                       lg__type_info *info);
/** Name of inline value i of instances of this type. */
uint32_t lg__attribute_name(lg__heap_walk *walk, lg__type_info *info,
                            Py_ssize_t i);

#endif

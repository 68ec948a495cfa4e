/**
 * How many elements code keeps in a container at most.
 *
 * A program that bounds a container compares its length and removes elements,
 * in one function: `if len(cache) > MOST: cache.popitem()`. The number is an
 * attribute, a variable of the class, the module or an enclosing function, a
 * default or a constant. It is noted as a fact of the container.
 */
#ifndef LEAKGRAPH_BOUNDS_H
#define LEAKGRAPH_BOUNDS_H

#include "capture/walk/heap_walk.h"

/** Returns a number of seconds in milliseconds; -1: it is none. */
Py_ssize_t lg__milliseconds_of(const PyObject *seconds);

/** Notes what a function bounds in its module, its closure and its defaults. */
void lg__bounds_note_function(lg__heap_walk *walk, PyObject *function);

/** Notes what the methods of a class bound in the class itself. */
void lg__bounds_note_class(lg__heap_walk *walk, PyTypeObject *type);

/** Notes what code that runs bounds in its local variables. */
void lg__bounds_note_frame(lg__heap_walk *walk, const lg__frame_view *view);

/** Notes code that runs, or waits in a generator or coroutine. */
void lg__bounds_note_running(lg__heap_walk *walk, const PyCodeObject *code);

/** Notes code that may hand out a container. */
void lg__bounds_note_code(lg__heap_walk *walk, PyObject *code);

/** Notes the containers that code fills while there is room, unless other code
 *  may add to them. All code must be noted by then. */
void lg__bounds_finish(lg__heap_walk *walk);

/** Finds the methods of a type that bound a container. */
void lg__bounds_find_methods(lg__heap_walk *walk, lg__type_info *info);

/** Notes what such methods bound in an instance. */
void lg__bounds_note_instance(lg__heap_walk *walk, PyObject *object,
                              const lg__type_info *info);

#endif

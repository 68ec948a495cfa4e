/** Texts: the names of functions, modules, frames and tasks. */
#ifndef LEAKGRAPH_NAMES_H
#define LEAKGRAPH_NAMES_H

#include "capture/walk/heap_walk.h"

/** Text `train() train.py:12` of a frame. */
void lg__name_frame(lg__name *name, const lg__frame *frame,
                    const PyCodeObject *code);
/** Writes the name of a part of the program (lg__type_info.is_part); empty if
 *  it has none. */
void lg__name_part(const lg__heap_walk *walk, PyObject *object,
                   const lg__type_info *info, lg__name *out);
/** Gives the open node its own text, if its shape has one and no follower will
 *  give it. */
void lg__name_object(lg__heap_walk *walk, PyObject *object,
                     const lg__type_info *info);
/** The value of a named word in an object of that type: borrowed, NULL if the
 *  type has no such word. */
PyObject *lg__named_word(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info, const char *name);
/** An instance's attribute by name, from its own storage; borrowed. */
PyObject *lg__instance_find(lg__heap_walk *walk, PyObject *object,
                            const char *name);

#endif

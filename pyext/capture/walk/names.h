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

/** Learns the names of all inline values of instances of this type. False when
 *  memory ran out. */
bool lg__attribute_names_learn(lg__heap_walk *walk, lg__type_info *info);

/** Returns whether the names of that many inline values are known. */
static inline bool
lg__attribute_names_know(lg__heap_walk *walk, lg__type_info *info,
                         Py_ssize_t count)
{
    return (size_t)count <= info->attribute_capacity ||
           lg__attribute_names_learn(walk, info);
}

/** The name of inline value i of instances of this type, or 0. */
static inline uint32_t
lg__attribute_name(lg__heap_walk *walk, lg__type_info *info, Py_ssize_t i)
{
    return lg__attribute_names_know(walk, info, i + 1)
               ? info->attribute_names[i]
               : 0;
}

#endif

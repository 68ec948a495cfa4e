/** Shallow sizes of objects. */
#ifndef LEAKGRAPH_OBJECT_SIZE_H
#define LEAKGRAPH_OBJECT_SIZE_H

#include "capture/walk/heap_walk.h"

/** The size of a compact str of ASCII characters, which holds its text. */
static inline size_t
lg__ascii_size(PyObject *str)
{
    return sizeof(PyASCIIObject) + (size_t)PyUnicode_GET_LENGTH(str) + 1;
}

uint64_t lg__object_size(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info);
/** Call it after the walk. Asks the C __sizeof__ of library types for the
 *  instances that need it, of those met since the last call. */
void lg__sizes_finish(lg__heap_walk *walk);
/** Holds those instances until then: other threads may run meanwhile. */
void lg__sizes_hold(lg__heap_walk *walk);
/** Releases these references. */
void lg__sizes_release(lg__heap_walk *walk);

#endif

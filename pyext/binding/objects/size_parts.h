/**
 * What the files of Size share: its layout, and the functions for its type.
 */
#ifndef LEAKGRAPH_SIZE_PARTS_H
#define LEAKGRAPH_SIZE_PARTS_H

#include "binding/objects/size.h"

typedef struct lg__size_object {
    PyObject_VAR_HEAD PyObject
        *devices;     /* names, 'host' first: a tuple that sizes share */
    uint64_t bytes[]; /* [ob_size] */
} lg__size_object;

#endif

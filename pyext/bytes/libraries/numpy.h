/** The parts of numpy's descriptors that the adapter reads. They differ between
 *  numpy 1 and 2. */
#ifndef LEAKGRAPH_NUMPY_H
#define LEAKGRAPH_NUMPY_H

#include "bytes/common/bytes_common.h"

/** What the adapter reads of a descriptor. */
typedef struct lg__descriptor {
    const PyTypeObject *scalar_type;
    char kind;       /**< 'f', 'U', 'V' ... */
    bool references; /**< items hold references to objects */
    bool is_object;  /**< an item is such a reference */
    size_t item_size;
    PyObject *fields;   /**< dict of tuples, or NULL */
    PyObject *names;    /**< tuple, or NULL */
    PyObject *metadata; /**< dict, or NULL */
    PyObject *inner;    /**< in a subarray: the descriptor of its items */
    PyObject *shape;    /**< in a subarray: tuple */
} lg__descriptor;

/** The major version of the loaded numpy, 1 or 2; 0: none, or an unknown
 *  one. */
int lg__numpy_generation(void);

/** Reads a descriptor of numpy 1 or, if `wide`, of numpy 2. */
lg__descriptor lg__descriptor_read(PyObject *object, bool wide);

/** The offsets of the references in an item. */
typedef struct lg__references {
    size_t count;
    size_t offset[256];
    bool incomplete; /**< there are more, or they are nested too deep */
} lg__references;

#endif

/**
 * Finds values by their names in dicts of the program. Included by heap_walk.h.
 */
#ifndef LEAKGRAPH_LOOKUP_H
#define LEAKGRAPH_LOOKUP_H

#include "capture/cpython/capture_cpython.h"

typedef struct lg__heap_walk lg__heap_walk;

/** So many of the clocks tell the time in seconds, or as a datetime; the others
 *  in nanoseconds. */
enum { LG__CLOCKS_OF_SECONDS = 5 };

/** Keys that a capture looks for thousands of times: the interned strs,
 *  borrowed. NULL: not known, or nobody has such a key. */
typedef struct lg__common_keys {
    PyObject *module;      /**< __module__ */
    PyObject *file;        /**< __file__ */
    PyObject *len;         /**< len */
    PyObject *removing[9]; /**< what removes elements of containers */
    PyObject *adding[9];   /**< ... and what adds some */
    PyObject *clock[8];    /**< what tells the time */
} lg__common_keys;

/** The lookup function of dicts with keys of all types, by which the capture
 *  tells them from those with strs alone. The self-check sets it at import. */
extern const void *lg__general_lookup;

/** Returns whether a str has exactly this ASCII text. */
bool lg__str_equals(PyObject *str, const char *text);

/** Finds the value of a str key in an exact dict by identity or text, without
 *  hashing; borrowed, NULL if absent. */
PyObject *lg__dict_find(PyObject *dict, const char *key);

/** The same; `key` is that text as a common key, or NULL. Looks into the hash
 *  table if only strs are in it, so that no code of the program runs. */
PyObject *lg__dict_find_common(const lg__heap_walk *walk, PyObject *dict,
                               PyObject *key, const char *text);

#endif

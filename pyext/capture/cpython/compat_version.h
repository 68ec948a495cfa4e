/**
 * Which CPython this is built for. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_VERSION_H
#define LEAKGRAPH_COMPAT_VERSION_H

#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x03090000
#error "leakgraph captures CPython 3.9 and newer"
#endif

/** 1 if this project knows the internals of this CPython. A newer one is
 *  captured by public calls: see compat_public.h. */
#define LG__INTERNALS (PY_VERSION_HEX < 0x03100000)

/** 1 if this build of CPython has no global lock: other threads run
 *  Python code at the same time, until the collector stops them. */
#ifdef Py_GIL_DISABLED
#define LG__FREE_THREADED 1
#else
#define LG__FREE_THREADED 0
#endif

/** 1 if these have a semaphore in malloc (thread_pthread.h,
 *  PyThread_allocate_lock). Later, a lock is a part of its object; releases of
 *  3.13 differ in that, so there the size of a Lock decides. */
#define LG__LOCK_HAS_SEMAPHORE (PY_VERSION_HEX < 0x030e0000)
#define LG__SIMPLE_QUEUE_HAS_SEMAPHORE (PY_VERSION_HEX < 0x030d0000)

/** What the collector says of itself. */
typedef struct lg__collector_facts {
    bool enabled;
    int flags; /**< as gc.get_debug() */
    int thresholds[3];
    int counts[3];
    Py_ssize_t garbage; /**< how many objects gc.garbage has */
} lg__collector_facts;

/** A table of entries, whatever their layout: entry i's key and value are words
 *  at base + i * stride. */
typedef struct lg__dict_table {
    const char *base;
    size_t stride;
    size_t key;
    size_t value;
    Py_ssize_t count;
    bool str_keys; /**< every key is a str and tp_traverse leaves keys out */
} lg__dict_table;

/** A word of entry i: the key or the value, by its offset; borrowed. */
static inline PyObject *
lg__dict_entry_word(const lg__dict_table *table, Py_ssize_t i, size_t offset)
{
    return *(PyObject *const *)(table->base + (size_t)i * table->stride +
                                offset);
}

/** Inline values of an instance: names are the keys of its type. */
typedef struct lg__inline_values {
    PyObject *const *values; /**< NULL: none */
    Py_ssize_t count;
} lg__inline_values;

/** What a static builtin type keeps outside of its type object. */
typedef struct lg__type_state {
    PyObject *dict;
    PyObject *subclasses;
} lg__type_state;

#endif

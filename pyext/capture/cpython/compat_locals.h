/**
 * What a thread keeps for its thread-local data. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_LOCALS_H
#define LEAKGRAPH_COMPAT_LOCALS_H

#include "capture/cpython/compat.h"

/** From 3.13 on: the key of the thread's dict in every threading.local, and an
 *  object whose weak references clear those dicts when the thread ends. Before,
 *  the thread's own dict leads to those dicts. */
typedef struct lg__local_words {
    PyObject *key;
    PyObject *sentinel;
    bool by_key; /**< the version has these two */
} lg__local_words;

static inline lg__local_words
lg__thread_local_words(const PyThreadState *thread)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (lg__local_words){thread->threading_local_key,
                             thread->threading_local_sentinel, true};
#else
    (void)thread;
    return (lg__local_words){NULL, NULL, false};
#endif
}

#endif

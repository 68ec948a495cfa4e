/**
 * What the JIT compiler keeps with a code object, per version: from 3.13 on,
 * executors, which are Python objects. A part of compat.h.
 */
#ifndef LEAKGRAPH_COMPAT_EXECUTORS_H
#define LEAKGRAPH_COMPAT_EXECUTORS_H

#include "capture/cpython/compat.h"

static inline size_t
lg__code_executor_count(const PyCodeObject *code)
{
#if PY_VERSION_HEX >= 0x030D0000
    const _PyExecutorArray *kept = code->co_executors;
    return kept != NULL && kept->size > 0 ? (size_t)kept->size : 0;
#else
    (void)code;
    return 0;
#endif
}

/** One of these: borrowed, or NULL. */
static inline PyObject *
lg__code_executor(const PyCodeObject *code, size_t i)
{
#if PY_VERSION_HEX >= 0x030D0000
    return (PyObject *)code->co_executors->executors[i];
#else
    (void)code;
    (void)i;
    return NULL;
#endif
}

#endif
